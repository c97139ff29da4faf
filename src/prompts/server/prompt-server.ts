import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  McpServer,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server'
import { version } from '../../version.ts'
import { fieldsOf } from '../fields.ts'
import type { Library } from './library.ts'
import { completeArgument, getPrompt, listPrompts } from './prompt-requests.ts'
import { badArguments } from './bad-arguments.ts'
import { answering } from './refusal.ts'
import type { Runbooks } from './runbooks.ts'
import { toolArguments, type FormAnswer, type FormQuestion, type LibraryTool } from './tool.ts'
import { isObject } from '../../json.ts'

export interface PromptServerOptions {
  readonly library: Library
  readonly tools: readonly LibraryTool[]
  readonly runbooks: Runbooks
}

/** One server over the library, for one connection. Whoever connects it closes it. */
export function promptServer({ library, tools, runbooks }: PromptServerOptions): McpServer {
  const { log, writing } = library
  const offered = tools.filter((tool) => writing !== 'none' || !tool.writes)
  const mcp = new McpServer(
    { name: 'capstan-prompts', title: 'Capstan prompt library', version },
    {
      instructions: instructionsFor(writing),
      capabilities: { prompts: { listChanged: true }, completions: {}, tools: {} },
    },
  )
  const { server } = mcp
  server.onerror = (error) => log.failure('the connection', error)
  runbooks.catalog.attach(mcp)

  for (const [method, answer] of Object.entries(promptRequests)) {
    // The params are read by our own functions: what the SDK's schemas refuse it calls an internal error.
    server.setRequestHandler(method, { params: asItCame }, (params) =>
      answering(method, log, async () => await answer(library, fieldsOf(params, { owner: method, path: '' }))),
    )
  }
  server.setRequestHandler('tools/list', () => ({ tools: offered.map(({ definition }) => definition) }))
  server.setRequestHandler('tools/call', ({ params }, context) =>
    answering(`tools/call ${params.name}`, log, () => callTool(params.name, params.arguments, context)),
  )
  tellOfChanges()
  return mcp

  async function callTool(
    name: string,
    given: unknown,
    context: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> {
    const tool = offered.find(({ definition }) => definition.name === name)
    if (tool === undefined) {
      throw badArguments(
        `There is no tool "${name.slice(0, 80)}".`,
        `There are: ${offered.map((t) => t.definition.name).join(', ')}.`,
      )
    }
    const { name: by, canAsk } = clientOf(context)
    const answer = answerIn(context)
    const outcome = await tool.run(toolArguments(tool, given), { library, by, canAsk, answer })
    return outcome.kind === 'result' ? outcome.result : asking(outcome)
  }

  /** A client says who it is once, or with every request since 2026-07-28. */
  function clientOf({ mcpReq }: ServerContext): { readonly name: string; readonly canAsk: boolean } {
    const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope }
    const info: unknown = envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion()
    const capabilities: unknown = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()
    const name = isObject(info) && typeof info['name'] === 'string' ? info['name'].slice(0, 80) : 'an MCP client'
    return { name, canAsk: isObject(capabilities) && hasForms(capabilities['elicitation']) }
  }

  function tellOfChanges(): void {
    const listening = library.store.onChange(() => {
      if (mcp.isConnected())
        server.sendPromptListChanged().catch((error: unknown) => log.failure('telling of changes', error))
    })
    server.onclose = () => listening[Symbol.dispose]()
  }
}

const promptRequests = {
  'prompts/list': listPrompts,
  'prompts/get': getPrompt,
  'completion/complete': completeArgument,
} as const

const question = 'form'

/** Both eras take this: the SDK asks an older client by itself, and runs the call again with the answer. */
function asking({ message, schema }: FormQuestion): InputRequiredResult {
  const form = inputRequired.elicit({ message, requestedSchema: schema })
  return inputRequired({ inputRequests: { [question]: form } })
}

function answerIn({ mcpReq }: ServerContext): FormAnswer | undefined {
  const answer = inputResponse(mcpReq.inputResponses, question)
  return answer.kind === 'elicit' ? { action: answer.action, content: answer.content } : undefined
}

const asItCame: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'capstan', validate: (value) => ({ value }) },
}

/** Clients from before there were other ways to ask say nothing but that they can. */
function hasForms(elicitation: unknown): boolean {
  return isObject(elicitation) && ('form' in elicitation || !('url' in elicitation))
}

function instructionsFor(writing: Library['writing']): string {
  const reading =
    "A person's library of prompts and runbooks. Before writing a long instruction yourself, look with search_prompts whether there is one; get_prompt gives it filled in."
  if (writing === 'none') return reading
  const how = writing === 'propose' ? ' What you create, change or delete waits until the person allows it.' : ''
  return `${reading} Offer to keep what proved useful with create_prompt.${how}`
}
