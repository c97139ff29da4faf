import { CapstanError } from '../errors.ts'
import type { ToolRef } from '../hub/values.ts'
import type { RunOptions } from './api.ts'

export type FoundTool =
  | { readonly kind: 'found'; readonly tool: ToolRef }
  | { readonly kind: 'missing'; readonly error: CapstanError }

/** The tool that a snippet named: by its own name, or with `_` for what JavaScript does not take in an identifier. */
export function findTool(
  wanted: ToolRef,
  { tools, nearest, whyAbsent }: Pick<RunOptions, 'tools' | 'nearest' | 'whyAbsent'>,
): FoundTool {
  const servers = Object.keys(tools)
  const server = matching(wanted.server, servers)
  const tool = server === undefined ? undefined : matching(wanted.tool, tools[server] ?? [])
  if (server !== undefined && tool !== undefined) return { kind: 'found', tool: { server, tool } }

  const reason = whyAbsent?.(wanted)
  if (reason !== undefined) return { kind: 'missing', error: reason }
  const all = servers.flatMap((name) => (tools[name] ?? []).map((one) => `${name}.${one}`))
  if (server !== undefined) {
    const close = closest(nearest(`${server}.${wanted.tool}`, all))
    const message = `No tool "${wanted.tool}" at server "${server}".${close}`
    return { kind: 'missing', error: new CapstanError('tool_unknown', message, { server }) }
  }
  const close = [...nearest(wanted.server, servers), ...nearest(`${wanted.server}.${wanted.tool}`, all)]
  return {
    kind: 'missing',
    error: new CapstanError('server_unknown', `No server "${wanted.server}".${closest(close)}`),
  }
}

function matching(wanted: string, names: readonly string[]): string | undefined {
  if (names.includes(wanted)) return wanted
  const alike = names.filter((name) => name.replaceAll(/[^A-Za-z0-9_$]/g, '_') === wanted)
  return alike.length === 1 ? alike[0] : undefined
}

function closest(names: readonly string[]): string {
  return names.length === 0 ? ' Find one with search("…").' : ` Closest: ${names.join(', ')}.`
}
