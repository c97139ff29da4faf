import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The path of a file, seen from this folder. */
export const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

type Servers = Readonly<Record<string, object>>

/** Where programs run: an empty home, ten servers, and no way to find what belongs to the person. */
export interface Ground extends AsyncDisposable {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** The command line, as a copy of its own: who builds meanwhile must not change what is measured. */
  readonly program: string
  /** An `mcp.json` with ten servers: four of one kind, and three of two others. */
  readonly config: string
  /** Writes the same servers with more fields in each entry, for a program that wants them. */
  readonly writeConfig: (name: string, extra: object) => string
  /** Runs Capstan to its end and gives what it printed. */
  readonly capstan: (...args: readonly string[]) => Promise<string>
}

/** Disposing it stops the daemon that ran there and removes the folder. */
export function openGround({ daemon }: { readonly daemon: 'on' | 'off' }): Ground {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-bench-'))
  // Should the bench be killed, its daemon leaves soon by itself.
  const ofDaemon = { CAPSTAN_DAEMON: daemon, CAPSTAN_DAEMON_IDLE: '60' }
  const env = { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder, ...ofDaemon }
  const program = copyBuild(folder)
  const servers = tenServers(folder)
  const run = async (...args: readonly string[]): Promise<string> => {
    const options = { env, timeout: 60_000, maxBuffer: 64 * 2 ** 20 }
    return (await promisify(execFile)(process.execPath, [program, ...args], options)).stdout
  }
  const writeConfig = (name: string, extra: object): string => {
    const file = join(folder, name)
    const entries = Object.entries(servers).map(([server, entry]) => [server, { ...entry, ...extra }])
    writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(entries) }))
    return file
  }
  return {
    folder,
    env,
    program,
    config: writeConfig('mcp.json', {}),
    writeConfig,
    capstan: run,
    async [Symbol.asyncDispose]() {
      await run('stop')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function copyBuild(folder: string): string {
  const build = join(folder, 'build')
  cpSync(path('../dist/cli'), join(build, 'cli'), { recursive: true })
  // What is not bundled, such as the engine of the sandbox, is found as it is in the package.
  symlinkSync(path('../node_modules'), join(build, 'node_modules'))
  // As in the package: without it Node would have to find out what kind of module each file is.
  writeFileSync(join(build, 'package.json'), '{"type":"module"}')
  return join(build, 'cli', 'bin.js')
}

function tenServers(folder: string): Servers {
  const server = (kind: string, number: number, ...args: readonly string[]) => {
    const file = path(`../node_modules/@modelcontextprotocol/server-${kind}/dist/index.js`)
    // Entries that say the same share one process; with a variable of their own they are ten.
    const env = { BENCH_SERVER: String(number), MEMORY_FILE_PATH: join(folder, `memory-${number}.json`) }
    return [`${kind}${number === 1 ? '' : number}`, { command: process.execPath, args: [file, ...args], env }] as const
  }
  return Object.fromEntries([
    ...[1, 2, 3, 4].map((number) => server('everything', number)),
    ...[1, 2, 3].map((number) => server('memory', number)),
    ...[1, 2, 3].map((number) => server('filesystem', number, folder)),
  ])
}

const numbers = ['', '2', '3'] as const

/** The names of the ten servers. */
export const serverNames: readonly string[] = [
  ...[...numbers, '4'].map((number) => `everything${number}`),
  ...numbers.flatMap((number) => [`memory${number}`, `filesystem${number}`]),
]

/** One tool of each server by its full name: a list that lacks a server must not pass for a fast one. */
export const oneToolOfEach: readonly string[] = [
  ...[...numbers, '4'].map((number) => `everything${number}.echo`),
  ...numbers.flatMap((number) => [`memory${number}.create_entities`, `filesystem${number}.directory_tree`]),
]
