import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  Server,
  inputRequired,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { createHash } from 'node:crypto'
import type { Era, JsonObject, ListKind, PromptResult, ResourceContents, ToolResult } from '../hub/api.ts'
import { version } from '../version.ts'
import { cleanResult, withoutRound } from './clean-result.ts'
import type { Exchange } from './exchange.ts'
import type { FollowedResources } from './followed-resources.ts'
import { failedCall, toProtocolError } from './failure.ts'
import { promptDefinition, resourceDefinitions, templateDefinitions } from './surface.ts'
import { calledTool, listTools, type ToolDesk } from './tool-requests.ts'
import type { WaitingCalls } from './waiting-calls.ts'
import { askableOf, askOptions, askRequest, readAnswer } from './wire-asks.ts'
import { doWork, type Outcome } from './work.ts'

export interface ServerSetup extends ToolDesk {
  readonly era: Era
  readonly instructions: string
  readonly waiting: WaitingCalls<ToolResult | PromptResult | ResourceContents>
  /** Whether what servers log goes on to the client: nobody can tell for whom of several they say it. */
  readonly passesLogs: boolean
  /** What the client follows; absent where a connection is only one request. */
  readonly followed?: () => FollowedResources
  readonly note: (text: string) => void
}

/** The gateway as one MCP server, for one connection or, in the modern era over HTTP, for one request. */
export function protocolServer(setup: ServerSetup): Server {
  const { view, era, waiting, followed } = setup
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
  const saysServer = view.naming.hasPrefix
  const asking = { caller: view.caller.name, saysServer }

  server.setRequestHandler('tools/list', (_request, { mcpReq }) =>
    answering(async () => ({ tools: await listTools(setup, mcpReq.signal) })),
  )
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const exchange = exchangeOf(context, params)
    try {
      // What came over the wire is JSON.
      const args = (params.arguments ?? {}) as JsonObject
      const { work, tool } = await calledTool(setup, { name: params.name, args, exchange })
      const outcome = await doWork(waiting, exchange, { ...asking, work })
      const finish = (value: unknown) => {
        const result = cleanResult(value as ToolResult)
        return tool === undefined ? result : server.projectCallToolResult(result, tool.outputSchema)
      }
      return resultOf(outcome, finish)
    } catch (error) {
      return failedCall(error, setup.note)
    }
  })
  server.setRequestHandler('prompts/list', (_request, { mcpReq: { signal } }) =>
    answering(async () => {
      const { prompts } = await view.catalogue({ signal })
      return { prompts: prompts.map((prompt) => promptDefinition(prompt, view.naming)) }
    }),
  )
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    answering(async () => {
      const exchange = exchangeOf(context, params)
      const { server: owner, prompt } = await view.prompt(params.name, exchange)
      const outcome = await doWork(waiting, exchange, {
        ...asking,
        work: ({ onAsk, signal }) =>
          view.hub.prompt({ server: owner, prompt }, params.arguments ?? {}, {
            signal,
            ...askOptions({ askable: exchange.askable, onAsk, server: owner }),
          }),
      })
      return resultOf(outcome, (value) => withoutRound(value as PromptResult))
    }),
  )
  server.setRequestHandler('resources/list', (_request, { mcpReq: { signal } }) =>
    answering(async () => ({ resources: resourceDefinitions(await view.catalogue({ signal })) })),
  )
  server.setRequestHandler('resources/templates/list', (_request, { mcpReq: { signal } }) =>
    answering(async () => ({ resourceTemplates: templateDefinitions(await view.catalogue({ signal })) })),
  )
  server.setRequestHandler('resources/read', ({ params }, context) =>
    answering(async () => {
      const exchange = exchangeOf(context, params)
      const owner = await view.serverOf(params.uri, exchange)
      const outcome = await doWork(waiting, exchange, {
        ...asking,
        work: ({ onAsk, signal }) =>
          view.hub.read(
            { server: owner, uri: params.uri },
            { signal, ...askOptions({ askable: exchange.askable, onAsk, server: owner }) },
          ),
      })
      return resultOf(outcome, (value) => withoutRound(value as ResourceContents))
    }),
  )
  if (followed !== undefined) {
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
  server.setRequestHandler('completion/complete', ({ params }, { mcpReq: { signal } }) =>
    answering(async () => {
      const { ref, argument, context } = params
      const target =
        ref.type === 'ref/prompt'
          ? await view.prompt(ref.name, { signal })
          : { server: await ownerOf(ref.uri, signal), uriTemplate: ref.uri }
      const others = context?.arguments
      const completion = await view.hub.complete(
        'prompt' in target ? { server: target.server, prompt: target.prompt } : target,
        argument,
        { signal, ...(others === undefined ? {} : { context: others }) },
      )
      return { completion: { ...completion, values: [...completion.values].slice(0, 100) } }
    }),
  )
  return server

  async function answering<Result>(answer: () => Promise<Result>): Promise<Result> {
    try {
      return await answer()
    } catch (error) {
      throw toProtocolError(error, setup.note)
    }
  }

  async function ownerOf(uriTemplate: string, signal: AbortSignal): Promise<string> {
    const { templates } = await view.catalogue({ signal })
    const owner = templates.find((template) => template.uriTemplate === uriTemplate)?.server
    return owner ?? view.serverOf(uriTemplate, { signal })
  }

  function exchangeOf({ mcpReq }: ServerContext, params: object): Exchange {
    const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope }
    const askable = askableOf(envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities())
    const progressToken = mcpReq._meta?.progressToken
    const notify = (send: Promise<void>) => void send.catch((error: unknown) => setup.note(String(error)))
    return {
      client: nameOf(envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion()),
      signal: mcpReq.signal,
      askable,
      meta: passedMeta(mcpReq, setup.passesLogs),
      log: (level, text, logger) => {
        if (setup.passesLogs) notify(mcpReq.log(level, text, logger))
      },
      ...(progressToken === undefined
        ? {}
        : {
            onProgress: (progress) =>
              notify(mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...progress } })),
          }),
      ...(era === 'legacy'
        ? {
            ask: async (ask, { signal }) => {
              const { method, params: asked } = askRequest(ask, { saysServer })
              const withId = ask.kind === 'url' ? { ...asked, elicitationId: crypto.randomUUID() } : asked
              const options = { signal, timeout: longestTimer }
              return readAnswer(ask, await mcpReq.send({ method, params: withId }, options))
            },
          }
        : { round: roundOf(mcpReq, params) }),
    }
  }
}

/** Our own limits hold, not the SDK's. */
const longestTimer = 2 ** 31 - 1

/**
 * The trace goes on to the server, and the level from which the client wants to hear what it logs. Nothing else: `baggage` in particular may
 * hold what is nobody's business.
 */
function passedMeta({ _meta, envelope }: ServerContext['mcpReq'], passesLogs: boolean): JsonObject {
  const { traceparent, tracestate } = { ..._meta } as Readonly<Record<string, unknown>>
  const { [LOG_LEVEL_META_KEY]: level } = { ...(passesLogs ? envelope : {}) } as Readonly<Record<string, unknown>>
  const isTraced = typeof traceparent === 'string' && traceForm.test(traceparent)
  return {
    ...(isTraced ? { traceparent } : {}),
    ...(isTraced && typeof tracestate === 'string' && tracestate.length <= 512 ? { tracestate } : {}),
    ...(typeof level === 'string' ? { [LOG_LEVEL_META_KEY]: level } : {}),
  }
}

const traceForm = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

function resultOf<Result>(outcome: Outcome<unknown>, finish: (value: unknown) => Result): Result | InputRequiredResult {
  if (outcome.kind === 'done') return finish(outcome.value)
  return inputRequired({ inputRequests: outcome.inputRequests, requestState: outcome.requestState })
}

function roundOf(
  { method, inputResponses, requestState }: ServerContext['mcpReq'],
  params: object,
): Exchange['round'] & {} {
  const { _meta, ...named } = params as Readonly<Record<string, unknown>>
  const state: unknown = requestState()
  return {
    request: createHash('sha256')
      .update(JSON.stringify([method, named]))
      .digest('base64url'),
    answers: inputResponses ?? {},
    ...(typeof state === 'string' ? { state } : {}),
  }
}

function nameOf(info: unknown): string {
  const name = typeof info === 'object' && info !== null && 'name' in info ? info.name : undefined
  return typeof name === 'string' ? name.slice(0, 80) : 'unknown'
}

/** Tells a client what has changed. */
export async function tellChanges(server: Server, kinds: ReadonlySet<ListKind>): Promise<void> {
  if (kinds.has('tools')) await server.sendToolListChanged()
  if (kinds.has('prompts')) await server.sendPromptListChanged()
  if (kinds.has('resources') || kinds.has('templates')) await server.sendResourceListChanged()
}
