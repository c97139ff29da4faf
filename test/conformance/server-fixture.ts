// The server that the official suite meets behind the gateway: what it is called and answers is what the suite's scenarios ask for. `legacy` in argv:
// only the older era, so that the gateway has to translate for newer clients.
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { addAskingTools } from './fixture-asking-tools.ts'
import { addPrompts, addResources } from './fixture-offers.ts'
import { addTools } from './fixture-tools.ts'

const isLegacy = process.argv.includes('legacy')
if (isLegacy) await build().connect(new StdioServerTransport())
else serveStdio(build)

function build(): McpServer {
  const changes = { listChanged: true }
  const mcp = new McpServer(
    { name: 'conformance-fixture', version: '1.0.0' },
    { capabilities: { tools: changes, prompts: changes, resources: { ...changes, subscribe: true }, logging: {} } },
  )
  addTools(mcp)
  addAskingTools(mcp)
  addPrompts(mcp)
  addResources(mcp)
  if (isLegacy) acceptFollowers(mcp)
  return mcp
}

/** The scenarios look only at whether following is possible: nothing here ever changes. The newer era has its own way, in the SDK. */
function acceptFollowers({ server }: McpServer): void {
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
}
