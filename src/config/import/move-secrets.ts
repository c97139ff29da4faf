import { replaceSecrets, type SecretSpot } from '../../policy/secrets.ts'
import type { RawEntry } from '../types.ts'

export interface NamedEntry {
  readonly name: string
  readonly entry: RawEntry
}

export interface MovedSecrets {
  /** The entries with `${NAME}` where a literal secret stood. */
  readonly servers: readonly NamedEntry[]
  /** The variables that those entries now need, with their values. */
  readonly variables: ReadonlyMap<string, string>
  /** Secrets in fields where `${…}` would not be filled in; they stay where they are. */
  readonly left: readonly { readonly server: string; readonly label: string }[]
}

export interface TakenVariables {
  /** What the secrets file holds already. */
  readonly known: ReadonlyMap<string, string>
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Takes the literal secrets out of entries. A name that already means another value is not used again. Pure. */
export function moveSecrets(servers: readonly NamedEntry[], { known, env }: TakenVariables): MovedSecrets {
  const variables = new Map<string, string>()
  const left: { server: string; label: string }[] = []
  const isFree = (name: string, value: string): boolean =>
    [variables.get(name), known.get(name), env[name]].every((other) => other === undefined || other === value)
  const moved = servers.map(({ name: server, entry }) => ({
    name: server,
    entry: replaceSecrets(entry, (spot) => {
      if (!interpolatedFields.has(spot.field)) {
        left.push({ server, label: spot.label })
        return spot.value
      }
      const variable = freeVariable(server, spot, isFree)
      variables.set(variable, spot.value)
      return `\${${variable}}`
    }),
  }))
  return { servers: moved, variables, left }
}

const interpolatedFields = new Set(['command', 'args', 'env', 'cwd', 'url', 'headers'])

/** The variable's own name where it is free; else with the server before it, then with a number behind it. */
function freeVariable(
  server: string,
  { label, value }: SecretSpot,
  isFree: (name: string, value: string) => boolean,
): string {
  if (/^[A-Z_][A-Z0-9_]*$/.test(label) && isFree(label, value)) return label
  const long = asVariable(`${server}_${/^authorization$/i.test(label) ? 'TOKEN' : label}`)
  if (isFree(long, value)) return long
  for (let number = 2; ; number += 1) if (isFree(`${long}_${number}`, value)) return `${long}_${number}`
}

function asVariable(text: string): string {
  const words = text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toUpperCase()
  return /^\d/.test(words) ? `_${words}` : words
}
