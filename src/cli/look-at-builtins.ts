import type { Config } from '../config/types.ts'
import { builtinServers } from '../daemon/builtins.ts'
import type { ListKind } from '../hub/api.ts'
import { noLists, readList, type Lists } from '../hub/catalogue/catalogue.ts'
import type { BuiltinServer } from '../hub/servers/setup.ts'

/** What comes with Capstan, as a look sees it. */
export interface BuiltinLook {
  readonly name: string
  readonly description?: string
  /** Absent where nobody asks for it. */
  readonly lists?: Lists
}

export interface LookQuestion {
  /** Which servers are needed, given all their names. */
  readonly needs: (names: readonly string[]) => readonly string[]
  readonly kinds: readonly ListKind[]
  readonly trustProject: boolean
}

/** The servers that a look needs, with what those among them offer that come with Capstan: they can be asked without starting anything. */
export async function lookAtBuiltins(
  config: Config,
  { needs, kinds, trustProject }: LookQuestion,
): Promise<{ readonly servers: readonly string[]; readonly builtins: readonly BuiltinLook[] }> {
  const configured = new Set(config.servers.map(({ name }) => name))
  const builtins = builtinServers(config, trustProject).filter(({ name }) => !configured.has(name))
  const all = [...configured, ...builtins.map(({ name }) => name)]
  const wanted = new Set(needs(all))
  const isEverything = all.every((name) => wanted.has(name))
  const isAsked = (name: string) => wanted.has(name) && (!isEverything || kinds.includes('prompts'))
  const looks = builtins.map(async (builtin): Promise<BuiltinLook> => {
    const { name, description } = builtin
    const about = description === undefined ? {} : { description }
    return { name, ...about, ...(isAsked(name) ? { lists: await listsOf(builtin, kinds) } : {}) }
  })
  for (const { name } of builtins) if (!isAsked(name)) wanted.delete(name)
  return { servers: [...wanted], builtins: await Promise.all(looks) }
}

async function listsOf({ name, list }: BuiltinServer, kinds: readonly ListKind[]): Promise<Lists> {
  if (list === undefined) return noLists
  const read = await Promise.all(
    kinds.map(async (kind) => [kind, readList(kind, name, await list(kind)).entries] as const),
  )
  return { ...noLists, ...Object.fromEntries(read) }
}
