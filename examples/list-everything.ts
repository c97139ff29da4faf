// Lists the tools of all servers in mcp.json files, and says which servers did not answer and why.
// Run:  node examples/list-everything.ts [mcp.json…]
import { join } from 'node:path'
import { loadConfig, openHub } from 'capstan'

const named = process.argv.slice(2)
// Without `configFiles` these are your own mcp.json and the project's, with what you have approved of it.
const config = await loadConfig({ configFiles: named.length > 0 ? named : [join(import.meta.dirname, 'mcp.json')] })
await using hub = await openHub(config)

// All servers are asked at once; one that fails or is late is named and hides nothing.
const { tools, servers } = await hub.catalogue({ kinds: ['tools'] })
for (const tool of tools) console.log(tool.id)
for (const coverage of servers) {
  if (coverage.kind === 'missing')
    console.error(`${coverage.server} (${coverage.error.code}): ${coverage.error.message}`)
}
