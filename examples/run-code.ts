// Finds a tool by what it does, then runs a snippet that calls tools, in a sandbox.
// Run:  node examples/run-code.ts
import { join } from 'node:path'
import { createSandbox, loadConfig, openHub } from 'capstan'

const config = await loadConfig({ configFiles: [join(import.meta.dirname, 'mcp.json')] })

// The sandbox is made once, for all runs of this hub; it starts nothing before the first of them.
await using sandbox = createSandbox()
await using hub = await openHub(config, { sandbox: async () => sandbox })

const [best] = await hub.search('read the text of a file', { servers: ['filesystem'], limit: 1 })
console.log(best?.tool.id, best?.terms)

const code = `
  const { content } = await tools.filesystem.read_text_file({ path: 'crew.csv' })
  console.log('read', content.length, 'characters')
  return content.trim().split('\\n').length - 1
`
const outcome = await hub.exec(code, {
  allow: ['filesystem.read_*'],
  limits: { timeMs: 10_000, calls: 5 },
  onEvent: (event) => event.kind === 'log' && console.log(event.line.text),
})
// What a snippet does is an outcome and no exception: it may have thrown, or run into a limit.
if (outcome.kind === 'returned') console.log('rows:', outcome.value)
else console.log(outcome.kind, outcome.kind === 'threw' ? outcome.error.message : '')
for (const { errand, outcome: end } of outcome.trace) console.log(errand.kind === 'call' && errand.tool, end)
