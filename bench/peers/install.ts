// node bench/peers/install.ts [package…]: installs what we compare with, and the real clients of the slow tests, below
// bench/peers/.cache. What cannot be installed is named.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { messageOf } from '../../src/errors.ts'

interface PeerPackage {
  readonly name: string
  readonly version: string
  /** The programs that are measured, by the name of their command. */
  readonly programs: readonly string[]
}

const packages: readonly PeerPackage[] = [
  { name: 'mcporter', version: '0.12.3', programs: ['mcporter'] },
  { name: 'mcp-hub', version: '4.2.1', programs: ['mcp-hub'] },
  { name: 'mcp-proxy', version: '6.7.19', programs: ['mcp-proxy'] },
  { name: 'supergateway', version: '4.0.0', programs: ['supergateway'] },
  { name: '@modelcontextprotocol/inspector', version: '2.12.0', programs: ['mcp-inspector', 'mcpdo'] },
]

/** The file of each program that could be installed, by the name of its command. All of them run on the Node that runs us. */
export type PeerPrograms = ReadonlyMap<string, string>

/** What cannot be installed is named on stderr and left out. Without names: all. */
export async function installPeers(names: readonly string[] = []): Promise<PeerPrograms> {
  const programs = new Map<string, string>()
  for (const peer of packages.filter(({ name }) => names.length === 0 || names.includes(name))) {
    try {
      for (const [command, file] of await installPeer(peer)) programs.set(command, file)
    } catch (error) {
      process.stderr.write(
        `${peer.name}@${peer.version} cannot be installed and is left out: ${messageOf(error).trim()}\n`,
      )
    }
  }
  return programs
}

async function installPeer({ name, version, programs }: PeerPackage): Promise<readonly (readonly [string, string])[]> {
  const folder = join(fileURLToPath(new URL('.cache/', import.meta.url)), name.replace('/', '+'))
  const installed = join(folder, 'node_modules', name)
  if (!existsSync(installed) || manifestOf(installed).version !== version) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    const options = { cwd: folder, timeout: 300_000 }
    await promisify(execFile)('npm', ['install', ...quiet, `${name}@${version}`], options)
  }
  const { bin = {} } = manifestOf(installed)
  return programs.map((command) => {
    const file = bin[command]
    if (file === undefined) throw new Error(`it has no command "${command}"`)
    return [command, join(installed, file)] as const
  })
}

interface Manifest {
  readonly version?: string
  readonly bin?: Readonly<Record<string, string>>
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

if (import.meta.main) {
  for (const [command, file] of await installPeers(process.argv.slice(2))) console.log(`${command}: ${file}`)
}
