import { join } from 'node:path'
import { places } from '../files/places.ts'
import { serverIdentity } from './identity.ts'
import type { Config, RawEntry } from './types.ts'

/** Where is kept what tools were when they were first used: in the form of the store of trust, by server and tool. */
export function pinsFile(env: Readonly<Record<string, string | undefined>>): string {
  return join(places(env).state, 'pins.json')
}

/** What a server's pins stand under: its name, and what it runs. Another program of the same name is another server. */
export function pinKeys({ servers }: Config): (server: string) => string {
  const keys = new Map(
    servers.map(({ name, standing }) => {
      const identity = standing.kind === 'usable' ? serverIdentity(standing.server).slice(0, 16) : standing.kind
      return [name, `${name} ${identity}`]
    }),
  )
  return (server) => keys.get(server) ?? server
}

interface Defined {
  readonly title?: string
  readonly description?: string
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
  readonly annotations?: unknown
}

/** All of a tool's definition that a model goes by. */
export function pinnedDefinition({ title, description, inputSchema, outputSchema, annotations }: Defined): RawEntry {
  const definition = { title, description, inputSchema, outputSchema, annotations }
  // It came as JSON; what is absent goes.
  return JSON.parse(JSON.stringify(definition)) as RawEntry
}
