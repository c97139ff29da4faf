import { readFile } from 'node:fs/promises'
import { messageOf } from '../../errors.ts'
import { clientFiles, clientIds, type ClientFile, type ClientId, type ImportSurroundings } from './clients.ts'
import { listServers, type ListedServer } from './documents.ts'
import { parseDocument, type FileProblem } from './parse-document.ts'

/** One existing file of a client: the servers in it, or why they cannot be read. */
export type FoundFile = ClientFile &
  (
    | { readonly kind: 'read'; readonly servers: readonly ListedServer[] }
    | { readonly kind: 'unreadable'; readonly problem: FileProblem }
  )

/** The files of the given clients (all when absent) that exist, in the clients' order. One that is broken hides no other. */
export async function findClients(
  surroundings: ImportSurroundings,
  wanted: readonly ClientId[] = clientIds,
): Promise<readonly FoundFile[]> {
  const files = clientIds
    .filter((client) => wanted.includes(client))
    .flatMap((client) => clientFiles(client, surroundings))
  const found = await Promise.all(files.map(readClientFile))
  return found.filter((file) => file !== undefined)
}

async function readClientFile(file: ClientFile): Promise<FoundFile | undefined> {
  try {
    const text = await readFile(file.path, 'utf8')
    const parsed = await parseDocument(file.path.endsWith('.toml') ? 'toml' : 'json', text)
    if (parsed.kind === 'broken') return { ...file, kind: 'unreadable', problem: parsed.problem }
    if (parsed.kind === 'empty') return { ...file, kind: 'read', servers: [] }
    const { servers, problem } = listServers(file.client, parsed.value)
    if (problem !== undefined) return { ...file, kind: 'unreadable', problem: { message: problem } }
    return { ...file, kind: 'read', servers }
  } catch (error) {
    if (isAbsence(error)) return undefined
    return { ...file, kind: 'unreadable', problem: { message: messageOf(error) } }
  }
}

function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
