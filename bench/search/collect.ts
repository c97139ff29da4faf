// node bench/search/collect.ts [--fresh]: installs the published servers below bench/search/.cache and asks each for its tools.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inlineConfig } from '../../src/config/load.ts'
import { messageOf } from '../../src/errors.ts'
import type { ToolEntry } from '../../src/hub/api.ts'
import { openHub } from '../../src/hub/hub.ts'
import { publishedServers, type PublishedServer } from './servers.ts'

const cache = fileURLToPath(new URL('.cache/', import.meta.url))
const toolsFile = join(cache, 'tools.json')
const atOnce = 3

/** The tools of all published servers that start here: from the last collection, or collected now. */
export async function collectTools({ fresh }: { readonly fresh: boolean }): Promise<readonly ToolEntry[]> {
  if (!fresh && existsSync(toolsFile)) return JSON.parse(readFileSync(toolsFile, 'utf8')) as readonly ToolEntry[]
  const home = mkdtempSync(join(tmpdir(), 'capstan-search-'))
  try {
    const lists = await inTurn(publishedServers, (server) => toolsOf(server, home))
    const tools = lists.flat()
    writeFileSync(toolsFile, JSON.stringify(tools))
    return tools
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** A few servers at a time: each start wants a core of its own. */
async function inTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let at = 0; at < items.length; at += atOnce) {
    results.push(...(await Promise.all(items.slice(at, at + atOnce).map(work))))
  }
  return results
}

async function toolsOf(server: PublishedServer, home: string): Promise<readonly ToolEntry[]> {
  try {
    const tools = await listTools(server, { main: await install(server), home })
    process.stderr.write(`${server.name}: ${tools.length} tools\n`)
    return tools
  } catch (error) {
    // One server that does not start on this machine must not end the collection; its queries are then left out.
    process.stderr.write(`${server.name}: left out, ${messageOf(error).split('\n')[0]}\n`)
    return []
  }
}

/** The file to run, after the package has been installed into a folder of its own. Its install scripts do not run. */
async function install({ name, package: wanted, version }: PublishedServer): Promise<string> {
  const folder = join(cache, 'servers', name)
  const installed = join(folder, 'node_modules', wanted)
  if (!existsSync(installed) || manifestOf(installed).version !== version) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps', '--loglevel=error']
    const options = { cwd: folder, timeout: 300_000 }
    await promisify(execFile)('npm', ['install', ...quiet, `${wanted}@${version}`], options)
  }
  const { bin } = manifestOf(installed)
  const file = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0]
  if (file === undefined) throw new Error('the package has no program')
  return join(installed, file)
}

interface Manifest {
  readonly version?: string
  readonly bin?: string | Readonly<Record<string, string>>
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

async function listTools(
  server: PublishedServer,
  { main, home }: { readonly main: string; readonly home: string },
): Promise<readonly ToolEntry[]> {
  const args = (server.args ?? []).map((arg) => arg.replace('HOME', home))
  const entry = { command: process.execPath, args: [main, ...args], cwd: home, env: { ...server.env, HOME: home } }
  const env = { PATH: process.env['PATH'], HOME: home, XDG_RUNTIME_DIR: home }
  const config = inlineConfig({ [server.name]: entry }, { env, cwd: home })
  await using hub = await openHub({ ...config, settings: { ...config.settings, catalogueSeconds: 40 } })
  const { tools, servers } = await hub.catalogue({ kinds: ['tools'] })
  const [coverage] = servers
  if (coverage?.kind === 'missing') throw new Error(coverage.error.message)
  return tools
}

if (import.meta.main) {
  const tools = await collectTools({ fresh: true })
  console.log(`${tools.length} tools of ${new Set(tools.map((tool) => tool.server)).size} servers`)
}
