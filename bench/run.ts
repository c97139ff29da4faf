// npm run bench [-- PART…] [--quick] [--peers]: prints our figures beside others measured in the same run. Ratios carry over to other
// machines, milliseconds do not. The targets hold on a quiet machine. Parts: cold, warm, session, memory, calls, big, tokens, size, gateway, search, prompts.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { messageOf } from '../src/errors.ts'
import { installPackage } from '../test/fixtures/installed-package.ts'
import { benchCold } from './cold.ts'
import { path } from './ground.ts'
import { benchBigResult, benchCalls } from './in-process.ts'
import { limitRow } from './measure.ts'
import { benchMemory } from './memory.ts'
import { installPeers, type PeerPrograms } from './peers/install.ts'
import { renderTable, type Row } from './table.ts'
import { benchSession } from './session.ts'
import { stopSignal } from './stop-signal.ts'
import { benchTokens } from './tokens.ts'
import { benchWarm } from './warm.ts'

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, peers: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const rounds = values.quick
  ? { start: 9, call: 7, list: 5, warmCall: 9, warmList: 9, client: 3, daemon: 1, calls: 7, big: 1 }
  : { start: 31, call: 21, list: 9, warmCall: 31, warmList: 31, client: 9, daemon: 3, calls: 21, big: 3 }

const parts: Readonly<Record<string, (peers: PeerPrograms) => Promise<readonly Row[]>>> = {
  cold: (peers) => benchCold(rounds, peers),
  warm: (peers) => benchWarm(rounds, peers),
  session: () => benchSession(rounds.start),
  memory: () => benchMemory(rounds),
  calls: () => benchCalls(rounds.calls, 200),
  big: () => benchBigResult(rounds.big),
  tokens: benchTokens,
  size: installedSize,
}

// They run only when they are asked for: gateways are measured for minutes, search installs 46 servers, prompts needs a collection.
const flags = Object.entries(values).flatMap(([flag, isGiven]) => (isGiven ? [`--${flag}`] : []))
const programs: Readonly<Record<string, readonly [file: string, ...args: readonly string[]]>> = {
  gateway: ['gateway/run.ts', ...flags],
  search: ['search/run.ts'],
  prompts: ['prompts/run.ts'],
}

const unknown = positionals.filter((part) => !Object.hasOwn(programs, part) && !Object.hasOwn(parts, part))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. Parts: ${Object.keys({ ...parts, ...programs }).join(', ')}`)
  process.exitCode = 2
} else {
  if (positionals.length === 0 || positionals.some((part) => Object.hasOwn(parts, part))) await measure()
  for (const [name, [file, ...args]] of Object.entries(programs)) {
    if (positionals.includes(name)) await runProgram(file, args)
  }
}

async function measure(): Promise<void> {
  const peers: PeerPrograms = values.peers ? await installPeers() : new Map()
  const chosen = Object.entries(parts).filter(([name]) => positionals.length === 0 || positionals.includes(name))
  const lines = [`${values.quick ? 'quick run, ' : ''}${machine()}`]
  const rows: Row[] = []
  for (const [name, part] of chosen) {
    process.stderr.write(`${name} …\n`)
    try {
      rows.push(...(await part(peers)))
    } catch (error) {
      // What the other parts found is not lost with it.
      const news = `left out: ${name}, because ${messageOf(error)}`
      process.stderr.write(`${news}\n`)
      lines.push(news)
      process.exitCode = 1
    }
    lines.push(`after ${name}: ${machine()}`)
  }
  const report = `${lines.join('\n')}\n\n${renderTable(rows)}\n`
  console.log(report)
  save(report)
}

async function runProgram(file: string, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [path(file), ...args], { stdio: 'inherit' })
  // It ends what it has started, and is waited for.
  stopSignal().addEventListener('abort', () => child.kill(), { once: true })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) process.exitCode = 1
}

async function installedSize(): Promise<readonly Row[]> {
  await using installed = await installPackage()
  return [{ ...limitRow('installed, production only', 60, [installed.installedBytes / 1e6]), unit: 'MB' }]
}

function machine(): string {
  const load = loadavg().map((value) => value.toFixed(1))
  return `${new Date().toISOString()}, Node ${process.version}, ${cpus().length} cores, load ${load.join(' ')}`
}

function save(report: string): void {
  const folder = path('results/')
  mkdirSync(folder, { recursive: true })
  const name = new Date().toISOString().replaceAll(':', '-').slice(0, 19)
  writeFileSync(`${folder}${name}.md`, report)
}
