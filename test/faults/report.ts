// Makes every fault happen and says what was seen. `--report` prints the tables of docs/reliability.md; numbers choose faults.
import { parseArgs } from 'node:util'
import { faults, runFault } from './faults.ts'
import { gatewayRow } from './gateway-faults.ts'
import { span } from './observe.ts'
import { ways, type Way } from './ways.ts'

const { values, positionals } = parseArgs({ options: { report: { type: 'boolean' } }, allowPositionals: true })
const chosen = faults.filter(({ id }) => positionals.length === 0 || positionals.includes(String(id)))
const startedAt = performance.now()
let broken = 0

/** What was seen on the first way of each table: the others see the same, and the figures of one are enough. */
const seen = new Map<string, string>()

for (const { id } of chosen) for (const way of ways) await makeHappen(way, id)

if (values.report === true) {
  const hubRows = chosen.map(({ id, fault, promise }) => `| ${id} | ${fault} | ${promise} | ${seenIn('hub', id)} |`)
  const gatewayRows = chosen.map(({ id }) => `| ${id} | ${gatewayRow(id)} | ${seenIn('gateway', id)} |`)
  console.log(['| | fault | promise | seen |', '|---|---|---|---|', ...hubRows].join('\n'))
  console.log(['', '| | promise | seen |', '|---|---|---|', ...gatewayRows].join('\n'))
}
console.error(`${chosen.length} faults, ${broken} broken, ${span(performance.now() - startedAt)}`)
// What a broken one left behind must not keep us.
process.exit(broken > 0 ? 1 : 0)

async function makeHappen({ name, table, open, faults: own }: Way, id: number): Promise<void> {
  const fault = own.find((one) => one.id === id)
  if (fault === undefined) return
  const key = `${table} ${id}`
  const runAt = performance.now()
  try {
    const what = await runFault(fault, open)
    if (!seen.has(key)) seen.set(key, what)
    console.error(`ok      ${id} ${name}, ${span(performance.now() - runAt)}: ${what}`)
  } catch (error) {
    broken += 1
    seen.set(key, '**broken**')
    console.error(`BROKEN  ${id} ${name}, ${fault.fault}:`, error)
  }
}

function seenIn(table: Way['table'], id: number): string {
  return seen.get(`${table} ${id}`) ?? ''
}
