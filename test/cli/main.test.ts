import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Io } from '../../src/cli/command.ts'
import { main } from '../../src/cli/main.ts'
import { CapstanError } from '../../src/errors.ts'
import { tempFolder, type TempFolder } from '../config/temp-folder.ts'
import { fixture } from '../fixtures/fixture.ts'
import { startHttpServer } from '../fixtures/http-server.ts'
import { person, type PersonOptions } from './person.ts'

let folder: TempFolder

beforeAll(async () => {
  folder = await tempFolder()
  const user = { mcpServers: { one: fixture('echo'), odd: { ...fixture('echo'), timout: 3 } } }
  await folder.write({
    'home/.config/capstan/mcp.json': JSON.stringify(user),
    'project/.mcp.json': JSON.stringify({ mcpServers: { theirs: fixture('echo') } }),
    'elsewhere/other.json': JSON.stringify({ mcpServers: { other: fixture('paged') } }),
  })
})
afterAll(() => folder[Symbol.asyncDispose]())

interface Run extends Pick<PersonOptions, 'isAtTerminal' | 'types'> {
  readonly cwd?: string
  readonly interrupted?: AbortSignal
  readonly io?: Partial<Io>
}

async function run(argv: readonly string[], options: Run = {}) {
  const { cwd = 'elsewhere', interrupted = new AbortController().signal, io = {}, ...typing } = options
  const env = { HOME: join(folder.path, 'home'), PATH: process.env['PATH'] }
  const somebody = person({ ...typing, env, cwd: join(folder.path, cwd) })
  const code = await main(argv, { ...somebody.io, ...io }, interrupted)
  return { code, out: somebody.printed(), err: somebody.said() }
}

const callOne = ['call', 'one.echo', 'message=hi']

describe('the command line', () => {
  test('runs a verb and prints its result', async () => {
    expect(await run(callOne)).toEqual({ code: 0, out: 'hi\n', err: expect.stringContaining('timout') })
  })

  test('takes flags before and behind the verb', async () => {
    const [before, behind] = [
      await run(['--config', 'other.json', 'list', '--ts']),
      await run(['list', '--ts', '--config', 'other.json']),
    ]

    expect(before).toMatchObject({ code: 0, out: expect.stringContaining('"tool-1"') })
    expect(before).toEqual(behind)
  })

  test.each([
    [['--help'], 'Flags of every command'],
    [['-h'], 'Flags of every command'],
    [['help'], 'Flags of every command'],
    [['help', 'names'], 'Names are looked up, never split'],
    [['help', 'list'], 'capstan list [server…]'],
    [['list', '--help'], 'capstan list [server…]'],
    [['invoke', '-h'], 'capstan call TOOL'],
    [['--version'], '.'],
  ])('%j prints help and reaches no server', async (argv, text) => {
    expect(await run(argv)).toEqual({ code: 0, out: expect.stringContaining(text), err: '' })
  })

  test.each([
    [['lits'], 'There is no command "lits"', 'capstan list'],
    [['xyzzy-nothing'], 'There is no command', 'capstan --help'],
    [['list', '--nope'], 'There is no flag "--nope" here.', 'Run: capstan help list'],
    [['--nope'], 'There is no flag "--nope" here.', 'Run: capstan --help'],
    [['list', '--tokns'], 'There is no flag "--tokns" here.', 'Did you mean --tokens? All flags: capstan help list'],
    [['list', '--timeout', '-1'], '--timeout wants a value, and "-1" looks like', 'write: --timeout=-1.'],
    [['list', '--timeout'], '--timeout wants a value.', 'Run: capstan help list'],
    [['list', '--all=yes'], '--all takes no value.', 'Run: capstan help list'],
    [['add', 'one', 'npx', '-y', 'a b'], 'There is no flag "-y" here.', "capstan add one -- npx -y 'a b'"],
    [['add', 'one', '--env', 'A=1', 'npx', '-y', 'x'], 'no flag "-y"', 'capstan add NAME -- COMMAND'],
    [['add', 'one', '--cwd'], '--cwd wants a value.', 'Run: capstan help add'],
    [['add', 'one', '--nope', '--', 'npx'], 'There is no flag "--nope" here.', 'Run: capstan help add'],
    [['list', '--config'], '--config', 'capstan help list'],
    [['list', '--timeout', '0'], '--timeout wants a number', ''],
    [['list', '--timeout', 'Infinity'], '--timeout wants a number', ''],
    [['list', '--timeout', '9999999'], '--timeout wants a number', ''],
    [['constructor'], 'There is no command "constructor"', 'capstan'],
    [['help', 'toString'], 'There is no command "toString"', 'capstan'],
    [['list', '--stdio', 'a', '--url', 'b'], 'either --stdio or --url', ''],
    [['list', '--url', 'http://x', '--header', 'bad'], 'NAME=VALUE', ''],
  ])('%j is a mistake of use: exit code 2 and what to do', async (argv, message, next) => {
    const { code, out, err } = await run(argv)

    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
    expect(err).toContain(next)
  })

  test('tells a failure as JSON on stdout with --json, also when the flags themselves are wrong', async () => {
    const { code, out, err } = await run(['list', '--nope', '--json'])

    expect([code, err]).toEqual([2, ''])
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'usage' } })
  })

  test('does not take the words of somebody else’s command for its own flags', async () => {
    const { out, err } = await run(['add', 'bad name', '--', 'prog', '--json', '--debug'])

    expect(out).toBe('')
    expect(err).toMatch(/^capstan: /)
    expect(err).not.toMatch(/^\s+at /m)
  })

  test('with --debug shows the protocol, the stack of a failure, and what caused it', async () => {
    const { err } = await run(['call', 'one.echo', 'message=@nope.txt', '--debug'])

    expect(err).toMatch(/^CapstanError: .*nope\.txt[^]*\n\s+at /m)
    expect(err).toMatch(/^caused by Error: ENOENT/m)
  })

  test('cleans what a server says in its error', async () => {
    const { err } = await run(['call', 'one.nope\u001B[2J'])

    expect(err).not.toContain('\u001B')
  })

  test('names commands as somebody types them who started it with npx, and not in machine output', async () => {
    const io = { env: { HOME: join(folder.path, 'home'), PATH: process.env['PATH'], npm_command: 'exec' } }
    const [help, topic, overall, failure, own, result, json] = [
      await run(['help', 'list'], { io }),
      await run(['help', 'policy'], { io }),
      await run(['--help'], { io }),
      await run(['lits'], { io }),
      await run(['inspect', 'one.echo'], { io }),
      await run(['call', 'one.echo', 'message=capstan list'], { io }),
      await run(['lits', '--json'], { io }),
    ]

    expect(help.out).toMatch(/^npx capstan list \[server…\]/)
    expect(topic.out).toContain('npx capstan review')
    expect(overall.out).toContain('Usage: npx capstan [command]')
    expect(failure.err).toContain('Did you mean: npx capstan list')
    expect(own.out).toContain('npx capstan call one.echo')
    expect(result.out).toBe('capstan list\n')
    expect(json.out).toContain('Did you mean: capstan list')
  })

  test('breaks the lines of a failure at the width of a terminal', async () => {
    const { err } = await run(['list', '--timeout', '0'], { isAtTerminal: true, io: { columns: 30 } })

    expect(err).toBe('capstan: --timeout wants a\nnumber of seconds above 0 and\nup to 2147483, not "0".\n')
  })

  test('calls a bug a bug: exit code 70', async () => {
    const out = () => Promise.reject(new TypeError('x is not a function'))

    const { code, err } = await run(['--version'], { io: { out } })

    expect(code).toBe(70)
    expect(err).toBe(
      'capstan: x is not a function\n  → This is a bug of Capstan. Run again with --debug and report what it prints.\n',
    )
  })

  test('ends with 130 when it is interrupted', async () => {
    const interrupted = AbortSignal.abort(new CapstanError('cancelled', 'Interrupted.'))

    expect(await run(callOne, { interrupted })).toMatchObject({
      code: 130,
      out: '',
      err: expect.stringContaining('Interrupted.'),
    })
  })

  test('takes a timeout that is no whole number of milliseconds', async () => {
    expect(await run([...callOne, '--timeout', '20.0055'])).toMatchObject({ code: 0, out: 'hi\n' })
  })

  test('ends with 4 when --timeout has passed', async () => {
    const { code, err } = await run(['call', 'one.slow', 'ms=60000', '--timeout', '1'])

    expect([code, err]).toEqual([4, expect.stringContaining('--timeout')])
  })
})

describe('a server that stands in no file', () => {
  test('is given with --url and --header, in either spelling', async () => {
    await using server = await startHttpServer({ token: 'sesame' })
    const flags = ['--url', server.url, '--header', 'Authorization: Bearer sesame', '--header', 'X-Trace=1']

    expect(await run(['call', 'echo', 'message=hi', ...flags])).toEqual({ code: 0, out: 'hi\n', err: '' })
    expect(server.requests.at(-1)?.headers).toMatchObject({ 'x-trace': '1' })
  })

  test('is given with --stdio', async () => {
    const { command, args } = fixture('echo')

    expect(await run(['call', 'echo', 'message=hi', '--stdio', `${command} '${args[0]}'`])).toMatchObject({
      out: 'hi\n',
    })
  })
})

describe('a person at a terminal', () => {
  const atTerminal = { cwd: 'project', isAtTerminal: true }
  const callTheirs = ['call', 'theirs.echo', 'message=hi']

  test('is not asked with --no-input or --json, and cannot be asked in a pipe', async () => {
    const outcomes = await Promise.all([
      run([...callTheirs, '--no-input'], atTerminal),
      run([...callTheirs, '--json'], atTerminal),
      run(callTheirs, { cwd: 'project' }),
    ])

    expect(outcomes.map(({ code }) => code)).toEqual([5, 5, 5])
    expect(outcomes.some(({ err }) => err.includes('Trust'))).toBe(false)
  })

  test('is not asked with --trust-project', async () => {
    expect(await run([...callTheirs, '--trust-project'], atTerminal)).toMatchObject({ code: 0, out: 'hi\n' })
  })

  test('is asked once about a project’s servers, and what is trusted runs', async () => {
    const first = await run(callTheirs, { ...atTerminal, types: 'all\r' })
    const second = await run(callTheirs, { cwd: 'project' })

    expect(first).toMatchObject({ code: 0, out: 'hi\n', err: expect.stringContaining('Trust them?') })
    expect(second).toMatchObject({ code: 0, out: 'hi\n' })
  })

  test('is asked for the inputs of a server', async () => {
    const inputs = [
      { id: 'colour', type: 'pickString', description: 'Which colour', options: ['red', 'blue'], default: 'red' },
    ]
    const entry = { ...fixture('echo'), env: { COLOUR: '${input:colour}' } }
    await folder.write({ 'elsewhere/asks.json': JSON.stringify({ inputs, mcpServers: { asks: entry } }) })

    const { out, err } = await run(['call', 'asks.env', 'name=COLOUR', '--config', 'asks.json'], {
      isAtTerminal: true,
      types: 'blue\r',
    })

    expect(out).toBe('blue\n')
    expect(err).toContain('Which colour (server "asks"): [red/blue] (red)')
  })
})
