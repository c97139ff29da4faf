import { CapstanError } from '../../errors.ts'
import { clientFiles, clients, type ClientId, type ImportSurroundings } from '../import/clients.ts'
import { listServers } from '../import/documents.ts'
import { readExact } from './client-text.ts'
import type { Connection, RawServer } from './connections.ts'
import { rawServer, readDocument } from './edit-document.ts'
import { isOurs } from './plan-connect.ts'
import { isObject } from '../../json.ts'

/** The connections of a client, the newest first, or the entries found without one. */
export async function connectionsOf(
  client: ClientId,
  connections: readonly Connection[],
  surroundings: ImportSurroundings,
): Promise<readonly Connection[]> {
  const known = connections.filter((connection) => connection.client === client).toReversed()
  const found = known.length > 0 ? known : await strayConnections(client, surroundings)
  if (found.length > 0) return found
  throw new CapstanError(
    'config_invalid',
    `${clients[client].title} is not connected: no file of it leads to Capstan.`,
    {
      next: `To connect it: capstan connect ${client}`,
    },
  )
}

/** Entries that lead to Capstan in files that no connection tells of: written by hand, or from a lost state folder. */
async function strayConnections(client: ClientId, surroundings: ImportSurroundings): Promise<readonly Connection[]> {
  const paths = clientFiles(client, surroundings).filter(({ scope }) => scope === 'user')
  const found = await Promise.all(
    paths.map(async ({ path }) => {
      const text = (await readExact(path)) ?? ''
      const document = await readDocument(text, { client, path })
      const ours = listServers(client, document).servers.filter(isOurs(client))
      return ours.flatMap(({ name }) => {
        const raw = rawServer(document, client, name)
        return isObject(raw) ? [strayConnection({ client, path }, { name, raw })] : []
      })
    }),
  )
  return found.flat()
}

function strayConnection(place: { readonly client: ClientId; readonly path: string }, entry: RawServer): Connection {
  const nothing = { madeFolders: [], replaced: [], moved: [] }
  return { ...place, form: 'entry', at: '', before: { kind: 'unknown' }, after: '', ...nothing, entry }
}
