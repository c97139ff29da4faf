import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { displayWidth } from '../../src/cli/render/width.ts'
import { fixture } from '../fixtures/fixture.ts'
import { world, type World } from './cli.ts'
import { linesOn, onTerminal } from './terminal.ts'
import { startsIn, traced } from './traced-server.ts'

const ctrlC = '\u0003'

interface Project extends World {
  readonly traces: Readonly<Record<'one' | 'two', string>>
  readonly trustFile: string
}

/** A user with the server `mine`, in a project that brings `one` and `two`. */
async function project(): Promise<Project> {
  const home = await world()
  const traces = { one: join(home.home, 'trace-one'), two: join(home.home, 'trace-two') }
  await home.write({
    '~/.config/capstan/mcp.json': { mcpServers: { mine: fixture('echo') } },
    '.mcp.json': { mcpServers: { one: traced(traces.one), two: traced(traces.two) } },
  })
  return { ...home, traces, trustFile: join(home.home, '.local/state/capstan/trust.json') }
}

const callOne = ['call', 'one.echo', 'message=hi']

describe('the question about a project’s servers', () => {
  test('is one for the file, lists its servers, and "all" runs them then and later', async () => {
    await using home = await project()
    await using first = onTerminal(home, ['list'])

    await first.shows(`${join(home.cwd, '.mcp.json')} wants to start servers`)
    await first.shows('Trust them? [all/choose/none]')
    expect([startsIn(home.traces.one), startsIn(home.traces.two)]).toEqual([0, 0])
    first.type('all\r')
    expect(await first.ended).toBe(0)
    await using second = onTerminal(home, ['list', '--fresh'])
    expect(await second.ended).toBe(0)

    expect(first.bytes().match(/Trust them\?/g)).toHaveLength(1)
    expect(second.bytes()).not.toContain('Trust')
    expect([startsIn(home.traces.one), startsIn(home.traces.two)]).toEqual([2, 2])
  })

  test('lets a person choose: what is refused does not run, now or later, and is not asked about again', async () => {
    await using home = await project()
    await using first = onTerminal(home, ['list'])

    await first.shows('Trust them?')
    first.type('choose\r')
    await first.shows('Trust one? [yes/no]')
    first.type('no\r')
    await first.shows('Trust two? [yes/no]')
    first.type('yes\r')
    expect(await first.ended).toBe(0)
    await using second = onTerminal(home, callOne)

    expect(await second.ended).toBe(5)
    expect(second.bytes()).toContain('was refused by you')
    expect(second.bytes()).not.toContain('Trust')
    expect([startsIn(home.traces.one), startsIn(home.traces.two)]).toEqual([0, 1])
  })

  test('is answered by "none" with exit code 5 where the server was the target', async () => {
    await using home = await project()
    await using terminal = onTerminal(home, callOne)

    await terminal.shows('Trust them?')
    terminal.type('none\r')

    expect(await terminal.ended).toBe(5)
    expect(startsIn(home.traces.one)).toBe(0)
  })

  test('is about the server that is needed only', async () => {
    await using home = await project()
    await using terminal = onTerminal(home, callOne)

    await terminal.shows('Trust them?')
    terminal.type('all\r')
    await terminal.shows('hi')

    expect(await terminal.ended).toBe(0)
    expect(terminal.bytes()).not.toContain('two')
    expect((await home.capstan(['call', 'two.echo', 'message=hi'])).code).toBe(5)
  })

  test.each([
    ['a call to another server', ['call', 'mine.echo', 'message=hi'], 0],
    ['--no-input', [...callOne, '--no-input'], 5],
    ['--json', [...callOne, '--json'], 5],
    ['--trust-project', [...callOne, '--trust-project'], 0],
  ])('is not asked for %s', async (_what, args, code) => {
    await using home = await project()
    await using terminal = onTerminal(home, args)

    expect(await terminal.ended).toBe(code)
    expect(terminal.bytes()).not.toContain('Trust')
  })

  test('is not asked by the session, which only says what waits', async () => {
    await using home = await project()
    await using terminal = onTerminal(home, [])

    await terminal.shows('capstan review')
    terminal.type('/exit\r')

    expect(await terminal.ended).toBe(0)
    expect(terminal.bytes()).not.toContain('Trust them?')
  })

  test('is left by Ctrl-C with exit code 130 and nothing changed', async () => {
    await using home = await project()
    await using terminal = onTerminal(home, callOne)

    await terminal.shows('Trust them?')
    terminal.type(ctrlC)

    expect(await terminal.ended).toBe(130)
    expect(existsSync(home.trustFile)).toBe(false)
    expect(startsIn(home.traces.one)).toBe(0)
  })

  test('is left by one SIGTERM, as every other wait', async () => {
    await using home = await project()
    await using terminal = onTerminal(home, callOne)

    await terminal.shows('Trust them?')
    process.kill(terminal.pid, 'SIGTERM')

    expect(await terminal.ended).toBe(130)
    expect(existsSync(home.trustFile)).toBe(false)
  })

  test('is given up at --timeout', async () => {
    await using home = await project()
    await using terminal = onTerminal(home, [...callOne, '--timeout', '2'])

    await terminal.shows('Trust them?')

    expect(await terminal.ended).toBe(4)
    expect(existsSync(home.trustFile)).toBe(false)
  })

  test('shows only the difference after a change', async () => {
    await using home = await project()
    await home.capstan(['review', '--all'])
    await home.write({
      '.mcp.json': { mcpServers: { one: traced(home.traces.one, ['--more']), two: traced(home.traces.two) } },
    })
    await using terminal = onTerminal(home, ['review'], { columns: 400 })

    await terminal.shows('one has changed:')
    await terminal.shows('args:')
    await terminal.shows('Trust them?')
    terminal.type('all\r')

    expect(await terminal.ended).toBe(0)
    expect(terminal.bytes()).not.toContain('two')
    expect(terminal.bytes()).not.toContain('command:')
  })
})

describe('progress', () => {
  test.each([40, 120])('is a bar on one line of %i columns, and is gone when the result stands', async (columns) => {
    await using home = await project()
    await using terminal = onTerminal(home, ['call', 'mine.slow', 'ms=200', 'steps=4'], { columns })

    await terminal.shows('█')
    expect(await terminal.ended).toBe(0)

    expect(linesOn(terminal)).toEqual(['done', ''])
    const drawn = terminal
      .bytes()
      .split('\r\u001B[K')
      .filter((line) => line.includes('step'))
    expect(drawn).toHaveLength(4)
    expect(Math.max(...drawn.map(displayWidth))).toBeLessThan(columns)
  })

  test('is gone after an error too', async () => {
    await using home = await project()
    await using terminal = onTerminal(home, ['call', 'mine.slow', 'ms=60000', 'steps=600', '--timeout', '4'])

    await terminal.shows('█')
    expect(await terminal.ended).toBe(4)

    expect(linesOn(terminal).join('\n')).not.toContain('█')
  })

  test('is gone after Ctrl-C, with exit code 130', async () => {
    await using home = await project()
    await using terminal = onTerminal(home, ['call', 'mine.slow', 'ms=60000', 'steps=600'])

    await terminal.shows('█')
    terminal.type(ctrlC)

    expect(await terminal.ended).toBe(130)
    expect(linesOn(terminal).join('\n')).not.toContain('█')
  })
})

describe('text of a server', () => {
  test('reaches the terminal without its control sequences', async () => {
    await using home = await project()
    await using terminal = onTerminal(home, ['call', 'mine.control'])

    expect(await terminal.ended).toBe(0)
    expect(terminal.bytes()).toBe('red bell end\r\n')
  })

  test('in an error reaches the terminal without its control sequences', async () => {
    await using home = await project()
    await using terminal = onTerminal(home, ['call', 'mine.fail', 'reason=\u001B]0;owned\u0007\u001B[2Jrain'])

    expect(await terminal.ended).toBe(1)
    expect(terminal.bytes()).toBe('Failed: rain\r\n')
  })

  test('that is no text is named on a terminal, not thrown at it', async () => {
    await using home = await project()
    await using terminal = onTerminal(home, ['read', 'data://bytes', '--server', 'mine'])

    expect(await terminal.ended).toBe(0)
    expect(linesOn(terminal)).toEqual(['[application/octet-stream, 4 bytes; pass --save DIR to keep it]', ''])
  })

  test.each([40, 120])('is listed within %i columns, with colours unless NO_COLOR is set', async (columns) => {
    await using home = await project()
    await using coloured = onTerminal(home, ['list', 'mine'], { columns })
    await using plain = onTerminal(home, ['list', 'mine'], { columns, env: { NO_COLOR: '1' } })

    expect([await coloured.ended, await plain.ended]).toEqual([0, 0])
    expect(coloured.bytes()).toContain('\u001B[')
    expect(plain.bytes()).not.toContain('\u001B[')
    expect(Math.max(...linesOn(plain).map(displayWidth))).toBeLessThanOrEqual(columns)
  })
})

describe('an input', () => {
  test('of a server is asked for without showing the answer, kept for its owner alone, and not asked again', async () => {
    await using home = await world()
    const entry = { ...fixture('echo'), env: { KEY: '${input:api-key}' } }
    const inputs = [{ id: 'api-key', type: 'promptString', description: 'The API key', password: true }]
    await home.write({ '~/.config/capstan/mcp.json': { inputs, mcpServers: { one: entry } } })
    const call = ['call', 'one.env', 'name=KEY']
    await using asked = onTerminal(home, [...call, '--save', 'x'])

    await asked.shows('The API key (server "one"):')
    asked.type('s3cret\r')
    expect(await asked.ended).toBe(0)
    const later = await home.capstan(call)

    expect(asked.bytes().split('s3cret')).toHaveLength(2)
    expect(asked.bytes().trimEnd()).toMatch(/\ns3cret$/)
    expect(later).toMatchObject({ code: 0, stdout: 's3cret\n' })
    const file = join(home.home, '.local/state/capstan/inputs.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('that nobody can answer fails its server, with the variable that answers it', async () => {
    await using home = await world()
    const entry = { ...fixture('echo'), env: { KEY: '${input:api-key}' } }
    await home.write({ '~/.config/capstan/mcp.json': { mcpServers: { one: entry } } })
    const call = ['call', 'one.env', 'name=KEY']

    const without = await home.capstan(call)
    const given = await home.capstan(call, { env: { CAPSTAN_INPUT_API_KEY: 'from outside' } })

    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('CAPSTAN_INPUT_API_KEY') })
    expect(given.stdout).toBe('from outside\n')
  })

  test('is left by Ctrl-C with exit code 130, and nothing is kept', async () => {
    await using home = await world()
    const entry = { ...fixture('echo'), env: { KEY: '${input:api-key}' } }
    await home.write({ '~/.config/capstan/mcp.json': { mcpServers: { one: entry } } })
    await using terminal = onTerminal(home, ['call', 'one.env', 'name=KEY'])

    await terminal.shows('Value of "api-key"')
    terminal.type(ctrlC)

    expect(await terminal.ended).toBe(130)
    expect(existsSync(join(home.home, '.local/state/capstan/inputs.json'))).toBe(false)
  })
})

describe('import', () => {
  test('asks which servers to copy and copies those', async () => {
    await using home = await world()
    await home.write({ '~/.cursor/mcp.json': { mcpServers: { weather: fixture('echo'), notes: fixture('paged') } } })
    await using terminal = onTerminal(home, ['import'])

    await terminal.shows('Copy which servers')
    terminal.type('weather\r')

    expect(await terminal.ended).toBe(0)
    const written: unknown = JSON.parse(await readFile(join(home.home, '.config/capstan/mcp.json'), 'utf8'))
    expect(written).toEqual({ mcpServers: { weather: expect.anything() } })
  })

  test.each([
    ['an empty answer', '\r', 0],
    ['Ctrl-C', ctrlC, 130],
  ])('copies nothing after %s', async (_what, keys, code) => {
    await using home = await world()
    await home.write({ '~/.cursor/mcp.json': { mcpServers: { weather: fixture('echo') } } })
    await using terminal = onTerminal(home, ['import'])

    await terminal.shows('Copy which servers')
    terminal.type(keys)

    expect(await terminal.ended).toBe(code)
    expect(existsSync(join(home.home, '.config/capstan/mcp.json'))).toBe(false)
  })
})
