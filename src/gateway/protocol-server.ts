import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  inputRequired,
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  type LoggingLevel,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type {
  Era,
  JsonObject,
  ListKind,
  PromptRef,
  PromptResult,
  ResourceContents,
  TemplateRef,
  ToolResult,
  WaitOptions,
} from '../hub/api.ts'
import { isObject } from '../json.ts'
import { version } from '../version.ts'
import { cleanResult, withoutRound } from './clean-result.ts'
import { failedCall, toProtocolError, type About } from './failure.ts'
import type { FollowedResources } from './followed-resources.ts'
import { readExchange } from './read-exchange.ts'
import { promptDefinition, resourceDefinitions, templateDefinitions } from './surface.ts'
import { calledTool, listTools, type ToolDesk } from './tool-requests.ts'
import type { View } from './view.ts'
import type { WaitingCalls, Work } from './waiting-calls.ts'
import { askOptions } from './wire-asks.ts'
import { doWork, type Outcome } from './work.ts'

/** What a request that may ask comes to. */
type Value = ToolResult | PromptResult | ResourceContents

export interface ServerSetup extends ToolDesk {
  readonly era: Era
  readonly instructions: string
  readonly waiting: WaitingCalls<Value>
  /** Whether what servers log goes on to the client: nobody can tell for whom of several they say it. */
  readonly passesLogs: () => boolean
  /** What the client follows; absent where a connection is only one request. */
  readonly followed?: () => FollowedResources
  readonly note: (text: string) => void
}

/** The gateway as one MCP server, for one connection or, in the modern era over HTTP, for one request. */
export function protocolServer(setup: ServerSetup): Server {
  const server = new Server(
    { name: 'capstan', title: 'Capstan', version },
    {
      instructions: setup.instructions,
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      },
    },
  )
  server.onerror = (error) => setup.note(error.message)
  const levelOfSession = setup.era === 'legacy' ? answerLogLevel(server) : () => undefined
  const desk = { ...setup, server, levelOfSession, answering: answeringWith(setup.note) }
  answerTools(desk)
  answerPrompts(desk)
  answerResources(desk)
  if (setup.followed !== undefined) answerSubscriptions(desk, setup.followed)
  return server
}

interface Desk extends ServerSetup {
  readonly server: Server
  readonly levelOfSession: () => LoggingLevel | undefined
  readonly answering: <Result>(answer: () => Promise<Result>, about?: About) => Promise<Result>
}

/** Failures in the words of the protocol. */
function answeringWith(note: (text: string) => void): Desk['answering'] {
  return async (answer, about) => {
    try {
      return await answer()
    } catch (error) {
      throw toProtocolError(error, note, about)
    }
  }
}

/** The SDK would keep the level to itself, and a server of the modern era has to be told it with every call. */
function answerLogLevel(server: Server): () => LoggingLevel | undefined {
  let level: LoggingLevel | undefined
  server.setRequestHandler('logging/setLevel', ({ params }) => {
    level = params.level
    return {}
  })
  return () => level
}

function answerTools(desk: Desk): void {
  const { server, answering } = desk
  server.setRequestHandler('tools/list', (_request, { mcpReq }) =>
    answering(async () => ({ tools: await listTools(desk, mcpReq.signal) })),
  )
  if (desk.era === 'modern')
    server.setRequestHandler('tools/call', ({ params }, context) => callTool(desk, params, context))
  else answerCallsDirectly(desk)
}

/**
 * The SDK would check a call's parameters twice and walk through its whole result, for every call of a session. What we need of the
 * parameters is checked here, and results are the server's own. (Questions inside results, which the modern era has, need the SDK's way.)
 */
function answerCallsDirectly(desk: Desk): void {
  desk.server.fallbackRequestHandler = async ({ method, params = {} }, context) => {
    if (method !== 'tools/call') throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found')
    const { name, arguments: args = {} } = params
    if (typeof name === 'string' && isObject(args)) return callTool(desk, { ...params, name, arguments: args }, context)
    const problem = typeof name === 'string' ? 'arguments must be an object' : 'name must be a string'
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid tools/call request: ${problem}`)
  }
}

async function callTool(
  desk: Desk,
  params: CallToolRequest['params'],
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const exchange = exchangeOf(desk, context, params)
  try {
    // What came over the wire is JSON.
    const args = (params.arguments ?? {}) as JsonObject
    const { work, tool } = await calledTool(desk, { name: params.name, args, exchange })
    const outcome = await doWork(desk.waiting, exchange, { ...askingOf(desk), work })
    return resultOf(outcome, (value) => {
      const result = cleanResult(value as ToolResult)
      return tool === undefined ? result : desk.server.projectCallToolResult(result, tool.outputSchema)
    })
  } catch (error) {
    return failedCall(error, desk.note)
  }
}

function answerPrompts(desk: Desk): void {
  const { server, answering, view } = desk
  server.setRequestHandler('prompts/list', (_request, { mcpReq: { signal } }) =>
    answering(async () => {
      const { prompts } = await view.catalogue({ signal })
      return { prompts: prompts.map((prompt) => promptDefinition(prompt, view.naming)) }
    }),
  )
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    answering(async () => {
      const exchange = exchangeOf(desk, context, params)
      const { server: owner, prompt } = await view.prompt(params.name, exchange)
      const work: Work<PromptResult> = ({ onAsk, signal }) => {
        const asks = askOptions({ askable: exchange.askable, onAsk, server: owner })
        return view.hub.prompt({ server: owner, prompt }, params.arguments ?? {}, { signal, ...asks })
      }
      const outcome = await doWork(desk.waiting, exchange, { ...askingOf(desk), work })
      return resultOf(outcome, (value) => withoutRound(value as PromptResult))
    }),
  )
  server.setRequestHandler('completion/complete', ({ params }, { mcpReq: { signal } }) =>
    answering(async () => {
      const { ref, argument, context } = params
      const target =
        ref.type === 'ref/prompt'
          ? await view.prompt(ref.name, { signal })
          : await templateOf(view, ref.uri, { signal })
      const others = context?.arguments === undefined ? {} : { context: context.arguments }
      const completion = await view.hub.complete(asRef(target), argument, { signal, ...others })
      return { completion: { ...completion, values: completion.values.slice(0, mostValues) } }
    }),
  )
}

/** What the specification allows in one answer. */
const mostValues = 100

async function templateOf(view: View, uriTemplate: string, wait: WaitOptions): Promise<TemplateRef> {
  const { templates } = await view.catalogue(wait)
  const owner = templates.find((template) => template.uriTemplate === uriTemplate)?.server
  return { server: owner ?? (await view.serverOf(uriTemplate, wait)), uriTemplate }
}

function asRef(target: PromptRef | TemplateRef): PromptRef | TemplateRef {
  const { server } = target
  return 'prompt' in target ? { server, prompt: target.prompt } : { server, uriTemplate: target.uriTemplate }
}

function answerResources(desk: Desk): void {
  const { server, answering, view } = desk
  server.setRequestHandler('resources/list', (_request, { mcpReq: { signal } }) =>
    answering(async () => ({ resources: resourceDefinitions(await view.catalogue({ signal })) })),
  )
  server.setRequestHandler('resources/templates/list', (_request, { mcpReq: { signal } }) =>
    answering(async () => ({ resourceTemplates: templateDefinitions(await view.catalogue({ signal })) })),
  )
  server.setRequestHandler('resources/read', ({ params }, context) =>
    answering(
      async () => {
        const exchange = exchangeOf(desk, context, params)
        const owner = await view.serverOf(params.uri, exchange)
        const work: Work<ResourceContents> = ({ onAsk, signal }) => {
          const asks = askOptions({ askable: exchange.askable, onAsk, server: owner })
          return view.hub.read({ server: owner, uri: params.uri }, { signal, ...asks })
        }
        const outcome = await doWork(desk.waiting, exchange, { ...askingOf(desk), work })
        return resultOf(outcome, (value) => withoutRound(value as ResourceContents))
      },
      { uri: params.uri },
    ),
  )
}

function answerSubscriptions({ server, answering }: Desk, followed: () => FollowedResources): void {
  server.setRequestHandler('resources/subscribe', ({ params }) =>
    answering(async () => {
      await followed().follow(params.uri)
      return {}
    }),
  )
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    followed().unfollow(params.uri)
    return {}
  })
}

function exchangeOf(desk: Desk, { mcpReq }: ServerContext, params: object) {
  return readExchange(mcpReq, params, { ...desk, saysServer: askingOf(desk).saysServer })
}

function askingOf({ view }: Desk): { readonly caller: string; readonly saysServer: boolean } {
  return { caller: view.caller.name, saysServer: view.naming.hasPrefix }
}

function resultOf<Result>(outcome: Outcome<Value>, finish: (value: Value) => Result): Result | InputRequiredResult {
  if (outcome.kind === 'done') return finish(outcome.value)
  return inputRequired({ inputRequests: outcome.inputRequests, requestState: outcome.requestState })
}

/** Tells a client what has changed. */
export async function tellChanges(server: Server, kinds: ReadonlySet<ListKind>): Promise<void> {
  if (kinds.has('tools')) await server.sendToolListChanged()
  if (kinds.has('prompts')) await server.sendPromptListChanged()
  if (kinds.has('resources') || kinds.has('templates')) await server.sendResourceListChanged()
}
