import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { bin, world, type Outcome, type World } from './cli.ts'

const down = { command: 'no-such-program-here' }
let home: World

beforeAll(async () => {
  home = await world()
  await home.write({
    '~/.config/capstan/mcp.json': {
      mcpServers: {
        one: { ...fixture('echo'), deny: ['erase'] },
        off: { command: 'x', disabled: true },
      },
    },
    'mixed.json': { mcpServers: { one: fixture('echo'), gone: down, wrong: { command: 3 } } },
    'down.json': { mcpServers: { gone: down, lost: fixture('exits-at-start') } },
    'silent.json': { mcpServers: { silent: { ...fixture('never-answers'), startTimeout: 0.3 } } },
    'broken.json': '{"mcpServers": ',
  })
})
afterAll(() => home[Symbol.asyncDispose]())

describe.concurrent('stdout holds the result and nothing else', () => {
  test.each([
    ['call', ['call', 'one.echo', 'message=hello'], 'hello\n'],
    ['call of text that ends its line', ['call', 'one.echo', 'message=hello\n'], 'hello\n'],
    ['call of something empty', ['call', 'one.empty'], ''],
    ['call with a resource link', ['call', 'one.link'], 'note://one\n'],
    ['prompt', ['prompt', 'one:talk'], '[user]\nWhat stands in the note?\n[assistant]\nI will look.\n[user]\n# One\n'],
    ['read of text', ['read', 'note://one'], '# One\n'],
    ['read of bytes', ['read', 'data://bytes'], '\u0000\u0001\u0002\u0003'],
    ['read through a template', ['read', 'person://ada'], 'This is ada.\n'],
    ['--version', ['--version'], expect.stringMatching(/^\d+\.\d+\.\d+\n$/)],
    ['list', ['list', 'one'], expect.stringMatching(/^one {2}25 tools/)],
    ['list --ts', ['list', 'one', '--ts'], expect.stringContaining('echo(a:{message:string}):R')],
    ['inspect', ['inspect', 'one.echo'], expect.stringMatching(/^one\.echo/)],
    ['config', ['config'], expect.stringContaining('one')],
    ['doctor', ['doctor', 'one'], expect.stringContaining('one')],
    ['the overview', [], expect.stringMatching(/^Servers\n/)],
  ])('of %s', async (_what, args, expected) => {
    const { code, stdout, stderr } = await home.capstan(args)

    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: expected, stderr: '' })
  })

  test('also when there is progress, which is told on stderr', async () => {
    const { stdout, stderr } = await home.capstan(['call', 'one.slow', 'ms=20', 'steps=2'])

    expect(stdout).toBe('done\n')
    expect(stderr).toBe('1/2 step 1\n2/2 step 2\n')
  })

  test('also when the output breaks its schema, which is a warning on stderr', async () => {
    const { code, stdout, stderr } = await home.capstan(['call', 'one.bad-structured'])

    expect([code, stdout]).toEqual([0, 'warm\n'])
    expect(stderr).toMatch(/^warning: .*does not fit its own schema/)
  })

  test('also with --debug, which shows the protocol on stderr', async () => {
    const { stdout, stderr } = await home.capstan(['call', 'one.echo', 'message=hello', '--debug'])

    expect(stdout).toBe('hello\n')
    expect(stderr).toMatch(/^one → \{.*"method":"tools\/call"/m)
    expect(stderr).toMatch(/^one ← \{.*"hello"/m)
  })

  test('also when it fails: the reason is on stderr, with what to do next', async () => {
    const { stdout, stderr } = await home.capstan(['call', 'one.echo'])

    expect(stdout).toBe('')
    expect(stderr).toMatch(/^capstan: .*"message" is missing.*\n {2}→ Run: capstan inspect one\.echo\n$/)
  })
})

describe.concurrent('every exit code', () => {
  test.each([
    [0, 'a call that works', ['call', 'one.echo', 'message=x']],
    [1, 'a tool that reports an error', ['call', 'one.fail']],
    [1, 'a doctor that found something', ['doctor', '--config', 'mixed.json']],
    [2, 'a flag that does not exist', ['list', '--frobnicate']],
    [2, 'a verb that does not exist', ['lst']],
    [2, 'a tool that does not exist', ['call', 'one.nope']],
    [2, 'a server that does not exist', ['list', 'nope']],
    [2, 'a prompt that does not exist', ['prompt', 'one:nope']],
    [2, 'a resource that does not exist', ['read', 'nope://x']],
    [2, 'a missing argument', ['call', 'one.echo']],
    [2, 'an argument of the wrong type', ['call', 'one.add', 'a=seven']],
    [2, 'a disabled server', ['call', 'off.x']],
    [2, 'a config that does not parse', ['list', '--config', 'broken.json']],
    [2, 'a config that is not there', ['list', '--config', 'nope.json']],
    [2, 'a server that is written wrongly', ['call', 'wrong.x', '--config', 'mixed.json']],
    [2, 'a timeout that is no number', ['list', '--timeout', 'soon']],
    [3, 'a server that cannot start', ['call', 'gone.x', '--config', 'mixed.json']],
    [3, 'a list of servers that are all down', ['list', '--config', 'down.json']],
    [3, 'a server that dies in the call', ['call', 'one.exit']],
    [4, 'a call that takes too long', ['call', 'one.slow', 'ms=60000', '--timeout', '0.6']],
    [4, 'a server that takes too long to start', ['call', 'silent.x', '--config', 'silent.json']],
    [5, 'a tool that is denied', ['call', 'one.erase']],
  ])('%i is for %s, told in words and in JSON alike', async (expected, _what, args) => {
    const [plain, json] = await Promise.all([home.capstan(args), home.capstan([...args, '--json'])])

    expect([plain.code, json.code]).toEqual([expected, expected])
    expect(plain.stderr).not.toMatch(/^\s+at /m)
    expect(json.stdout).toMatch(/^[^\n]+\n$/)
    expect(() => JSON.parse(json.stdout) as unknown).not.toThrow()
  })

  test('130 is for an interruption', async () => {
    const running = home.start(['call', 'one.slow', 'ms=60000', 'steps=1000', '--json'])
    await once(running.child.stderr ?? running.child, 'data')

    running.child.kill('SIGINT')
    const { code, stdout } = await running.ended

    expect(code).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'cancelled' } })
  })

  test('70 is for a bug of ours, which is called one, without a stack trace unless --debug asks for it', async () => {
    const breakage = `Object.hasOwn = () => { throw new TypeError('broken on purpose') }`
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(breakage)}` }

    const [plain, json, debug] = await Promise.all(
      [['list'], ['list', '--json'], ['list', '--debug']].map((args) => home.capstan(args, { env })),
    )

    expect([plain?.code, json?.code, debug?.code]).toEqual([70, 70, 70])
    expect(plain?.stderr).toMatch(/^capstan: broken on purpose\n {2}→ This is a bug of Capstan\. .*--debug.*\n$/)
    expect(JSON.parse(json?.stdout ?? '')).toEqual({ error: { code: 'bug', message: 'broken on purpose' } })
    expect(debug?.stderr).toMatch(/^\s+at /m)
  })
})

describe.concurrent('--json', () => {
  test.each([
    ['call', ['call', 'one.mixed'], { content: [{ type: 'text' }, { type: 'image' }, { type: 'text' }] }],
    ['prompt', ['prompt', 'one:talk'], { messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }] }],
    ['read', ['read', 'data://bytes'], { contents: [{ blob: 'AAECAw==' }] }],
    ['inspect', ['inspect', 'one.add'], { id: 'one.add', inputSchema: { required: ['a'] } }],
    ['list', ['list', 'one', '--fresh'], { servers: [{ name: 'one', state: { kind: 'ready' } }] }],
    ['doctor', ['doctor', 'one'], { ok: true, servers: [{ name: 'one' }] }],
    ['config', ['config'], {}],
    ['review', ['review'], { servers: [] }],
    ['import', ['import'], {}],
    ['the overview', [], { servers: [{ name: 'off' }, { name: 'one', tools: 25 }] }],
  ])('makes %s print one JSON value', async (_what, args, expected) => {
    const { code, stdout, stderr } = await home.capstan([...args, '--json'])

    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject(expected)
  })

  test('tells a failure with code, message, server and next step, and nothing on stderr', async () => {
    const { stdout, stderr } = await home.capstan(['call', 'one.erase', '--json'])

    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'not_allowed', message: expect.any(String), server: 'one', next: expect.any(String) },
    })
    expect(stderr).toBe('')
  })

  test('keeps control sequences as they came', async () => {
    const { stdout } = await home.capstan(['call', 'one.control', '--json'])

    const { content } = JSON.parse(stdout) as { readonly content: readonly { readonly text: string }[] }
    expect(content[0]?.text).toContain('\u001B[31mred')
  })

  test('tells a tool’s own error as the result it is', async () => {
    const { code, stdout } = await home.capstan(['call', 'one.fail', 'reason=rain', '--json'])

    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({ isError: true, content: [{ type: 'text', text: 'Failed: rain' }] })
  })
})

describe.concurrent('servers that are down', () => {
  test('are named on stderr while the others are listed, with exit code 0', async () => {
    const { code, stdout, stderr } = await home.capstan(['list', '--config', 'mixed.json'])

    expect(code).toBe(0)
    expect(stdout).toContain('one  25 tools')
    expect(stderr).toMatch(/^gone: .*no-such-program-here/m)
    expect(stderr).toMatch(/^wrong: .*command must be a text/m)
  })

  test('do not disturb a call to another one, and are not even mentioned', async () => {
    const { code, stdout, stderr } = await home.capstan(['call', 'one.echo', 'message=x', '--config', 'mixed.json'])

    expect([code, stdout, stderr]).toEqual([0, 'x\n', ''])
  })

  test('are named when a bare name was found nowhere, because they might have it', async () => {
    const { code, stderr } = await home.capstan(['call', 'nope', '--config', 'mixed.json'])

    expect(code).toBe(2)
    expect(stderr).toContain('These servers did not answer: gone, wrong.')
  })
})

describe.concurrent('a large result', () => {
  const size = 10 * 2 ** 20

  test('of 10 MB arrives whole through a pipe', async () => {
    const { code, stdout } = await home.capstan(['call', 'one.big', `bytes=${size}`])

    expect(code).toBe(0)
    expect(stdout.length).toBe(size + 1)
  })

  test.each([[[]], [['--json']]])('may lose its reader, as with head %o: no stack trace, no hang', async (flags) => {
    const running = home.start(['call', 'one.big', `bytes=${size}`, ...flags])
    const stdout = running.child.stdout

    stdout?.once('data', () => stdout.destroy())
    const { code, stderr } = await running.ended

    expect([code, stderr]).toEqual([0, ''])
  })
})

test('no colour is used in a pipe, whatever NO_COLOR says', async () => {
  const { stdout } = await home.capstan(['list', 'one'], { env: { NO_COLOR: '1' } })

  expect(stdout).not.toContain('\u001B')
})

describe.skipIf(process.platform !== 'linux')('a place that fails', () => {
  test('to take the output is told in a sentence, with exit code 2', async () => {
    const command = `"${process.execPath}" "${bin}" call one.echo message=hi > /dev/full`

    const { code, stderr } = await shell(command, home.cwd)

    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^capstan: The output cannot be written: ENOSPC[^\n]*\n$/),
    ])
  })

  test('to be there any more is told in a sentence, with exit code 2, and help works all the same', async () => {
    const run = `"${process.execPath}" "${bin}"`

    const { code, stdout, stderr } = await shell(
      `mkdir gone && cd gone && rmdir ../gone && ${run} --version && ${run} list`,
      home.cwd,
    )

    expect([code, stderr]).toEqual([2, expect.stringContaining('The current folder does not exist any more')])
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

async function shell(command: string, cwd: string): Promise<Outcome> {
  const env = { PATH: process.env['PATH'], HOME: home.home, CAPSTAN_DAEMON: 'off' }
  const child = spawn('sh', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: code as number | null, stdout, stderr }
}
