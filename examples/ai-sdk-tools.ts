// Gives the tools of MCP servers to the `ai` package. The model here is scripted, so that this runs without a key.
// Run:  node examples/ai-sdk-tools.ts
import { generateText, stepCountIs, type ModelMessage } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { aiSdkTools } from 'capstan/ai-sdk'
import { createToolManager } from 'capstan/tools'

const reply = {
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
  warnings: [],
}
const call = (toolName: string, input: object) => ({
  ...reply,
  content: [{ type: 'tool-call' as const, toolCallId: toolName, toolName, input: JSON.stringify(input) }],
  finishReason: { unified: 'tool-calls' as const, raw: 'tool_use' },
})

const everything = {
  command: 'node',
  args: ['../node_modules/@modelcontextprotocol/server-everything/dist/index.js'],
  cwd: import.meta.dirname,
  alwaysAllow: ['echo'],
}
await using manager = await createToolManager({ userOptions: { mcpServers: { everything } } })
const { tools, toolApproval } = aiSdkTools(manager, { allow: ['everything.{echo,get-sum}'] })

// In a real program: anthropic('…'), openai('…') or any other model of the package.
const model = new MockLanguageModelV4({
  doGenerate: [
    call('everything__echo', { message: 'ahoy' }),
    call('everything__get-sum', { a: 19, b: 23 }),
    { ...reply, content: [{ type: 'text', text: 'The sum is 42.' }], finishReason: { unified: 'stop', raw: 'stop' } },
  ],
})
const settings = { model, tools, toolApproval, stopWhen: stepCountIs(5) }

// The config allows `echo`; about `get-sum` the SDK asks, so the first run stops there.
const messages: ModelMessage[] = [{ role: 'user', content: 'Greet the crew, then add 19 and 23.' }]
const first = await generateText({ ...settings, messages })
messages.push(...first.response.messages)
for (const part of first.content) {
  if (part.type !== 'tool-approval-request') continue
  console.log(`may ${part.toolCall.toolName} run with ${JSON.stringify(part.toolCall.input)}?`)
  const yes = { type: 'tool-approval-response', approvalId: part.approvalId, approved: true } as const
  messages.push({ role: 'tool', content: [yes] })
}

const second = await generateText({ ...settings, messages })
console.log(second.text)
