// Puts a server of your own beside the configured ones: it runs inside this process, without a child.
// Run:  node examples/builtin-server.ts
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import { openHub, type BuiltinServer } from 'capstan'
import { z } from 'zod'

const clock: BuiltinServer = {
  name: 'clock',
  description: 'Tells the weekday of a date',
  // Called when the server is first needed, and again if its connection has ended.
  async start() {
    const server = new McpServer({ name: 'clock', version: '1.0.0' })
    const inputSchema = z.object({ date: z.iso.date() })
    server.registerTool('weekday', { description: 'The weekday of a date.', inputSchema }, ({ date }) => {
      const weekday = new Date(date).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' })
      return { content: [{ type: 'text', text: weekday }] }
    })
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await server.connect(theirs)
    return ours
  },
}

await using hub = await openHub({ mcpServers: {} }, { builtins: [clock] })
const result = await hub.call({ server: 'clock', tool: 'weekday' }, { date: '2026-07-28' })
console.log(result.content[0])
