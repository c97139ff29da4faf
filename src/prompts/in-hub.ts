import type { Connection, RequestOptions } from '../hub/wire/connection.ts'
import type { JsonObject, ListKind, ToolEntry } from '../hub/api.ts'
import type { OpenHooks } from '../hub/servers/server-copy.ts'
import { CapstanError } from '../errors.ts'
import { version } from '../version.ts'
import { fieldsOf } from './fields.ts'
import { openLibrary, type LibraryOptions, type OpenedLibrary } from './open-library.ts'
import { openProposals } from './proposals.ts'
import type { PromptSearch } from './search.ts'
import type { Library } from './server/library.ts'
import { completeArgument, getPrompt, listed } from './server/prompt-requests.ts'
import { getPromptTool } from './server/read-tools.ts'
import { searchPromptsTool } from './server/search-tool.ts'
import { seenValues } from './server/seen-values.ts'
import { serverLog } from './server/server-log.ts'
import { toolArguments, type FormAnswer, type ToolOutcome } from './server/tool.ts'

/** What people have no better way to than a model has: the command line does the rest. */
const tools = [searchPromptsTool, getPromptTool]

/** What the library offers inside a hub, told without opening a connection to it. */
export async function listInHub(options: LibraryOptions, kind: ListKind): Promise<readonly JsonObject[]> {
  if (kind !== 'prompts') return kind === 'tools' ? toolDefinitions() : []
  await using store = openLibrary(options).store
  return (await store.list()).map((stored) => asObject(listed(stored)))
}

/** What would be suggested for an argument, told without opening a connection. */
export async function suggestInHub(
  options: LibraryOptions,
  prompt: string,
  argument: { readonly name: string; readonly value: string },
): Promise<readonly string[]> {
  const library = libraryOf(openLibrary(options), () => {})
  await using _store = library.store
  const params = { ref: { type: 'ref/prompt', name: prompt }, argument }
  const { completion } = await completeArgument(library, fieldsOf(params, { owner: 'completion', path: '' }))
  return completion.values
}

/**
 * The library as a server of a hub in the same process. There is no wire: requests are answered by the same functions that
 * serve other programs, without the protocol between, which would take longer to load than to answer.
 */
export function openInHub(options: LibraryOptions, hooks: Pick<OpenHooks, 'onLog' | 'onListChanged'>): Connection {
  const library = libraryOf(openLibrary(options), (line) => hooks.onLog('hub', line.trimEnd()))
  const { store } = library
  const listening = store.onChange(() => hooks.onListChanged('prompts'))
  const closed = Promise.withResolvers<void>()
  return {
    era: 'modern',
    protocolVersion: '2026-07-28',
    transport: 'memory',
    implementation: { name: 'capstan-prompts', version },
    completes: true,
    hasSession: false,
    list: async (kind) => {
      if (kind === 'tools') return toolDefinitions()
      return kind === 'prompts' ? (await store.list()).map((stored) => asObject(listed(stored))) : []
    },
    callTool: (tool, args, request) => callTool(library, { tool, args, request }),
    request: (method, params) => answer(library, method, params),
    wasNotRun: () => false,
    closed: closed.promise,
    ended: closed.promise,
    async close() {
      listening[Symbol.dispose]()
      await store[Symbol.asyncDispose]()
      closed.resolve()
    },
  }
}

function libraryOf(opened: OpenedLibrary, note: (line: string) => void): Library {
  return {
    store: opened.store,
    search: searchWhenNeeded(opened),
    proposals: openProposals(opened.proposalsFile),
    writing: 'none',
    pageSize: Infinity,
    seen: seenValues(),
    log: serverLog(note),
  }
}

interface Call {
  readonly tool: ToolEntry
  readonly args: JsonObject
  readonly request: RequestOptions
}

async function callTool(library: Library, { tool: { tool: name }, args, request }: Call): Promise<JsonObject> {
  const tool = tools.find(({ definition }) => definition.name === name)
  if (tool === undefined) throw unknownTool(name)
  const { onAsk, signal = new AbortController().signal } = request
  const run = async (answered?: FormAnswer): Promise<ToolOutcome> =>
    await tool.run(toolArguments(tool, args), { library, by: 'capstan', canAsk: onAsk !== undefined, answer: answered })
  const first = await run()
  if (first.kind === 'result') return asObject(first.result)
  const { message, schema } = first
  const answered = await onAsk?.({ kind: 'form', server: 'prompts', message, schema: asObject(schema) }, { signal })
  const second = await run(answered ?? { action: 'cancel' })
  if (second.kind === 'form') throw new Error('a form was asked for twice')
  return asObject(second.result)
}

async function answer(library: Library, method: string, params: JsonObject): Promise<JsonObject> {
  const fields = fieldsOf(params, { owner: method, path: '' })
  if (method === 'prompts/get') return asObject(await getPrompt(library, fields))
  if (method === 'completion/complete') return asObject(await completeArgument(library, fields))
  throw new CapstanError('server_error', `The server "prompts" does not answer ${method}.`, { server: 'prompts' })
}

/** The index is only made by who searches. */
function searchWhenNeeded(opened: OpenedLibrary): PromptSearch {
  let made: Promise<PromptSearch> | undefined
  const make = () =>
    (made ??= import('./search.ts').then(({ makePromptSearch }) => makePromptSearch(opened.store, opened)))
  return {
    search: async (query, options) => {
      const search = await make()
      const hits = await search.search(query, options)
      await search.keep()
      return hits
    },
    keep: async () => await (await make()).keep(),
  }
}

function toolDefinitions(): readonly JsonObject[] {
  return tools.map(({ definition }) => asObject(definition))
}

function unknownTool(name: string): CapstanError {
  return new CapstanError('tool_unknown', `The server "prompts" has no tool "${name}".`, { server: 'prompts' })
}

/** What crosses to the hub is plain JSON, as it would be from any other server. */
function asObject(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}
