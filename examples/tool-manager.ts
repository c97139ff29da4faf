// A program with a tool of its own and a loop of its own, which gets the tools of MCP servers beside it.
// Run:  node examples/tool-manager.ts
import { createToolManager, viewAsText, type McpToolRequest } from 'capstan/tools'

const program = (name: string, ...args: readonly string[]) => ({
  command: 'node',
  args: [`../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, ...args],
  cwd: import.meta.dirname,
})

// Servers come from the person who uses the program, and from the project they work in: an entry of the project replaces the
// person's of the same name, and none of them starts before the person said yes.
await using manager = await createToolManager({
  userOptions: { mcpServers: { everything: program('everything'), ghost: { command: 'no-such-program' } } },
  projectOptions: { file: 'my-editor.json', mcpServers: { files: program('filesystem', 'files') } },
  askTrust: ({ file, servers }) => {
    for (const { name, lines } of servers) console.log(`${file.split('/').at(-1)} wants ${name}: ${lines[0]}`)
    return Object.fromEntries(servers.map(({ name }) => [name, 'once']))
  },
  approve: ({ view, hints }) => {
    console.log(`may ${view.name} run? It ${hints.join(', ')}.`)
    return { kind: 'allow', scope: 'session' }
  },
})
await manager.settled()
for (const report of manager.servers()) {
  if (report.kind === 'failed') console.log(`without ${report.server}: ${report.error.code}`)
}

// A thread gets its definitions when it starts, in the shape of its provider.
const specs = manager.specs({
  provider: 'anthropic',
  allow: ['everything.{echo,get-sum}', 'files.read_text_file'],
  reserved: ['count_words'],
})
const tools = [...specs.tools, { name: 'count_words', description: 'Counts words.', input_schema: { type: 'object' } }]
console.log(tools.map(({ name }) => name).join(', '))

// Requests of both kinds are one union, and the compiler sees that none is forgotten.
type Request = { readonly kind: 'count_words'; readonly id: string; readonly text: string } | McpToolRequest

async function answer(request: Request): Promise<object> {
  switch (request.kind) {
    case 'count_words':
      return { type: 'tool_result', tool_use_id: request.id, content: `${request.text.split(/\s+/).length}` }
    case 'mcp': {
      const invocation = manager.start(request)
      const result = await invocation.result
      console.log(viewAsText(invocation.view()).replace(/[\d.]+ m?s/, 'a moment'))
      return specs.answer(result)
    }
    default:
      return request satisfies never
  }
}

// What a model wrote is looked up in the thread's own names. In a real program these calls come from the provider.
const calls = [
  { id: 'call_1', name: 'files__read_text_file', input: { path: 'crew.csv', head: 2 } },
  { id: 'call_2', name: 'everything__get-sum', input: { a: 'one' } },
  { id: 'call_3', name: 'count_words', input: { text: 'all hands on deck' } },
]
for (const call of calls) {
  const request = specs.request(call) ?? ownRequest(call)
  if (request !== undefined) console.log(JSON.stringify(await answer(request)))
}

function ownRequest({ id, name, input }: (typeof calls)[number]): Request | undefined {
  return name === 'count_words' ? { kind: 'count_words', id, text: input.text ?? '' } : undefined
}
