import { createHash } from 'node:crypto'
import { modelNames, type ToolEntry } from '../../index.ts'

const longest = 64

export interface NameOptions {
  /** Names that the host's own tools have. */
  readonly reserved: ReadonlySet<string>
  /** Names that tools had in this thread before, by their id: a conversation that uses them goes on. */
  readonly kept: ReadonlyMap<string, string>
}

/**
 * The names that a model sees, by a tool's id: the hub's, which fit all providers but one (Google wants a letter or `_` first). A
 * name that is taken already gets a hash of the tool's own.
 */
export function providerNames(
  tools: readonly ToolEntry[],
  { reserved, kept }: NameOptions,
): ReadonlyMap<string, string> {
  // Anew, and not as the hub has them: the lists of servers come one by one, and names may clash across them.
  const names = modelNames(tools)
  const taken = new Set([...reserved, ...kept.values()])
  return new Map(
    tools.map((tool) => {
      const name = withLetterFirst(names.get(tool) ?? tool.modelName, tool)
      return [tool.id, kept.get(tool.id) ?? (taken.has(name) ? withHash(name, tool) : name)]
    }),
  )
}

function withLetterFirst(name: string, tool: ToolEntry): string {
  if (/^[A-Za-z_]/.test(name)) return name
  return name.length < longest ? `_${name}` : withHash(`_${name}`, tool)
}

function withHash(name: string, { server, tool }: ToolEntry): string {
  const suffix = `_${createHash('sha256').update(`${server}\n${tool}`).digest('hex').slice(0, 8)}`
  return name.slice(0, longest - suffix.length) + suffix
}
