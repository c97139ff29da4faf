import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { path, serverNames, type Ground } from '../ground.ts'
import type { TimedProgram } from '../measure.ts'
import type { Programs } from '../programs.ts'
import type { PeerPrograms } from './install.ts'

/** Peers that keep servers running, each with its ten servers up. Disposing it ends what they keep. */
export interface WarmPeers extends AsyncDisposable {
  readonly call: Programs
  readonly list: Programs
}

const message = 'hello world'

export async function openWarmPeers(peers: PeerPrograms, ground: Ground): Promise<WarmPeers> {
  await using opened = new AsyncDisposableStack()
  const warm: WarmPeers[] = []
  for (const [command, open] of [
    ['mcporter', openMcporter],
    ['mcp-hub', openMcpHub],
    ['mcpdo', openMcpdo],
  ] as const) {
    const program = peers.get(command)
    if (program !== undefined) warm.push(opened.use(await open(program, ground)))
  }
  const kept = opened.move()
  return {
    call: Object.assign({}, ...warm.map((peer) => peer.call)) as Programs,
    list: Object.assign({}, ...warm.map((peer) => peer.list)) as Programs,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Its daemon keeps the servers that say so in its own config. */
async function openMcporter(program: string, ground: Ground): Promise<WarmPeers> {
  const config = ground.writeConfig('mcporter.json', { lifecycle: 'keep-alive' })
  const { env } = ground
  const list = [program, '--config', config, 'list', '--json']
  const call = [program, '--config', config, 'call', 'everything.echo', `message=${message}`]
  await run(list, env)
  const names = serverNames.map((name) => `"name": "${name}"`)
  return {
    call: { 'mcporter, keep-alive daemon': { args: call, env, expected: [message] } },
    list: { 'mcporter, keep-alive daemon': { args: list, env, expected: [...names, 'create_entities'] } },
    [Symbol.asyncDispose]: () => run([program, '--config', config, 'daemon', 'stop'], env),
  }
}

/** It has no command line; its users ask it over HTTP. */
async function openMcpHub(program: string, ground: Ground): Promise<WarmPeers> {
  const port = await freePort()
  const args = [program, '--port', String(port), '--config', ground.config]
  const child = spawn(process.execPath, args, { env: ground.env, stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}/api/servers`
  const ended = once(child, 'exit')
  const end = async (): Promise<void> => {
    child.kill()
    await ended
  }
  const rest = (words: readonly string[], expected: readonly string[]): TimedProgram => ({
    args: [path('raw/rest.mjs'), ...words],
    env: ground.env,
    expected,
  })
  const body = JSON.stringify({ server_name: 'everything', tool: 'echo', arguments: { message } })
  try {
    await untilAllConnected(url)
  } catch (error) {
    await end()
    throw error
  }
  return {
    call: { 'mcp-hub, its REST by node': rest([`${url}/tools`, body], [message]) },
    list: {
      'mcp-hub, its REST by node': rest(
        [url],
        serverNames.map((name) => `"name":"${name}"`),
      ),
    },
    [Symbol.asyncDispose]: end,
  }
}

async function untilAllConnected(url: string): Promise<void> {
  const deadline = AbortSignal.timeout(60_000)
  for (;;) {
    deadline.throwIfAborted()
    const text = await fetch(url, { signal: deadline })
      .then((response) => response.text())
      // Nobody listens yet.
      .catch(() => '')
    if (text.split('"status":"connected"').length > serverNames.length) return
    await pause(100)
  }
}

/** Its daemon keeps named connections; a list of all of them at once is not among its commands. */
async function openMcpdo(program: string, { env, config }: Ground): Promise<WarmPeers> {
  await run([program, '--config', config, 'connect', 'everything'], env)
  const call = [program, '--connection', 'everything', 'tools/call', 'echo', `message:=${JSON.stringify(message)}`]
  return {
    call: { "inspector's mcpdo, daemon": { args: call, env, expected: [message] } },
    list: {},
    [Symbol.asyncDispose]: () => run([program, 'daemon', 'stop'], env),
  }
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  await promisify(execFile)(process.execPath, args, { env, timeout: 60_000, maxBuffer: 64 * 2 ** 20 })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return address.port
}
