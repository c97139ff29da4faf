import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { dialHub } from '../../src/daemon/dial.ts'
import { daemonSocket } from '../../src/daemon/socket-path.ts'
import { listen } from '../../src/daemon/serve.ts'
import { fixture } from '../fixtures/fixture.ts'
import { isRunning, processesWith, world, type RunOptions, type World } from '../e2e/cli.ts'
import { openTestHub, temporaryFolder, textOf } from '../hub/makers.ts'

const patience = { timeout: 20_000 }

interface Workplace extends World {
  readonly warm: (args: readonly string[], options?: RunOptions) => ReturnType<World['capstan']>
  readonly socket: string
  /** A word in the command line of every server and of the daemon of this workplace. */
  readonly marker: string
}

/** A home with servers, and commands that use the daemon; it is stopped at the end. */
async function workplace(servers: Readonly<Record<string, unknown>> = {}): Promise<Workplace> {
  const home = await world()
  const marker = home.home
  await home.write({
    '~/.config/capstan/mcp.json': { mcpServers: { one: fixture('echo', { args: [marker] }), ...servers } },
  })
  const warm: Workplace['warm'] = (args, options = {}) =>
    home.capstan(args, { ...options, env: { CAPSTAN_DAEMON: 'on', ...options.env } })
  return {
    ...home,
    warm,
    marker,
    socket: daemonSocket({ HOME: home.home }),
    async [Symbol.asyncDispose]() {
      await warm(['stop'])
      await home[Symbol.asyncDispose]()
    },
  }
}

async function pidOf(place: Workplace, options?: RunOptions): Promise<number> {
  return Number((await place.warm(['call', 'one.pid'], options)).stdout)
}

async function daemonPid(place: Workplace): Promise<number> {
  return (JSON.parse((await place.warm(['status', '--json'])).stdout) as { daemon: { pid: number } }).daemon.pid
}

describe('the daemon', () => {
  test('is started by the first command that needs a server, says so once, and keeps the server', async () => {
    await using place = await workplace()

    const first = await place.warm(['call', 'one.count'])
    const second = await place.warm(['call', 'one.count'])

    expect([first.stdout, second.stdout]).toEqual(['1\n', '2\n'])
    expect(first.stderr).toMatch(/kept warm.*--no-daemon/)
    expect(second.stderr).toBe('')
  })

  test('is not started by help, config, a server that is in no file, or --no-daemon', async () => {
    await using place = await workplace()
    const adhoc = `${process.execPath} ${fixture('echo').args[0]}`

    await place.warm(['--help'])
    await place.warm(['config'])
    await place.warm(['call', 'pid', '--stdio', adhoc])
    await place.warm(['call', 'one.pid', '--no-daemon'])
    await place.warm(['call', 'one.pid'], { env: { CAPSTAN_DAEMON: 'off' } })

    expect(existsSync(place.socket)).toBe(false)
  })

  test('is off in CI unless asked for', async () => {
    await using place = await workplace()

    await place.capstan(['call', 'one.pid'], { env: { CI: 'true' } })
    expect(existsSync(place.socket)).toBe(false)
    await place.warm(['call', 'one.pid'], { env: { CI: 'true' } })

    expect(existsSync(place.socket)).toBe(true)
  })

  test('twenty first commands at once start exactly one', async () => {
    await using place = await workplace()

    const outcomes = await Promise.all(Array.from({ length: 20 }, () => place.warm(['call', 'one.pid'])))

    expect(outcomes.filter((outcome) => outcome.code !== 0)).toEqual([])
    expect(new Set(outcomes.map((outcome) => outcome.stdout)).size).toBe(1)
    const log = readFileSync(join(place.home, '.local/state/capstan/daemon.log'), 'utf8')
    expect(log.match(/ready/g)).toHaveLength(1)
  })

  test('a killed daemon is replaced by the next command, and leaves no server behind', async () => {
    await using place = await workplace({ stubborn: fixture('ignores-term', { args: [randomUUID()] }) })
    await place.warm(['call', 'stubborn.pids'])
    const stubborn = JSON.parse((await place.warm(['call', 'stubborn.pids'])).stdout) as readonly number[]
    const before = await pidOf(place)
    const pid = await daemonPid(place)

    process.kill(pid, 'SIGKILL')
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), patience)
    const after = await pidOf(place)

    expect(after).not.toBe(before)
    await vi.waitFor(() => expect([before, ...stubborn].filter(isRunning)).toEqual([]), patience)
  })

  test('a stale socket is cleaned away', async () => {
    await using place = await workplace()
    await mkdir(join(place.home, '.local/state/capstan'), { recursive: true, mode: 0o700 })
    writeFileSync(place.socket, '')

    const { code, stdout } = await place.warm(['call', 'one.count'])

    expect([code, stdout]).toEqual([0, '1\n'])
  })

  test('stop ends the daemon and everything it runs', async () => {
    await using place = await workplace()
    const server = await pidOf(place)
    const daemon = await daemonPid(place)

    await place.warm(['stop'])

    await vi.waitFor(() => expect([server, daemon].filter(isRunning)).toEqual([]), patience)
    expect(processesWith(place.marker)).toEqual([])
  })

  test('leaves by itself when nobody has come for a while', async () => {
    await using place = await workplace()
    await place.warm(['call', 'one.pid'], { env: { CAPSTAN_DAEMON_IDLE: '1' } })

    await vi.waitFor(() => expect(processesWith(place.marker)).toEqual([]), patience)
  })

  test('a server that dies is back for the next command', async () => {
    await using place = await workplace()
    const first = await pidOf(place)

    process.kill(first, 'SIGKILL')
    await vi.waitFor(() => expect(isRunning(first)).toBe(false), patience)
    const second = await pidOf(place)

    expect(second).not.toBe(first)
    expect((await place.warm(['status', '--json'])).stdout).toContain('"restarts":1')
  })

  test('a changed entry is picked up by the next command, and only its server is started anew', async () => {
    await using place = await workplace({ two: fixture('echo') })
    const pidOfTwo = async () => Number((await place.warm(['call', 'two.pid'])).stdout)
    const [one, two] = [await pidOf(place), await pidOfTwo()]

    await place.write({
      '~/.config/capstan/mcp.json': {
        mcpServers: { one: fixture('echo', { args: [place.marker] }), two: fixture('echo', { args: ['other'] }) },
      },
    })

    expect(await pidOf(place)).toBe(one)
    expect(await pidOfTwo()).not.toBe(two)
  })

  test('Ctrl-C cancels the call at the server, and the daemon goes on', async () => {
    const file = join(await temporaryFolder(), 'cancels')
    await using place = await workplace({ waits: fixture('asks-cancel', { args: [file] }) })
    await place.warm(['list', 'waits'])
    const running = place.start(['call', 'waits.wait'], { env: { CAPSTAN_DAEMON: 'on' } })
    await vi.waitFor(
      async () => expect((await place.warm(['status', '--json'])).stdout).toContain('"calls":1'),
      patience,
    )

    running.child.kill('SIGINT')

    expect((await running.ended).code).toBe(130)
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), patience)
    expect((await place.warm(['call', 'one.count'])).code).toBe(0)
  })

  test('a project server waits for approval behind the daemon too, and runs as soon as it has it', async () => {
    const trace = join(await temporaryFolder(), 'trace')
    await using place = await workplace()
    await place.write({
      '.mcp.json': {
        mcpServers: {
          theirs: {
            command: 'sh',
            args: ['-c', `touch ${trace}; exec ${process.execPath} ${fixture('echo').args[0]}`],
          },
        },
      },
    })

    const refused = await place.warm(['call', 'theirs.pid'])
    expect([refused.code, existsSync(trace)]).toEqual([5, false])
    await place.warm(['review', '--all'])

    expect((await place.warm(['call', 'theirs.pid'])).code).toBe(0)
  })

  test('another version is replaced without losing the calls it has under way', async () => {
    await using place = await workplace()
    await mkdir(join(place.home, '.local/state/capstan'), { recursive: true, mode: 0o700 })
    await using hub = await openTestHub({ one: fixture('echo') })
    let hasRetired = false
    const old = await listen(place.socket, {
      version: '0.0.1',
      openView: async () => ({ hub: { ...hub, async [Symbol.asyncDispose]() {} }, warnings: [] }),
      methods: {
        'daemon/retire': async () => {
          hasRetired = true
          old.stopListening()
        },
      },
    })
    const client = await dialHub(place.socket)
    const slow = client.call({ server: 'one', tool: 'slow' }, { ms: 1500 })

    const fresh = await place.warm(['call', 'one.count'])

    expect([fresh.stdout, hasRetired]).toEqual(['1\n', true])
    expect(textOf(await slow)).toMatch(/\S/)
    await client[Symbol.asyncDispose]()
    await old[Symbol.asyncDispose]()
  })
})

test('--fresh asks a server that changes its tools without a word', async () => {
  await using place = await workplace({ sly: fixture('changes-silently') })
  await place.warm(['list', 'sly'])
  await place.warm(['call', 'sly.grow'])

  const old = await place.warm(['list', 'sly'])
  const fresh = await place.warm(['list', 'sly', '--fresh'])

  expect(old.stdout).not.toContain('extra-1')
  expect(fresh.stdout).toContain('extra-1')
})

describe('how long a server lives', () => {
  test('lifecycle "per-call" gives every call a process of its own', async () => {
    await using place = await workplace({ brief: { ...fixture('echo'), lifecycle: 'per-call' } })

    const pids = [await place.warm(['call', 'brief.pid']), await place.warm(['call', 'brief.pid'])].map(({ stdout }) =>
      Number(stdout),
    )

    expect(pids[0]).not.toBe(pids[1])
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), patience)
  })

  test('an idle server is stopped, and the next call starts it again', async () => {
    await using place = await workplace({ idle: { ...fixture('echo'), idle: 1 } })
    const first = Number((await place.warm(['call', 'idle.pid'])).stdout)

    await vi.waitFor(() => expect(isRunning(first)).toBe(false), patience)

    expect(Number((await place.warm(['call', 'idle.pid'])).stdout)).not.toBe(first)
  })

  test('lifecycle "eager" starts a server before anybody needs it', async () => {
    await using place = await workplace({ keen: { ...fixture('echo', { args: ['--keen'] }), lifecycle: 'eager' } })

    await place.warm(['call', 'one.pid'])

    await vi.waitFor(async () => expect((await place.warm(['status', '--json'])).stdout).toContain('"keen"'), patience)
  })
})

describe('whose environment', () => {
  test('a daemon started with an empty environment gives each caller its own', async () => {
    await using place = await workplace({ needy: { ...fixture('echo'), env: { TOKEN: '${TOKEN}' } } })
    await place.warm(['start'])

    const first = await place.warm(['call', 'needy.env', 'name=TOKEN'], { env: { TOKEN: 'mine' } })
    const second = await place.warm(['call', 'needy.env', 'name=TOKEN'], { env: { TOKEN: 'yours' } })
    const none = await place.warm(['call', 'needy.env', 'name=TOKEN'])

    expect([first.stdout, second.stdout]).toEqual(['mine\n', 'yours\n'])
    expect([none.code, none.stderr.includes('TOKEN')]).toEqual([2, true])
  })

  test('callers with the same identity share a process; another PATH or folder gets its own', async () => {
    await using place = await workplace()
    const other = join(place.home, 'other')
    await mkdir(other)

    const pids = await Promise.all([
      pidOf(place),
      pidOf(place),
      pidOf(place, { cwd: other }),
      pidOf(place, { env: { PATH: `${process.env['PATH']}:/nowhere` } }),
    ])

    expect(pids[0]).toBe(pids[1])
    expect(new Set(pids).size).toBe(3)
  })

  test('own tools run in the daemon, and each command sees their files as they are', async () => {
    await using place = await workplace()
    const write = (text: string) =>
      place.write({ '~/.config/capstan/tools/say.js': `export default () => tools.one.echo({ message: '${text}' })` })
    await write('first')

    const first = await place.warm(['call', 'my.say'])
    await write('second')
    const second = await place.warm(['call', 'my.say'])
    await place.write({ '.capstan/tools/theirs.js': 'export default () => 1' })
    const theirs = await place.warm(['call', 'my.theirs'])

    expect([first.stdout, second.stdout]).toEqual(['first\n', 'second\n'])
    expect(theirs).toMatchObject({ code: 5, stderr: expect.stringContaining('capstan review') })
  })

  test('an entry that mentions the workspace runs once per project', async () => {
    await using place = await workplace({ here: { ...fixture('echo'), cwd: '${workspaceFolder}' } })
    const projects = [join(place.home, 'a'), join(place.home, 'b')]
    for (const project of projects) await mkdir(join(project, '.git'), { recursive: true })

    const folders = await Promise.all(projects.map((cwd) => place.warm(['call', 'here.cwd'], { cwd })))

    expect(folders.map((outcome) => outcome.stdout.trim())).toEqual(projects)
  })

  test('share: "client" gives each client its own copy', async () => {
    await using place = await workplace({ own: { ...fixture('echo'), share: 'client' } })
    const caller = { cwd: place.cwd, env: { HOME: place.home, PATH: process.env['PATH'] } }
    const first = Number((await place.warm(['call', 'own.pid'])).stdout)
    await using dialled = await dialHub(place.socket, { caller: { ...caller, client: 'an editor' } })

    const theirs = Number(textOf(await dialled.call({ server: 'own', tool: 'pid' }, {})))

    expect(theirs).not.toBe(first)
    expect(Number((await place.warm(['call', 'own.pid'])).stdout)).toBe(first)
  })
})
