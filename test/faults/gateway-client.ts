import type { Client, Tool } from '@modelcontextprotocol/client'
import assert from 'node:assert/strict'
import { CapstanError, type ErrorJson } from '../../src/errors.ts'
import type {
  CallOptions,
  Catalogue,
  Coverage,
  Hub,
  HubEvent,
  JsonObject,
  ToolRef,
  ToolResult,
} from '../../src/hub/api.ts'
import { buildCatalogue, noLists, readList } from '../../src/hub/catalogue/catalogue.ts'
import { plainModelName } from '../../src/hub/catalogue/names.ts'
import { connectHttp, type EraName } from '../gateway/doors.ts'

/** Our own limits are looked at, not those of the client. */
const longestMs = 2 ** 31 - 1

/** A hub as a client of its gateway has it. The client comes with the first use, so that whoever wants to observe the hub before that can. */
export function hubThroughGateway(hub: Hub, door: { readonly url: URL; readonly era: EraName }): Hub {
  const listeners = new Set<(event: HubEvent) => void>()
  const listening = hub.on((event) => event.kind !== 'catalogue' && tell(event))
  const tell = (event: HubEvent) => listeners.forEach((listener) => listener(event))
  let entered: ReturnType<typeof enter> | undefined

  const client = async () => (await (entered ??= enter())).client

  return {
    ...hub,
    async call(tool, args, options = {}) {
      return callThrough(await client(), { tool, args, options })
    },
    async catalogue({ servers } = {}) {
      const names = servers ?? (await hub.servers()).map(({ name }) => name)
      return catalogueOf(await client(), names)
    },
    on(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
    async [Symbol.asyncDispose]() {
      listening[Symbol.dispose]()
      await (await entered)?.[Symbol.asyncDispose]()
    },
  }

  /** What has changed is told as the client learns of it: it hears that something has, and lists again. */
  async function enter() {
    let known: readonly string[] = []
    const lookAgain = async () => {
      const names = await namesOf(connected.client)
      const events = differences(known, names)
      known = names
      events.forEach(tell)
    }
    // It fails only when the client is closed in the middle of it.
    const onChanged = () => void lookAgain().catch(() => {})
    const options = { listChanged: { tools: { onChanged, autoRefresh: false, debounceMs: 0 } } }
    const connected = await connectHttp(door.url, door.era, { options })
    known = await namesOf(connected.client)
    return connected
  }
}

interface Call {
  readonly tool: ToolRef
  readonly args: JsonObject
  readonly options: CallOptions
}

async function callThrough(client: Client, { tool, args, options }: Call): Promise<ToolResult> {
  const { signal, onProgress, idleSeconds } = options
  assert.equal(idleSeconds, undefined, 'a client of a gateway cannot say how long a server may be silent')
  const result = await client
    .callTool(
      { name: plainModelName(tool), arguments: args },
      {
        timeout: longestMs,
        ...(signal === undefined ? {} : { signal }),
        ...(onProgress === undefined ? {} : { onprogress: onProgress }),
      },
    )
    .catch((error: unknown) => {
      throw failureIn(error) ?? error
    })
  const failure = failureOfResult(result)
  if (failure !== undefined) throw failure
  return result
}

/** Calls that fail are results: the model reads the sentence, and programs find the same beside it. */
function failureOfResult({ isError, content, _meta: meta }: ToolResult): CapstanError | undefined {
  const json = meta?.['capstan/error'] as ErrorJson | undefined
  if (json === undefined) return undefined
  assert.equal(isError, true)
  const [said] = content
  assert.equal(said?.type === 'text' ? said.text : '', [json.message, json.next].filter(Boolean).join(' '))
  return CapstanError.fromJSON(json)
}

/** Of an error of the protocol, what a program finds beside its words. */
function failureIn(error: unknown): CapstanError | undefined {
  const data: unknown = error instanceof Error && 'data' in error ? error.data : undefined
  const isOurs = typeof data === 'object' && data !== null && 'code' in data && typeof data.code === 'string'
  return isOurs ? CapstanError.fromJSON(data as ErrorJson) : undefined
}

async function toolsOf(client: Client): Promise<readonly Tool[]> {
  return (await client.listTools()).tools
}

async function namesOf(client: Client): Promise<readonly string[]> {
  return (await toolsOf(client)).map(({ name }) => name)
}

function differences(before: readonly string[], after: readonly string[]): readonly HubEvent[] {
  const added = after.filter((name) => !before.includes(name)).map(parts)
  const removed = before.filter((name) => !after.includes(name)).map(parts)
  const servers = new Set([...added, ...removed].map(({ server }) => server))
  return [...servers].map((server) => {
    const own = (all: readonly ToolRef[]) => all.filter((one) => one.server === server).map(({ tool }) => tool)
    return {
      kind: 'catalogue',
      server,
      difference: { kind: 'tools', added: own(added), removed: own(removed), changed: [] },
    }
  })
}

/** The names of the fixtures hold no `__`, so that here it can be said where a server's ends. */
function parts(name: string): ToolRef {
  const [server = '', tool = ''] = name.split('__')
  return { server, tool }
}

/** How each server stands, as far as a client can tell: by its tools, by the mark on them, and by what they say when they are called. */
async function catalogueOf(client: Client, servers: readonly string[]): Promise<Catalogue> {
  const tools = await toolsOf(client)
  return buildCatalogue(
    await Promise.all(
      servers.map(async (server) => {
        const own = tools.filter(({ name }) => parts(name).server === server)
        const items = own.map((tool) => ({ ...tool, name: parts(tool.name).tool }) as JsonObject)
        const lists = { ...noLists, tools: readList('tools', server, items).entries }
        return { coverage: await coverageOf(client, server, own), lists }
      }),
    ),
  )
}

async function coverageOf(client: Client, server: string, tools: readonly Tool[]): Promise<Coverage> {
  const marks = tools.map(({ _meta: meta }) => meta?.['capstan/trouble']).filter((mark) => typeof mark === 'string')
  const [message] = marks
  assert.ok(message === undefined || marks.length === tools.length, `only some tools of ${server} are marked`)
  if (message !== undefined) return { kind: 'stale', server, error: { code: 'transport_failed', message, server } }
  if (tools.length > 0) return { kind: 'listed', server }
  const any = { tool: { server, tool: 'any' }, args: {}, options: {} }
  const error: unknown = await callThrough(client, any).catch((failure: unknown) => failure)
  assert.ok(error instanceof CapstanError, `no reason for the missing tools of ${server}: ${String(error)}`)
  return { kind: 'missing', server, error: error.toJSON() }
}
