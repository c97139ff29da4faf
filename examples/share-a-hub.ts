// Serves one hub on a local socket. Whoever dials it gets the same interface, and all share the same servers.
// Run:  node examples/share-a-hub.ts
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CapstanError, dialHub, openHub, serveHub } from 'capstan'

const memory = {
  command: 'node',
  args: ['../node_modules/@modelcontextprotocol/server-memory/dist/index.js'],
  cwd: import.meta.dirname,
}
await using folder = await mkdtempDisposable(join(tmpdir(), 'capstan-example-'))
const socket = join(folder.path, 'hub.sock')
const env = { MEMORY_FILE_PATH: join(folder.path, 'memory.jsonl') }

// One process runs the servers and listens …
await using hub = await openHub({ mcpServers: { memory: { ...memory, env } } })
await using _served = await serveHub(hub, socket)

// … and others, in this process or another, dial it. Here are two of them.
await using writer = await dialHub(socket)
await using reader = await dialHub(socket)

using _listening = reader.on((event) => {
  if (event.kind === 'state') console.log(`${event.server} is ${event.state.kind}`)
  if (event.kind === 'call') console.log(`${event.tool.tool}: ${event.outcome}`)
})

const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes knots'] }]
await writer.call({ server: 'memory', tool: 'create_entities' }, { entities })
const found = await reader.call({ server: 'memory', tool: 'search_nodes' }, { query: 'knots' })
console.log(JSON.stringify(found.structuredContent))

// A failure crosses the socket with its code and its next step.
try {
  await reader.call({ server: 'memory', tool: 'serch_nodes' }, {})
} catch (error) {
  if (!(error instanceof CapstanError)) throw error
  console.log(`${error.code}: ${error.message} ${error.next ?? ''}`)
}
