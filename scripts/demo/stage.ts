import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../', import.meta.url))
const bin = join(root, 'dist/cli/bin.js')

/** A home of its own with two servers in it: nothing of the real user is seen or touched, and nothing is left. */
export interface Stage extends AsyncDisposable {
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  /** The key of each agent. */
  readonly tokens: Readonly<Record<AgentName, string>>
  readonly capstan: (...args: readonly string[]) => Promise<string>
  /** Starts `capstan` and hands on what it prints, line by line; it ends with the stage. */
  readonly start: (args: readonly string[], onLine: (line: string) => void) => void
  /** The process of a server that the daemon runs; undefined while it has none. */
  readonly serverPid: (server: string) => Promise<number | undefined>
}

export type AgentName = 'ada' | 'ben'

export async function openStage(): Promise<Stage> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'capstan-demo-')))
  const tokens = { ada: randomUUID(), ben: randomUUID() }
  await writeConfig(home, tokens)
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, CAPSTAN_DAEMON: 'on', CAPSTAN_DAEMON_IDLE: '60' }
  const started: ChildProcess[] = []
  const capstan = async (...args: readonly string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [bin, ...args], { cwd: home, env })
    return stdout
  }
  return {
    home,
    env,
    tokens,
    capstan,
    start(args, onLine) {
      const child = spawn(process.execPath, [bin, ...args], { cwd: home, env, stdio: ['ignore', 'pipe', 'ignore'] })
      started.push(child)
      createInterface(child.stdout).on('line', onLine)
    },
    serverPid: async (server) => pidIn(JSON.parse(await capstan('status', '--json')), server),
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map(end))
      await capstan('stop')
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** How a shell starts `capstan`, for a pane of its own. */
export function shellCommand(...args: readonly string[]): string {
  return [process.execPath, bin, ...args].map((word) => `'${word}'`).join(' ')
}

async function writeConfig(home: string, tokens: Readonly<Record<AgentName, string>>): Promise<void> {
  const folder = join(home, '.config', 'capstan')
  const published = (name: string) => join(root, 'node_modules/@modelcontextprotocol', name, 'dist/index.js')
  const mcpServers = {
    everything: { command: process.execPath, args: [published('server-everything')] },
    memory: {
      command: process.execPath,
      args: [published('server-memory')],
      env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') },
    },
  }
  const keys = Object.entries(tokens).map(([name, token]) => {
    const hash = createHash('sha256').update(token).digest('hex')
    return `[gateway.keys.${name}]\ntoken_sha256 = "${hash}"\n`
  })
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }))
  await writeFile(join(folder, 'config.toml'), keys.join('\n'))
}

interface StatusReport {
  readonly servers?: readonly { readonly names: readonly string[]; readonly state: { readonly pid?: number } }[]
}

function pidIn(report: StatusReport, server: string): number | undefined {
  return report.servers?.find(({ names }) => names.includes(server))?.state.pid
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
