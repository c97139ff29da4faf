// npm run bench [-- --quick]: prints our times beside a floor measured in the same run. Ratios carry over to other
// machines, milliseconds do not. The targets hold on a quiet machine.
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installPackage } from '../test/fixtures/installed-package.ts'
import { benchCold } from './cold.ts'
import { benchBigResult, benchCalls } from './in-process.ts'
import { renderTable, type Row } from './table.ts'

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const rounds = values.quick
  ? { start: 9, call: 7, list: 5, calls: 7, big: 1 }
  : { start: 31, call: 21, list: 9, calls: 21, big: 3 }

const before = machine()
const rows = [
  ...(await step('cold starts', () => benchCold(rounds))),
  ...(await step('calls in one process', () => benchCalls(rounds.calls, 200))),
  ...(await step('a result of 40 MB', () => benchBigResult(rounds.big))),
  ...(await step('installed size', installedSize)),
]
const report = `${before}\n${machine()}\n\n${renderTable(rows)}\n`
console.log(report)
save(report)

async function step(name: string, work: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
  process.stderr.write(`${name} …\n`)
  return work()
}

async function installedSize(): Promise<readonly Row[]> {
  await using installed = await installPackage()
  const megabytes = installed.installedBytes / 1e6
  const ratio = megabytes / 60
  const row = { work: 'installed, production only', floor: 'limit', unit: 'MB', target: 1 } as const
  return [{ ...row, floorValue: 60, oursValue: megabytes, ratio, spread: [ratio, ratio] }]
}

function machine(): string {
  const load = loadavg().map((value) => value.toFixed(1))
  return `${new Date().toISOString()}, Node ${process.version}, ${cpus().length} cores, load ${load.join(' ')}`
}

function save(report: string): void {
  const folder = fileURLToPath(new URL('results/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const name = new Date().toISOString().replaceAll(':', '-').slice(0, 19)
  writeFileSync(`${folder}${name}.md`, report)
}
