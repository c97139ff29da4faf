import { CapstanError, errorFamilies } from '../errors.ts'
import { isDenied } from '../policy/decide.ts'
import type { CallOptions, JsonObject, ToolEntry, ToolRef, ToolResult } from './api.ts'
import type { SchemaCheck } from './arguments/check-arguments.ts'
import type { Nesting } from './wire/connection.ts'
import { closest } from './catalogue/names.ts'
import type { ServerSet } from './servers/server-set.ts'
import type { LiveServer } from './servers/server.ts'

interface Call {
  readonly servers: ServerSet
  readonly loadCheck: () => Promise<SchemaCheck>
  readonly ref: ToolRef
  readonly args: JsonObject
  /** Where the call comes from a run in the sandbox. */
  readonly nesting?: Nesting | undefined
}

/**
 * Calls a tool. A server that cannot be reached has got nothing, so the one named as its `fallback` may be asked for the same
 * tool instead; the result says so.
 */
export async function callTool(call: Call, options: CallOptions): Promise<ToolResult> {
  const server = call.servers.named(call.ref.server)
  try {
    await server.connection(options.signal)
  } catch (error) {
    const other = call.servers.fallbackOf(server.name)
    if (other === undefined || !isUnreachable(error) || options.signal?.aborted) throw error
    return callElsewhere(call, { other, error, options })
  }
  return callHere(call, server, options)
}

function isUnreachable(error: unknown): error is CapstanError {
  return error instanceof CapstanError && errorFamilies[error.code] === 'connection'
}

interface Detour {
  readonly other: string
  /** Why the first choice could not be reached. */
  readonly error: CapstanError
  readonly options: CallOptions
}

/** One step only: a chain of fallbacks would end where nobody expects it. */
async function callElsewhere(call: Call, { other, error, options }: Detour): Promise<ToolResult> {
  const { server, tool } = call.ref
  const elsewhere = call.servers.named(other)
  await elsewhere.connection(options.signal).catch(() => {
    throw error
  })
  const result = await callHere({ ...call, ref: { server: other, tool } }, elsewhere, options)
  const note = `Server "${server}" could not be reached, so its fallback "${other}" was asked. ${error.message}`
  return { ...result, warnings: [...(result.warnings ?? []), note] }
}

/** Everything that can be refused is refused before a byte is sent. */
async function callHere(
  { servers, loadCheck, ref, args, nesting }: Call,
  server: LiveServer,
  { signal, onProgress, onAsk, onRoots, idleSeconds, meta }: CallOptions,
): Promise<ToolResult> {
  const tool = await toolNamed(servers, ref, signal)
  if (isDenied(servers.denied(ref.server), ref)) {
    throw new CapstanError('not_allowed', `The tool ${tool.id} is denied by the config.`, {
      server: ref.server,
      next: 'Remove it from "deny" of the server to use it.',
    })
  }
  const check = await loadCheck()
  check.assertArguments(tool, args)
  const idleMs = idleSeconds === undefined ? server.limits.idleMs : idleSeconds * 1000
  const maxMs = Math.max(server.limits.maxMs, idleMs)
  const result = await server.callTool(tool, args, {
    signal,
    onProgress,
    onAsk,
    onRoots,
    idleMs,
    maxMs,
    meta,
    nesting,
  })
  return asToolResult(result, tool, check)
}

async function toolNamed(
  servers: ServerSet,
  { server: serverName, tool: name }: ToolRef,
  signal: AbortSignal | undefined,
): Promise<ToolEntry> {
  const server = servers.named(serverName)
  const known = (await server.list('tools', { signal })).entries.find((tool) => tool.tool === name)
  if (known !== undefined) return known
  // Not every server announces its changes: ask once more before saying no.
  const { entries } = await server.list('tools', { signal, fresh: true })
  const found = entries.find((tool) => tool.tool === name)
  if (found !== undefined) return found
  const leftOut = servers.leftOut(serverName).find((tool) => tool.tool === name)
  if (leftOut !== undefined) throw CapstanError.fromJSON(leftOut.error)
  const near = closest(
    `${server.name}.${name}`,
    entries.map((tool) => tool.id),
  )
  throw new CapstanError('tool_unknown', `Server "${server.name}" has no tool "${name}".${near}`, {
    server: server.name,
    next: `Run: capstan list ${server.name}`,
  })
}

function asToolResult(result: JsonObject, tool: ToolEntry, check: SchemaCheck): ToolResult {
  const whole = (Array.isArray(result['content']) ? result : { ...result, content: [] }) as ToolResult
  if (whole.isError === true || tool.outputSchema === undefined) return whole
  const { structuredContent } = whole
  const problems =
    structuredContent === undefined ? ['it has no structured content'] : check.outputProblems(tool, structuredContent)
  if (problems.length === 0) return whole
  return { ...whole, warnings: [`The output of ${tool.id} does not fit its own schema: ${problems.join('; ')}.`] }
}
