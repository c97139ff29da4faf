import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openCommands } from '../../src/commands/open-commands.ts'
import type { Block, Outcome } from '../../src/commands/outcome.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { tempFolder } from '../config/temp-folder.ts'
import { fixture } from '../fixtures/fixture.ts'
import { openTestHub } from '../hub/makers.ts'
import { contextOver, type SessionLiterals } from './session-view.ts'

async function open(literals: SessionLiterals = {}) {
  const sandbox = createSandbox({ spareMs: 0 })
  const hub = await openTestHub({ echo: fixture('echo') }, { sandbox: async () => sandbox })
  const context = contextOver(hub, literals)
  const commands = openCommands(context)
  onTestFinished(async () => {
    commands[Symbol.dispose]()
    await hub[Symbol.asyncDispose]()
    await sandbox[Symbol.asyncDispose]()
  })
  await commands.execute('/echo:nothing')
  return { ...commands, context }
}

async function run(line: string, literals: SessionLiterals = {}): Promise<string> {
  return shown(await (await open(literals)).execute(line))
}

function shown(outcome: Outcome): string {
  return outcome.kind === 'printed' ? outcome.blocks.map(blockText).join('\n') : JSON.stringify(outcome)
}

function blockText(block: Block): string {
  if (block.kind === 'table') return block.rows.map((row) => row.join(' | ')).join('\n')
  if (block.kind === 'content') return block.part.kind === 'media' ? `<${block.part.mimeType}>` : block.part.text
  return block.kind === 'notice' ? `${block.level}: ${block.text}` : block.text
}

describe('looking', () => {
  test('/help lists every built-in command and counts the prompts', async () => {
    const text = await run('/help')

    expect(text).toContain('/call TOOL [KEY=VALUE…]')
    expect(text).toContain('And 3 prompts of your servers')
  })

  test('/help of one command says what it takes', async () => {
    const commands = await open()
    const [full, bare] = await Promise.all(['/help /echo:greet', '/help greet'].map((line) => commands.execute(line)))

    expect(full && shown(full)).toMatch(/\/echo:greet WHO \[CITY\][^]*who \| required \| Whom to greet/)
    expect(bare).toEqual(full)
  })

  test('/tools lists, searches and shows one', async () => {
    const commands = await open()
    const text = async (line: string) => shown(await commands.execute(line))

    expect(await text('/tools')).toContain('echo.echo')
    expect(await text('/tools echo.echo')).toContain('Run it: /call echo.echo')
    expect(await text('/tools say something again')).toContain('echo.echo')
  })

  test('/prompts lists those that fit', async () => {
    const text = await run('/prompts gre')

    expect(text).toContain('/echo:greet WHO [CITY] | Writes a greeting.')
    expect(text).not.toContain('/echo:plain')
  })

  test('/servers shows how they stand, and one in more words', async () => {
    const commands = await open()

    expect(shown(await commands.execute('/servers'))).toContain('echo | ready')
    expect(shown(await commands.execute('/servers echo'))).toContain('Say something and hear it again.')
    expect(shown(await commands.execute('/servers restart echo'))).toBe('echo: restart done, now ready.')
    expect(await commands.execute('/servers logs echo')).toMatchObject({ kind: 'printed' })
  })
})

describe('running', () => {
  test.each([
    ['/call echo.echo hello there', 'hello there'],
    ['/call echo.echo message="a  b"', 'a  b'],
    ['/call echo --args {"message":"x y"}', 'x y'],
    ['/call echo.nosuch message=x', 'No tool'],
  ])('%j gives %j', async (line, expected) => {
    expect(await run(line)).toContain(expected)
  })

  test('/read shows a resource', async () => {
    expect(await run('/read note://one')).toBe('# One\n')
    expect(await run('/read person://bob')).toBe('This is bob.')
    expect(await run('/read data://bytes')).toBe('<application/octet-stream>')
  })

  test('/exec runs code as it stands, and shows what it logs at once', async () => {
    const commands = await open()
    const live: string[] = []

    const text = shown(
      await commands.execute('/exec console.log("live"); return await tools.echo.echo({ message: "a=b" })', {
        onBlock: (block) => live.push(blockText(block)),
      }),
    )

    expect(live).toEqual(['live'])
    expect(text).toContain('a=b')
    expect(shown(await commands.execute('/exec "quoted"'))).toBe('quoted')
    expect(shown(await commands.execute('/exec nope('))).toContain('error: SyntaxError')
  })
})

describe('the session', () => {
  test.each<[line: string, action: object]>([
    ['/exit', { kind: 'exit' }],
    ['/quit', { kind: 'exit' }],
    ['/clear', { kind: 'clear' }],
    ['/compact', { kind: 'compact' }],
    ['/resume', { kind: 'pick_conversation' }],
    ['/resume ab', { kind: 'resume', id: 'abc' }],
    ['/copy', { kind: 'copy', text: 'The answer.' }],
  ])('%s is left to whoever owns it', async (line, action) => {
    const commands = await open(held)

    expect(await commands.execute(line)).toEqual({ kind: 'session', action })
  })

  test('/history shows who said what', async () => {
    expect(await run('/history', held)).toBe(
      ['you | What?', 'call | echo.echo', 'result | echo.echo: done, 12 ms', 'some/model | The answer.'].join('\n'),
    )
  })

  test('/conversations lists, searches, renames and deletes', async () => {
    const commands = await open(held)

    expect(shown(await commands.execute('/conversations'))).toContain('abc | 2026-11-15 00:00 | 3 | About ships')
    expect(shown(await commands.execute('/conversations no such words'))).toBe('info: None holds "no such words".')
    await commands.execute('/conversations rename abc All about ships')
    await commands.execute('/conversations delete abc')
    expect(commands.context.done).toEqual(['rename abc All about ships', 'remove abc'])
  })

  test('/model shows the models and uses another', async () => {
    const commands = await open(held)

    expect(shown(await commands.execute('/model'))).toContain('There is no model.')
    expect(shown(await commands.execute('/model openai/two'))).toBe('The model is now openai/two.')
  })

  test('/permissions shows them and takes one back', async () => {
    const commands = await open(held)

    expect(shown(await commands.execute('/permissions'))).toBe('p1 | git | all tools | in this project')
    await commands.execute('/permissions revoke p1')
    expect(commands.context.done).toEqual(['revoke p1'])
  })

  test('/queue shows what waits, takes one out, clears and goes on', async () => {
    const commands = await open(held)

    expect(shown(await commands.execute('/queue'))).toBe('1 | first\n2 | /second')
    expect(shown(await commands.execute('/queue remove 1'))).toBe('Taken out: 1. Waiting: 1.')
    expect(shown(await commands.execute('/queue clear'))).toBe('Taken out: 1. Waiting: 0.')
    await commands.execute('/queue resume')
    expect(commands.context.done).toEqual(['resume'])
  })

  test('/export writes a new file and never over one that is there', async () => {
    await using folder = await tempFolder()
    const commands = await open({ ...held, folder: folder.path })

    await commands.execute('/export my talk.json')
    const again = await commands.execute('/export my talk.json')
    await commands.execute('/export')

    expect(await readFile(join(folder.path, 'my talk.json'), 'utf8')).toBe('c1 as json')
    expect(await readFile(join(folder.path, 'conversation-c1.md'), 'utf8')).toBe('c1 as markdown')
    expect(again).toMatchObject({ kind: 'error', error: { message: expect.stringContaining('is there already') } })
  })
})

test('docs/commands.md has a row for every built-in command, and for no other', async () => {
  const rows = Array.from(readFileSync('docs/commands.md', 'utf8').matchAll(/^\| `\/([a-z]+)/gm), ([, name]) => name)
  const commands = await open()

  expect(rows).toEqual(commands.list().flatMap(({ kind, name }) => (kind === 'builtin' ? [name] : [])))
})

const at = new Date(2026, 10, 15).getTime()
const held: SessionLiterals = {
  conversations: [{ id: 'abc', title: 'About ships', changedAtMs: at, messages: 3 }],
  models: ['anthropic/one', 'openai/two'],
  permissions: [{ id: 'p1', scope: 'project', server: 'git' }],
  queue: ['first', '/second'],
  history: [
    { kind: 'start', version: 1, id: 'c1', atMs: at, folder: '/somewhere' },
    { kind: 'user', atMs: at, parts: [{ kind: 'text', text: 'What?' }] },
    {
      kind: 'reply',
      atMs: at,
      end: 'calls',
      model: 'some/model',
      parts: [{ kind: 'call', callId: '1', name: 'echo__echo', input: { kind: 'json', value: {} } }],
    },
    { kind: 'result', atMs: at, callId: '1', name: 'echo__echo', end: 'done', parts: [], ms: 12.3 },
    { kind: 'reply', atMs: at, end: 'complete', model: 'some/model', parts: [{ kind: 'text', text: 'The answer.' }] },
  ],
}
