import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openCommands, type Commands } from '../../src/commands/open-commands.ts'
import type { Suggestions } from '../../src/commands/suggestions.ts'
import type { Catalogue, Hub } from '../../src/hub/api.ts'
import { literalHub, promptOf, ready, toolOf } from '../cli/literal-hub.ts'
import { tempFolder } from '../config/temp-folder.ts'
import { contextOver, type SessionLiterals } from './session-view.ts'

const catalogue: Partial<Catalogue> = {
  tools: [
    toolOf('git', 'commit', {
      description: 'Makes a commit.',
      inputSchema: {
        type: 'object',
        properties: {
          message: { type: 'string', description: 'What it says' },
          mode: { enum: ['fixup', 'squash', 'two words'] },
          amend: { type: 'boolean' },
        },
        required: ['message'],
      },
    }),
    toolOf('git', 'log'),
  ],
  prompts: [
    promptOf('git', 'explain', { title: 'Explain', arguments: [{ name: 'topic', required: true }] }),
    promptOf('git', 'help'),
    promptOf('git', 'review', {
      description: 'Reviews a change. At length.',
      arguments: [
        { name: 'note', description: 'Anything else' },
        { name: 'branch', description: 'Which branch', required: true },
        { name: 'base' },
      ],
    }),
    promptOf('git', 'with blank'),
  ],
  resources: [
    { server: 'git', uri: 'git://readme', name: 'readme', title: 'The readme' },
    { server: 'git', uri: 'git://log', name: 'log' },
  ],
}

interface Asked {
  readonly argument: string
  readonly value: string
  readonly context: Readonly<Record<string, string>> | undefined
}

const branches = ['main', 'make it so', 'feature/main-menu']

function hubWith(asked: Asked[] = []): Hub {
  return {
    ...literalHub({ statuses: [ready('git')], catalogue }),
    complete: async (_prompt, { name, value }, options = {}) => {
      asked.push({ argument: name, value, context: options.context })
      return { values: name === 'branch' || name === 'topic' ? branches : [] }
    },
  }
}

async function open(literals: SessionLiterals = {}, hub: Hub = hubWith()): Promise<Commands> {
  const commands = openCommands(contextOver(hub, literals), { completion: { debounceMs: 0 } })
  onTestFinished(() => commands[Symbol.dispose]())
  await commands.execute('/git:nothing')
  return commands
}

/** Suggests where the bar stands, and gives the labels. */
async function labels(marked: string, commands?: Commands): Promise<readonly string[]> {
  return (await suggestAt(marked, commands)).items.map(({ label }) => label)
}

async function suggestAt(marked: string, commands?: Commands): Promise<Suggestions> {
  const cursor = marked.indexOf('|')
  return (commands ?? (await open())).suggest(marked.replace('|', ''), cursor)
}

/** The line after accepting the suggestion with this label. */
async function accept(marked: string, label: string, commands?: Commands): Promise<string> {
  const line = marked.replace('|', '')
  const { from, to, items } = await suggestAt(marked, commands)
  const insert = items.find((item) => item.label === label)?.insert ?? `<no ${label}>`
  return line.slice(0, from) + insert + line.slice(to)
}

describe('names', () => {
  test('a slash alone offers everything, ours first', async () => {
    const all = await labels('/|')

    expect(all[0]).toBe('/help')
    expect(all.slice(-4)).toEqual(['/git:explain', '/git:help', '/git:review', '/git:with blank'])
  })

  test.each<[marked: string, best: readonly string[]]>([
    ['/rev|', ['/git:review']],
    ['/help|', ['/help', '/git:help']],
    ['/gr|', ['/git:review']],
    ['/con|', ['/conversations']],
    ['/ex|', ['/exec', '/exit', '/export']],
    ['/REV|iew more', ['/git:review']],
  ])('%j offers %j first', async (marked, best) => {
    expect((await labels(marked)).slice(0, best.length)).toEqual(best)
  })

  test('carry what they are about, what was typed of them, and a blank where more is to come', async () => {
    const { from, to, items } = await suggestAt(' /gre|vi x')

    expect({ from, to }).toEqual({ from: 1, to: 7 })
    expect(items[0]).toMatchObject({ key: 'prompt:git:review', label: '/git:review', insert: '/git:review ' })
    expect(items[0]?.detail).toBe('Reviews a change.')
    expect(items[0]?.matches.map(({ start, end }) => items[0]?.label.slice(start, end)).join('')).toBe('gre')
    expect((await suggestAt('/git:h|')).items[0]).toMatchObject({ insert: '/git:help', detail: 'Prompt help of git' })
  })

  test('a name with a blank in it is written so that it is found again', async () => {
    const commands = await open()

    const line = await accept('/wb|', '/git:with blank', commands)

    expect(line).toBe(String.raw`/git:with\ blank`)
    expect(commands.parse(line)).toMatchObject({ isKnown: true, name: 'git:with blank' })
  })

  test('a prompt cannot take the place of a built-in command', async () => {
    const commands = await open()

    expect(commands.isBuiltin('/help')).toBe(true)
    expect(commands.isBuiltin('/git:help')).toBe(false)
    expect(commands.isBuiltin('/explain this')).toBe(false)
    expect(commands.parse('/explain this')).toMatchObject({ isKnown: true })
  })
})

describe('arguments of a prompt', () => {
  test('are offered by name, the required ones first and marked, then the values of the next one', async () => {
    const { items, argument } = await suggestAt('/git:review |')

    expect(items.slice(0, 3).map(({ label, isRequired }) => [label, isRequired])).toEqual([
      ['branch=', true],
      ['note=', false],
      ['base=', false],
    ])
    expect(argument).toEqual({ name: 'note', description: 'Anything else', isRequired: false })
  })

  test.each<[marked: string, expected: readonly string[]]>([
    ['/git:review branch=x |', ['note=', 'base=']],
    ['/git:review branch=x bas|', ['base=']],
    ['/git:review bra|=x', ['branch=']],
    ['/git:review --br|', ['branch=']],
    ['/git:review branch=ma|', ['main', 'make it so', 'feature/main-menu']],
    ['/git:review branch=zzz|', ['main', 'make it so', 'feature/main-menu']],
    ['/git:review branch="ma|', ['main', 'make it so', 'feature/main-menu']],
    ['/git:review branch=|', ['main', 'make it so', 'feature/main-menu']],
    ['/git:review anything ma|', ['main', 'make it so', 'feature/main-menu']],
    ['/git:explain |', ['main', 'make it so', 'feature/main-menu']],
    ['/git:explain make i|', ['make it so']],
    ['/git:explain make |', ['make it so']],
    ['/git:help |', []],
    ['/nosuch |', []],
  ])('%j offers %j', async (marked, expected) => {
    expect(await labels(marked)).toEqual(expected)
  })

  test.each<[marked: string, label: string, line: string]>([
    ['/git:review br|', 'branch=', '/git:review branch='],
    ['/git:review branch=m|', 'main', '/git:review branch=main '],
    ['/git:review branch=m|', 'make it so', '/git:review branch="make it so" '],
    ['/git:review branch="m|', 'make it so', '/git:review branch="make it so" '],
    ['/git:review branch=m| base=y', 'make it so', '/git:review branch="make it so" base=y'],
    ['/git:review branch=old| base=y', 'main', '/git:review branch=main base=y'],
    ['/git:explain ma|', 'make it so', '/git:explain make it so'],
    ['/git:explain topic=|', 'main', '/git:explain topic=main'],
  ])('accepting in %j the value %j gives %j', async (marked, label, line) => {
    expect(await accept(marked, label)).toBe(line)
  })

  test('the server is told the other arguments', async () => {
    const asked: Asked[] = []

    await labels('/git:review base="a b" branch=ma|', await open({}, hubWith(asked)))

    expect(asked).toEqual([{ argument: 'branch', value: 'ma', context: { base: 'a b' } }])
  })
})

describe('arguments of built-in commands', () => {
  const at = Date.UTC(2026, 10, 15)
  const session: SessionLiterals = {
    conversations: [{ id: 'abc', title: 'About ships', changedAtMs: at, messages: 3 }],
    models: ['anthropic/one', 'openai/two'],
    permissions: [{ id: 'p1', scope: 'project', server: 'git' }],
    queue: ['later'],
  }

  test.each<[marked: string, expected: readonly string[]]>([
    ['/resume |', ['abc']],
    ['/conversations delete a|', ['abc']],
    ['/model tw|', ['openai/two']],
    ['/servers re|', ['restart']],
    ['/servers restart |', ['git']],
    ['/permissions revoke |', ['p1']],
    ['/queue remove |', ['1']],
    ['/help exp|', ['export', 'git:explain']],
    ['/call com|', ['git.commit']],
    ['/call git.commit |', ['message=', 'mode=', 'amend=']],
    ['/call git.commit mode=|', ['fixup', 'squash', 'two words']],
    ['/call git.commit amend=t|', ['true']],
    ['/read rea|', ['git://readme']],
    ['/exec |', []],
  ])('%j offers %j', async (marked, expected) => {
    expect(await labels(marked, await open(session))).toEqual(expected)
  })

  test('a choice with a blank is put in quotes', async () => {
    expect(await accept('/call git.commit mode=tw|', 'two words')).toBe('/call git.commit mode="two words" ')
  })
})

describe('mentions', () => {
  test('are resources and files of the folder, with what was typed of them', async () => {
    await using folder = await tempFolder()
    await folder.write({ 'readme.md': '', 'src/with blank.ts': '', 'node_modules/readme.js': '' })
    const commands = await open({ folder: folder.path })

    expect(await labels('see @read|', commands)).toEqual(['@git:git://readme', '@readme.md'])
    expect(await accept('see (@blank| and so on', '@src/with blank.ts', commands)).toBe(
      'see (@"src/with blank.ts" and so on',
    )
    expect(await labels('mail me@read|', commands)).toEqual([])
    expect(await labels('no mention|', commands)).toEqual([])
  })
})

test('no line and no cursor makes it fail, and what it replaces is a part of the line', async () => {
  const commands = await open()
  const piece = fc.constantFrom(
    '/',
    'git:review',
    'git:explain',
    'call',
    'git.commit',
    'branch=',
    '--args',
    '{"a',
    '"',
    "'",
    '@',
    '\\',
    ' ',
    '\n',
    'mode=',
    '😀',
  )
  const line = fc.array(piece).map((pieces) => pieces.join(''))

  await fc.assert(
    fc.asyncProperty(line, fc.integer({ min: -2, max: 80 }), async (text, cursor) => {
      const { from, to, items } = await commands.suggest(text, cursor)
      expect(from).toBeGreaterThanOrEqual(0)
      expect(to).toBeGreaterThanOrEqual(from)
      expect(to).toBeLessThanOrEqual(text.length)
      expect(new Set(items.map(({ key }) => key)).size).toBe(items.length)
    }),
    { numRuns: 500 },
  )
})

test('accepting a value always makes the line mean it', async () => {
  const commands = await open()
  const before = fc.constantFrom(
    '/git:review branch=',
    '/git:review branch="',
    '/git:review a ',
    '/git:explain ',
    '/git:explain topic=',
  )
  const after = fc.constantFrom('', ' base=x', ' base="y z"')

  await fc.assert(
    fc.asyncProperty(before, after, fc.constantFrom(...branches), async (start, end, value) => {
      const line = `${start}${value.slice(0, 2)}${start.endsWith('"') ? '"' : ''}${end}`
      const cursor = start.length + 2
      const { from, to, items } = await commands.suggest(line, cursor)
      const insert = items.find(({ label }) => label === value)?.insert ?? ''
      const then = commands.parse(line.slice(0, from) + insert + line.slice(to))
      expect([...(then.values.get('branch') ?? []), ...(then.values.get('topic') ?? [])]).toContain(value)
    }),
  )
})
