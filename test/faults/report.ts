// Makes every fault happen and says what was seen. `--report` prints the table of docs/reliability.md; numbers choose faults.
import { parseArgs } from 'node:util'
import { makers } from '../hub/makers.ts'
import { faults, runFault } from './faults.ts'
import { span } from './observe.ts'

const { values, positionals } = parseArgs({ options: { report: { type: 'boolean' } }, allowPositionals: true })
const chosen = faults.filter(({ id }) => positionals.length === 0 || positionals.includes(String(id)))
const startedAt = performance.now()
const rows: string[] = []
let broken = 0

for (const entry of chosen) {
  const { id, fault, promise, only } = entry
  const seen: string[] = []
  for (const [maker, open] of makers) {
    if (only !== undefined && only !== maker) continue
    const runAt = performance.now()
    try {
      const what = await runFault(entry, open)
      seen.push(what)
      console.error(`ok      ${id} ${maker}, ${span(performance.now() - runAt)}: ${what}`)
    } catch (error) {
      broken += 1
      seen.push('**broken**')
      console.error(`BROKEN  ${id} ${maker}, ${fault}:`, error)
    }
  }
  // Both makers see the same; the figures of one are enough for a table.
  rows.push(`| ${id} | ${fault} | ${promise} | ${seen.find((what) => what === '**broken**') ?? seen[0] ?? ''} |`)
}

if (values.report === true) console.log(['| | fault | promise | seen |', '|---|---|---|---|', ...rows].join('\n'))
console.error(`${chosen.length} faults, ${broken} broken, ${span(performance.now() - startedAt)}`)
// What a broken one left behind must not keep us.
process.exit(broken > 0 ? 1 : 0)
