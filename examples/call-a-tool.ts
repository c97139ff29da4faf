// Calls one tool of one server. The servers are given as the same object that an mcp.json holds.
// Run:  node examples/call-a-tool.ts "good morning"
import { openHub } from 'capstan'

const everything = {
  command: 'node',
  args: ['../node_modules/@modelcontextprotocol/server-everything/dist/index.js'],
  cwd: import.meta.dirname,
}
const message = process.argv[2] ?? 'hello world'

// Nothing is started before the call; `await using` ends the server at the end of this file.
await using hub = await openHub({ mcpServers: { everything } })
const result = await hub.call({ server: 'everything', tool: 'echo' }, { message })
for (const block of result.content) if (block.type === 'text') console.log(block.text)
