import { describe, expect, test } from 'vitest'
import { commands } from '../../../src/cli/commands.ts'
import { aliases } from '../../../src/cli/verbs.ts'
import type { Given } from '../../../src/cli/complete/find-hole.ts'
import type { Knowledge } from '../../../src/cli/complete/grammar.ts'
import { offerWords } from '../../../src/cli/complete/offer-words.ts'
import type { Offer } from '../../../src/cli/complete/offer.ts'
import { splitLine } from '../../../src/cli/complete/split-line.ts'
import { helpTopics } from '../../../src/cli/help-topics.ts'
import type { Prompt } from '../../../src/prompts/prompt.ts'
import type { StoredPrompt } from '../../../src/prompts/store.ts'
import { promptOf as libraryPrompt } from '../../prompts/makers.ts'
import { promptOf, toolOf } from '../literal-hub.ts'

const tools = [
  toolOf('a', 'run', {
    description: 'Runs it. Then stops.',
    inputSchema: {
      type: 'object',
      properties: {
        soft: { type: 'string', description: 'Not needed' },
        mode: { $ref: '#/$defs/mode' },
        fast: { type: 'boolean' },
        level: { anyOf: [{ const: 1 }, { enum: [2, 'three'] }, { type: 'null' }] },
        tags: { type: 'array', items: { enum: ['x', '@y'] } },
        toString: { type: 'string' },
      },
      required: ['mode', 'fast'],
      $defs: { mode: { enum: ['dry run', 'real'], description: 'How to run' } },
    },
  }),
  toolOf('a', 'both'),
  toolOf('b', 'both'),
  toolOf('b', 'dotted.name', { title: 'Dotted' }),
]
const prompts = [
  promptOf('a', 'greet', {
    description: 'Says hello.',
    arguments: [{ name: 'city' }, { name: 'who', description: 'Whom', required: true }],
  }),
]

function storedOf(name: string, rest: Partial<Prompt>): StoredPrompt {
  return { prompt: libraryPrompt(name, 'x', rest), layer: 'user', revision: 1, labels: {}, overrides: [] }
}

const knowledge: Knowledge = {
  servers: async () => [
    { name: 'a', standing: 'usable' },
    { name: 'b', standing: 'usable' },
    { name: 'off', standing: 'disabled' },
    { name: 'new', standing: 'untrusted' },
  ],
  catalogue: async () => ({ tools, prompts, resources: [], templates: [], servers: [] }),
  calls: async () => [
    { id: '0a', at: '2026-01-31T09:54:15.000Z', tool: 'a.run', outcome: 'ok' },
    { id: '1b', at: '2026-01-31T09:54:16.000Z', tool: 'a.both', outcome: 'tool_error' },
  ],
  library: async () => [
    storedOf('greet', {
      arguments: [
        { name: 'who', required: true },
        { name: 'tone', required: false, enum: ['kind', 'short'] },
      ],
      tags: ['talk'],
    }),
    storedOf('bye', { title: 'Goodbye' }),
  ],
  suggest: async ({ id }, { name, value }, context) => [`${id} ${name} ${value} ${JSON.stringify(context)}`],
}

function offer(line: string, know: (given: Given) => Knowledge = () => knowledge): Promise<Offer> {
  const { words, current } = splitLine(`capstan ${line}`, 'bash')
  return offerWords({ words: words.slice(1), current }, { verbs: commands, aliases }, know)
}

async function values(line: string): Promise<readonly string[]> {
  const offered = await offer(line)
  return offered.kind === 'files' ? [`files ${offered.prefix}`] : offered.candidates.map(({ value }) => value)
}

describe('verbs and flags', () => {
  test('every verb is offered with its summary, and help', async () => {
    expect(await values('')).toEqual([...Object.keys(commands), 'help'])
    expect(await offer('li')).toMatchObject({
      candidates: expect.arrayContaining([{ value: 'list', about: commands['list']?.summary }]),
    })
    expect(await values('--json ')).toContain('call')
  })

  test('flags are those of every command and those of the verb, with what the help says', async () => {
    const offered = await offer('call --')

    expect(offered).toMatchObject({
      candidates: expect.arrayContaining([
        { value: '--save', about: expect.stringContaining('keep images') },
        { value: '--json', about: 'the whole result' },
        { value: '--no-input', about: 'never ask' },
        { value: '--help', about: 'help for the command' },
      ]),
    })
    expect(await values('--')).not.toContain('--save')
    expect(await values('status -')).toContain('--watch')
  })

  test('a flag that is there already is left out, unless it may be given again', async () => {
    const flags = await values('search --json --server a -')

    expect(flags).not.toContain('--json')
    expect(flags).toContain('--server')
  })

  test('a flag that takes a value does not make that value the verb or a name', async () => {
    expect(await values('--timeout 5 call ')).toContain('a.run')
    expect(await values('call --timeout 5 ')).toContain('a.run')
    expect(await values('call --timeout ')).toEqual([])
  })

  test.each([
    ['search --server ', ['a', 'b', 'off', 'new']],
    ['read --server=', ['a', 'b', 'off', 'new']],
    ['add x --type ', ['http', 'sse']],
    ['list --config ', ['files ']],
    ['list --config=m', ['files --config=']],
    ['call a.run --save ', ['files ']],
    ['call a.run --args @', ['files @']],
    ['call a.run --args=@x', ['files --args=@']],
    ['call a.run --args ', []],
    ['add x -- ', ['files ']],
    ['add x -- call ', ['files ']],
  ])('%j offers %j', async (line, expected) => {
    expect(await values(line)).toEqual(expected)
  })
})

describe('names', () => {
  test.each([
    ['list ', ['a', 'b', 'off', 'new']],
    ['list a ', ['b', 'off', 'new']],
    ['doctor b ', ['a', 'off', 'new']],
    ['remove ', ['a', 'b', 'off', 'new']],
    ['enable ', ['off']],
    ['disable ', ['a', 'b', 'new']],
    ['review ', ['new']],
    ['logs ', ['a', 'b', 'off', 'new']],
    ['logs a ', []],
    ['restart a ', []],
    ['calls ', ['show']],
    ['calls show ', ['1b', '0a']],
    ['calls show 1b ', []],
    ['calls other ', []],
    ['config ', ['path']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['exec ', ['files ']],
    ['nonsense ', []],
    ['__proto__ ', []],
    ['status ', []],
    ['prompt ', ['a:greet']],
    ['prompt gr', ['greet']],
    ['prompt /a', ['/a:greet']],
    ['call ', ['a.run', 'a.both', 'b.both', 'b.dotted.name']],
    ['invoke ', ['a.run', 'a.both', 'b.both', 'b.dotted.name']],
    ['call mcp.', ['mcp.a.run', 'mcp.a.both', 'mcp.b.both', 'mcp.b.dotted.name']],
    ['call b/', ['a/run', 'a/both', 'b/both', 'b/dotted.name']],
    ['call dot', ['run', 'dotted.name']],
    ['inspect ', ['a', 'b', 'off', 'new', 'a.run', 'a.both', 'b.both', 'b.dotted.name', 'a:greet']],
    ['inspect a ', []],
  ])('%j offers %j', async (line, expected) => {
    expect(await values(line)).toEqual(expected)
  })

  test('help offers verbs and topics, import the clients that were not named yet', async () => {
    expect(await values('help ')).toEqual([...Object.keys(commands), 'help', ...Object.keys(helpTopics)])
    expect(await values('help call ')).toEqual([])
    expect(await values('import ')).toContain('cursor')
    expect(await values('import cursor ')).not.toContain('cursor')
  })

  test('a tool comes with its first sentence, else with its title', async () => {
    expect(await offer('call ')).toMatchObject({
      candidates: expect.arrayContaining([
        { value: 'a.run', about: 'Runs it.' },
        { value: 'b.dotted.name', about: 'Dotted' },
      ]),
    })
  })

  test('the flags on the line are known to whoever looks names up', async () => {
    const seen: Given[] = []

    await offer('call --config one.json --config=two.json a.run mode=real fa', (given) => {
      seen.push(given)
      return knowledge
    })

    expect(seen[0]?.flags.get('config')).toEqual(['one.json', 'two.json'])
    expect(seen[0]?.positionals).toEqual(['a.run', 'mode=real'])
  })
})

describe('arguments', () => {
  test.each([
    ['call a.run ', ['mode=', 'fast=', 'soft=', 'level=', 'tags=', 'toString=']],
    ['call run ', ['mode=', 'fast=', 'soft=', 'level=', 'tags=', 'toString=']],
    ['call a.run mode=real soft="x y" ', ['fast=', 'level=', 'tags=', 'toString=']],
    ['call a.run tags=x ', ['mode=', 'fast=', 'soft=', 'level=', 'tags=', 'toString=']],
    ['call a.run mode=', ['dry run', 'real']],
    ['call a.run mode="dry r', ['dry run', 'real']],
    ['call a.run fast=', ['true', 'false']],
    ['call a.run level=', ['1', '2', 'three']],
    ['call a.run tags=', ['x', '@@y']],
    ['call a.run tags=@@', ['x', '@@y']],
    ['call a.run soft=', []],
    ['call a.run soft=@', ['files soft=@']],
    ['call a.run hasOwnProperty=', []],
    ['call b.both ', []],
    ['prompt a:greet ', ['who=', 'city=']],
    ['prompt a:greet who=x ', ['city=']],
    ['prompt a:greet who=al', ['a:greet who al {}']],
    ['prompt a:greet who=al city=', ['a:greet city  {"who":"al"}']],
    ['prompt a:greet who=@', ['files who=@']],
    ['prompt a:greet other=', []],
  ])('%j offers %j', async (line, expected) => {
    expect(await values(line)).toEqual(expected)
  })

  test('values stand behind their key, and a required argument says so', async () => {
    expect(await offer('call a.run mode=r')).toMatchObject({ prefix: 'mode=' })
    expect(await offer('call a.run ')).toMatchObject({
      prefix: '',
      candidates: expect.arrayContaining([
        { value: 'mode=', about: 'required: How to run' },
        { value: 'fast=', about: 'required' },
        { value: 'soft=', about: 'Not needed' },
      ]),
    })
  })
})

describe('the library', () => {
  test('its commands are offered with what they do, and then what each takes', async () => {
    expect(await offer('library ')).toMatchObject({
      candidates: expect.arrayContaining([{ value: 'tags', about: expect.stringContaining('all tags') }]),
    })
    expect(await values('library show ')).toEqual(['greet', 'bye'])
    expect(await values('prompts edit ')).toEqual(['greet', 'bye'])
    expect(await values('library remove greet ')).toEqual(['bye'])
    expect(await values('library sync ')).toContain('claude-code')
    expect(await values('library export ')).toContain('skill')
    expect(await values('library export skill bye ')).toEqual(['greet'])
    expect(await values('library import ')).toEqual(['files '])
    expect(await values('library history greet ')).toEqual([])
  })

  test('the arguments of a prompt that is filled in are offered, then their values', async () => {
    expect(await values('library show greet --render ')).toEqual(['who=', 'tone='])
    expect(await values('library show greet --render who=me ')).toEqual(['tone='])
    expect(await values('library show greet --render tone=')).toEqual(['kind', 'short'])
    expect(await values('library show greet --render who=@')).toEqual(['files who=@'])
  })

  test('flags are those of the command that is typed, with tags and formats as values', async () => {
    const flags = await values('library list --')
    expect(flags).toEqual(expect.arrayContaining(['--tag', '--layer', '--json', '--prompts-dir']))
    expect(flags).not.toContain('--force')
    expect(await values('library list --tag ')).toEqual(['talk'])
    expect(await values('library import x --format ')).toContain('csv')
  })
})
