import type { OwnTool } from '../../config/types.ts'
import { CapstanError } from '../../errors.ts'
import type { Sandbox } from '../../sandbox/api.ts'
import { version } from '../../version.ts'
import type { ExecEvent, JsonObject, LeftOutTool, ListKind, ToolEntry } from '../api.ts'
import type { Connection, Nesting, RequestOptions } from '../wire/connection.ts'
import { execute, type ExecHub } from '../exec.ts'
import type { ListingCache } from '../catalogue/listing-cache.ts'
import { ownToolResult } from './own-tool-result.ts'
import { ownToolReader } from './own-tool-reader.ts'
import { leftOutTools } from './own-tool-store.ts'
import type { OpenHooks } from '../servers/server-copy.ts'

export interface OwnToolsSetup {
  /** The tool files as they are now. */
  readonly find: () => Promise<readonly OwnTool[]>
  readonly cache: ListingCache
  readonly sandbox: () => Promise<Sandbox>
  /** The hub as a tool sees it that runs inside of so many others. */
  readonly hubFor: (nesting: Nesting) => ExecHub
  /** Calls back when a tool file, or what the person decided about it, may have changed. */
  readonly watch: (tools: readonly OwnTool[], onChange: () => void) => Disposable
  /** Takes note of the tools that are not there. */
  readonly onLeftOut: (tools: readonly LeftOutTool[]) => void
}

const outermost: Nesting = { depth: 0, deny: [] }

/** One tool may call another, and it a third: five runs inside one another are more than anybody means. */
const deepest = 4

/** The server of the person's own tools. There is no process and no wire: each call is a run in the sandbox. */
export function openOwnTools(setup: OwnToolsSetup, hooks: Pick<OpenHooks, 'onLog' | 'onListChanged'>): Connection {
  const know = ownToolReader(setup)
  const closed = Promise.withResolvers<void>()
  let watching: Disposable | undefined
  let lastNotes = ''
  let isClosed = false

  const connection = {
    era: 'modern' as const,
    protocolVersion: '2026-07-28',
    transport: 'memory' as const,
    implementation: { name: 'capstan', version },
    completes: false,
    hasSession: false,
    list: async (kind: ListKind, options: RequestOptions) => (kind === 'tools' ? listTools(options) : []),
    callTool,
    request: (method: string) => Promise.reject(onlyTools(method)),
    wasNotRun: () => false,
    closed: closed.promise,
    ended: closed.promise,
    async close() {
      isClosed = true
      watching?.[Symbol.dispose]()
      closed.resolve()
    },
  }
  return connection

  async function listTools({ signal, fresh }: RequestOptions): Promise<readonly JsonObject[]> {
    const tools = await setup.find()
    const usable = tools.filter(({ standing }) => standing.kind === 'usable')
    const facts = new Map(
      await Promise.all(usable.map(async (tool) => [tool, await know(tool, { signal, fresh })] as const)),
    )
    const leftOut = leftOutTools(tools, (tool) => facts.get(tool))
    noteLeftOut(leftOut)
    watchFrom(tools)
    const definitions = [...facts.values()].flatMap((one) => (one.kind === 'tool' ? [one.definition] : []))
    if (definitions.length === 0 && leftOut.length > 0) throw noneLeft(leftOut)
    return definitions
  }

  async function callTool({ tool: name }: ToolEntry, args: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { nesting: { depth, deny } = outermost, signal, idleMs, onAsk } = options
    if (depth > deepest) throw tooDeep(name)
    const tool = (await setup.find()).find((one) => one.name === name)
    if (tool === undefined) throw gone(name)
    const [leftOut] = leftOutTools([tool], () => undefined)
    if (leftOut !== undefined) throw CapstanError.fromJSON(leftOut.error)
    const facts = await know(tool, { signal })
    if (facts.kind === 'broken') throw CapstanError.fromJSON(facts.error)
    const outcome = await execute(await setup.sandbox(), setup.hubFor({ depth: depth + 1, deny }), {
      code: tool.code,
      language: tool.language,
      entry: { kind: 'function', args },
      depth,
      deny,
      limits: { timeMs: Math.ceil(idleMs) },
      ...(facts.allow === undefined ? {} : { allow: facts.allow }),
      ...(signal === undefined ? {} : { signal }),
      ...(onAsk === undefined ? {} : { onAsk }),
      onEvent: (event) => note(event, name),
    })
    return ownToolResult(outcome, tool, signal)
  }

  function note(event: ExecEvent, name: string): void {
    if (event.kind === 'log') hooks.onLog('message', `${name}: ${event.line.text}`)
    if (event.kind === 'missing')
      hooks.onLog('hub', `${name} runs without the tools of ${event.server}: ${event.error.message}`)
  }

  /** Said once, and again when it changes. */
  function noteLeftOut(leftOut: readonly LeftOutTool[]): void {
    setup.onLeftOut(leftOut)
    const notes = leftOut.map(({ error }) => `${error.message}${error.next === undefined ? '' : ` ${error.next}`}`)
    if (notes.join('\n') !== lastNotes) for (const text of notes) hooks.onLog('hub', text)
    lastNotes = notes.join('\n')
  }

  function watchFrom(tools: readonly OwnTool[]): void {
    watching?.[Symbol.dispose]()
    watching = isClosed ? undefined : setup.watch(tools, () => hooks.onListChanged('tools'))
  }
}

function onlyTools(method: string): CapstanError {
  return new CapstanError('server_error', `The server "my" has tools only, so it does not answer ${method}.`, {
    server: 'my',
  })
}

function gone(name: string): CapstanError {
  return new CapstanError('tool_unknown', `The file of the tool my.${name} has gone.`, {
    server: 'my',
    next: 'Run: capstan list my --fresh',
  })
}

function tooDeep(name: string): CapstanError {
  return new CapstanError(
    'limit_exceeded',
    `The tool my.${name} was not run: own tools call each other ${deepest + 1} deep at most.`,
    { server: 'my', next: 'Let the tool stop calling itself, or call fewer tools through others.' },
  )
}

/** What stands in place of a list with nothing in it. */
function noneLeft(leftOut: readonly LeftOutTool[]): CapstanError {
  const isTrust = leftOut.every(({ reason }) => reason !== 'broken')
  const message = leftOut.map(({ error }) => error.message).join(' ')
  return new CapstanError(isTrust ? 'not_trusted' : 'config_invalid', message, {
    server: 'my',
    next: isTrust ? 'Run: capstan review' : 'Run: capstan doctor my',
  })
}
