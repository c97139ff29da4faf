import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fixture } from '../../test/fixtures/fixture.ts'
import type { Ground } from '../ground.ts'
import type { PeerPrograms } from '../peers/install.ts'
import { unless } from '../stop-signal.ts'
import { direct, ours } from './report.ts'
import { sseClient, stdioClient, streamableClient, type RawClient } from './client.ts'

/** One way to the same server, with its process up. Disposing it ends that. */
export interface Way extends AsyncDisposable {
  readonly name: string
  readonly pid: number
  /** What it calls a tool of the server. */
  readonly tool: (name: string) => string
  readonly connect: () => Promise<RawClient>
}

const upstream = fixture('echo')
const prefixed = (name: string): string => `echo__${name}`
const unchanged = (name: string): string => name

/** Without a gateway: the server's own pipes, shared by all clients. Then ours, then those peers that are there. */
export async function openWays(
  peers: PeerPrograms,
  ground: Ground,
  signal: AbortSignal,
): Promise<AsyncDisposable & { ways: readonly Way[] }> {
  await using opened = new AsyncDisposableStack()
  const config = join(ground.folder, 'gateway.json')
  writeFileSync(config, JSON.stringify({ mcpServers: { echo: upstream } }))
  const ways = [opened.use(await openDirect(ground)), opened.use(await openOurs(ground, config))]
  for (const [command, startPeer] of Object.entries(peersOf(config))) {
    signal.throwIfAborted()
    const program = peers.get(command)
    if (program !== undefined) ways.push(opened.use(await openPeer({ command, program, ground, signal }, startPeer)))
  }
  const kept = opened.move()
  return { ways, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

async function openDirect({ env }: Ground): Promise<Way> {
  const child = spawn(upstream.command, upstream.args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const client = await stdioClient(child.stdout, child.stdin)
  const shared = { call: client.call, [Symbol.dispose]: () => {} }
  return { ...running(direct, child), tool: unchanged, connect: async () => shared }
}

async function openOurs({ env, program }: Ground, config: string): Promise<Way> {
  const args = [program, 'serve', '--http', '0', '--own', '--mode', 'all', '--config', config]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
  const url = /http:\S+/u.exec(chunk.toString())?.[0]
  child.stdout.resume()
  if (url === undefined) throw new Error(`capstan serve printed no address: ${chunk.toString()}`)
  return { ...running(ours, child), tool: prefixed, connect: () => streamableClient(url) }
}

interface Peer {
  readonly args: (port: number) => readonly string[]
  readonly tool: Way['tool']
  readonly connect: (url: string) => Promise<RawClient>
}

function peersOf(config: string): Readonly<Record<string, Peer>> {
  const command = [upstream.command, ...upstream.args]
  const bridge = { tool: unchanged, connect: streamableClient }
  return {
    'mcp-proxy': {
      ...bridge,
      args: (port) => ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream', '--', ...command],
    },
    'mcp-hub': {
      tool: prefixed,
      connect: sseClient,
      args: (port) => ['--port', String(port), '--config', config],
    },
    // Without `--stateful` it starts the server anew for every request.
    supergateway: {
      ...bridge,
      args: (port) => {
        const output = ['--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none']
        return ['--stdio', command.join(' '), ...output, '--port', String(port)]
      },
    },
  }
}

interface PeerProgram {
  readonly command: string
  readonly program: string
  readonly ground: Ground
  readonly signal: AbortSignal
}

async function openPeer({ command, program, ground, signal }: PeerProgram, peer: Peer): Promise<Way> {
  const port = await freePort()
  const child = spawn(process.execPath, [program, ...peer.args(port)], { env: ground.env, stdio: 'ignore' })
  const connect = (): Promise<RawClient> => peer.connect(`http://127.0.0.1:${port}/mcp`)
  const way = { ...running(command, child), tool: peer.tool, connect }
  try {
    await unless(signal, untilAnswers(way))
  } catch (error) {
    await way[Symbol.asyncDispose]()
    throw error
  }
  return way
}

async function untilAnswers(way: Way): Promise<void> {
  const deadlineMs = performance.now() + 30_000
  for (;;) {
    try {
      using client = await way.connect()
      await client.call(way.tool('pid'), {})
      return
    } catch (error) {
      if (performance.now() > deadlineMs) throw new Error(`${way.name} does not answer`, { cause: error })
      await pause(100)
    }
  }
}

function running(name: string, child: ChildProcess): Pick<Way, 'name' | 'pid' | typeof Symbol.asyncDispose> {
  const ended = once(child, 'exit')
  return {
    name,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill()
      // supergateway and mcp-hub may wait long for their clients to leave.
      const patience = setTimeout(() => child.kill('SIGKILL'), 3000)
      await ended
      clearTimeout(patience)
    },
  }
}

/** What the process itself has used: user and system time in ms, and what it holds now. Servers it started do not count. */
export function costOf(pid: number): { readonly cpuMs: number; readonly rssMB: number } {
  // The name of the program, in brackets, may hold spaces: fields are counted from behind it.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ')
  const ticks = Number(stat[11]) + Number(stat[12])
  const rssKb = /VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  // Linux counts in hundredths of a second.
  return { cpuMs: ticks * 10, rssMB: (Number(rssKb) * 1024) / 1e6 }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return address.port
}
