import { execFile } from 'node:child_process'
import { setTimeout as settle } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openGround, type Ground } from './ground.ts'
import { limitRow } from './measure.ts'
import type { Row } from './table.ts'

const run = promisify(execFile)

const clientLimitMb = 55
const daemonLimitMb = 130
const busyLimitMb = 220

/** Memory of what a person's machine holds: the client while it lives, the daemon while it waits. */
export async function benchMemory(rounds: {
  readonly client: number
  readonly daemon: number
}): Promise<readonly Row[]> {
  return [...(await benchClient(rounds.client)), ...(await benchDaemon(rounds.daemon))]
}

async function benchClient(rounds: number): Promise<readonly Row[]> {
  await using ground = openGround({ daemon: 'on' })
  const { config } = ground
  await ground.capstan('list', '--fresh', '--json', '--config', config)
  const peakOf = async (...args: readonly string[]): Promise<readonly number[]> =>
    peaks([ground.program, ...args, '--config', config], ground, rounds)
  const row = (work: string, values: readonly number[]): Row => ({
    ...limitRow(`${work}, peak RSS`, clientLimitMb, values),
    unit: 'MB',
  })
  return [
    row('`node -e 0`', await peaks(['-e', '0'], ground, rounds)),
    row('client of a warm call', await peakOf('call', 'everything.echo', 'message=hello')),
    row('client of a list of 10 servers from disk', await peakOf('list')),
    row('client of a warm exec', await peakOf('exec', '-e', oneCall)),
  ]
}

/** A snippet that makes the daemon keep a sandbox ready. */
const oneCall = 'return await tools.everything.echo({ message: "hello" })'

const manyCalls = `const message = "x".repeat(10000)
const work = async () => { for (let count = 0; count < 112; count++) await tools.everything.echo({ message }) }
await Promise.all(Array.from({ length: 8 }, work))`

async function peaks(args: readonly string[], ground: Ground, rounds: number): Promise<readonly number[]> {
  const values: number[] = []
  for (let round = 0; round < rounds; round++) values.push(await peakMb(args, ground))
  return values
}

/** The kernel's own mark of the most that the program ever held, told by GNU time. */
async function peakMb(args: readonly string[], { env }: Ground): Promise<number> {
  const { stderr } = await run('/usr/bin/time', ['-f', '%M', process.execPath, ...args], { env, timeout: 60_000 })
  const kilobytes = Number(stderr.trim().split('\n').at(-1))
  if (!(kilobytes > 0)) throw new Error(`GNU time is needed at /usr/bin/time; it said: ${stderr}`)
  return (kilobytes * 1024) / 1e6
}

/** Each round has a daemon of its own, for memory once taken is rarely given back. */
async function benchDaemon(rounds: number): Promise<readonly Row[]> {
  const one: number[] = []
  const ten: number[] = []
  const spare: number[] = []
  const busy: number[] = []
  for (let round = 0; round < rounds; round++) {
    await using ground = openGround({ daemon: 'on' })
    const { config } = ground
    await ground.capstan('call', 'everything.echo', 'message=hello', '--config', config)
    one.push(await daemonMb(ground, 1))
    await ground.capstan('list', '--fresh', '--json', '--config', config)
    ten.push(await daemonMb(ground, 10))
    await ground.capstan('exec', '-e', oneCall, '--config', config)
    spare.push(await daemonMb(ground, 10))
    for (let load = 0; load < 3; load++) await ground.capstan('exec', '-e', manyCalls, '--config', config)
    busy.push(await daemonMb(ground, 10))
  }
  const row = (work: string, values: readonly number[]): Row => ({
    ...limitRow(`idle daemon, ${work}, RSS`, daemonLimitMb, values),
    unit: 'MB',
  })
  return [
    row('one server', one),
    row('10 servers', ten),
    row('10 servers and a spare sandbox', spare),
    { ...limitRow('daemon after 2,700 calls of 10 KB, RSS', busyLimitMb, busy), unit: 'MB' },
  ]
}

/** With the number of servers that must run in it, for entries that turn out to be one server would flatter it. */
async function daemonMb(ground: Ground, serverCount: number): Promise<number> {
  await settle(2000)
  const status = JSON.parse(await ground.capstan('status', '--json')) as {
    readonly daemon: { readonly pid: number }
    readonly servers: readonly unknown[]
  }
  if (status.servers.length !== serverCount) throw new Error(`${status.servers.length} servers run, not ${serverCount}`)
  await settle(1000)
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(status.daemon.pid)])
  return (Number(stdout) * 1024) / 1e6
}
