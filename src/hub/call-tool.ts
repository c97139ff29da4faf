import { CapstanError } from '../errors.ts'
import { isDenied } from '../policy/decide.ts'
import type { Hub, JsonObject, ToolEntry, ToolRef, ToolResult } from './api.ts'
import type { SchemaCheck } from './check-arguments.ts'
import type { Nesting } from './exec.ts'
import { closest } from './names.ts'
import type { ServerSet } from './server-set.ts'

interface Call {
  readonly servers: ServerSet
  readonly loadCheck: () => Promise<SchemaCheck>
  readonly ref: ToolRef
  readonly args: JsonObject
  /** Where the call comes from a run in the sandbox. */
  readonly nesting?: Nesting | undefined
}

/** Everything that can be refused is refused before a byte is sent. */
export async function callTool(
  { servers, loadCheck, ref, args, nesting }: Call,
  { signal, onProgress, idleSeconds }: Parameters<Hub['call']>[2] & {},
): Promise<ToolResult> {
  const server = servers.named(ref.server)
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
  const options = { signal, onProgress, idleMs, maxMs: Math.max(server.limits.maxMs, idleMs), ...nesting }
  const result = await server.callTool(tool, args, options)
  return asToolResult(result, tool, check)
}

async function toolNamed(
  servers: ServerSet,
  { server: serverName, tool: name }: ToolRef,
  signal: AbortSignal | undefined,
): Promise<ToolEntry> {
  const server = servers.named(serverName)
  // A list from before would do for the name, but not for the call: one attempt to connect is enough to know.
  await server.connection(signal)
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
