import { CapstanError } from '../errors.ts'
import type { Catalogue, Hub, ListKind, ToolEntry } from '../hub/api.ts'
import { findLeftOut, findTool, serversNamedIn } from '../hub/catalogue/names.ts'
import type { CommandContext } from './command.ts'

/**
 * A hub and just the part of the catalogue that can hold a typed name: the lists of the server it names, or of all servers for a
 * bare name. So a call to one server starts no other.
 */
export async function reachFor(
  context: CommandContext,
  name: string,
  kinds: readonly ListKind[],
): Promise<{ readonly hub: Hub; readonly catalogue: Catalogue }> {
  const meant = (names: readonly string[]) => serversNamedIn(name, names)
  const hub = await context.openHub((names) => (meant(names).length > 0 ? meant(names) : names))
  const statuses = await hub.servers({ signal: context.signal })
  const named = meant(statuses.map((status) => status.name))
  const isBuiltin = new Set(statuses.filter((status) => status.isBuiltin === true).map((status) => status.name))
  if (statuses.length === isBuiltin.size && named.length === 0 && !kinds.includes('prompts')) {
    throw new CapstanError('server_unknown', 'No servers are configured.', {
      next: 'Add one: capstan add NAME -- COMMAND, or: capstan import',
    })
  }
  const usable = statuses.filter(({ state }) => state.kind !== 'disabled').map((status) => status.name)
  const servers = named.length > 0 ? named : usable
  const catalogue = await hub.catalogue({ servers, kinds, signal: context.signal })
  const isHeld = [
    ...catalogue.tools.map(({ tool }) => tool),
    ...catalogue.prompts.map(({ prompt }) => prompt),
  ].includes(name)
  const isAnyThere = catalogue.servers.some(
    ({ kind, server }) => kind !== 'missing' && (isHeld || named.length > 0 || !isBuiltin.has(server)),
  )
  const [missing] = catalogue.servers.flatMap((coverage) => (coverage.kind === 'missing' ? [coverage.error] : []))
  // Nothing answered that could have held the name, so its absence says nothing: the failure is the news.
  if (!isAnyThere && missing !== undefined) throw CapstanError.fromJSON(missing)
  return { hub, catalogue }
}

/** The tool of that name. One that is left out, because it waits for approval for example, is told apart from a wrong name. */
export async function toolReached(
  { hub, catalogue }: { readonly hub: Hub; readonly catalogue: Catalogue },
  name: string,
): Promise<ToolEntry> {
  try {
    return findTool(catalogue, name)
  } catch (error) {
    const leftOut = findLeftOut(await hub.servers(), name)
    throw leftOut === undefined ? error : CapstanError.fromJSON(leftOut.error)
  }
}
