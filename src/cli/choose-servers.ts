import { CapstanError } from '../errors.ts'
import type { ServerStatus } from '../hub/api.ts'
import { closest } from '../hub/catalogue/names.ts'

/**
 * The servers a person named, in that order, or all of theirs: what came with Capstan is there for who names it. A name that is
 * not there is an error with the closest ones.
 */
export function chooseServers(statuses: readonly ServerStatus[], names: readonly string[]): readonly ServerStatus[] {
  if (names.length === 0) return statuses.filter(({ isBuiltin }) => isBuiltin !== true)
  return [...new Set(names)].map(
    (name) => statuses.find((status) => status.name === name) ?? unknownServer(name, statuses),
  )
}

function unknownServer(name: string, statuses: readonly ServerStatus[]): never {
  const known = statuses.filter(({ isBuiltin }) => isBuiltin !== true).map((status) => status.name)
  const hint =
    closest(
      name,
      statuses.map((status) => status.name),
    ) || (known.length === 0 ? ' No servers are configured.' : ` Configured: ${known.join(', ')}.`)
  throw new CapstanError('server_unknown', `No server "${name}".${hint}`, {
    server: name,
    next: known.length === 0 ? `Run: ${addExample}` : 'Run: capstan list',
  })
}

/** A disabled server among all others is left alone; one that was asked for by name deserves an answer. */
export function refuseDisabled(chosen: readonly ServerStatus[]): void {
  const disabled = chosen.find((status) => status.state.kind === 'disabled')
  if (disabled === undefined) return
  throw new CapstanError('server_disabled', `The server "${disabled.name}" is disabled.`, {
    server: disabled.name,
    next: `Run: capstan enable ${disabled.name}`,
  })
}

/** A command that adds a server anyone with Node can run. */
export const addExample = 'capstan add files -- npx -y @modelcontextprotocol/server-filesystem .'
