import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CapstanError, messageOf } from '../../errors.ts'
import { hasCode } from '../../files/atomic-write.ts'
import { clientFiles, clients, type ClientId, type ImportSurroundings } from '../import/clients.ts'

/** A file of a client as it is now; without text where it does not exist yet. */
export interface ClientText {
  readonly client: ClientId
  readonly path: string
  readonly text: string | undefined
}

/** The person's own files of a client into which an entry must be written for the client to see it. */
export async function filesToConnect(
  client: ClientId,
  surroundings: ImportSurroundings,
): Promise<readonly ClientText[]> {
  const paths = clientFiles(client, surroundings)
    .filter(({ scope }) => scope === 'user')
    .map(({ path }) => path)
  const texts = await Promise.all(paths.map(async (path) => ({ client, path, text: await readExact(path) })))
  const existing = texts.filter(({ text }) => text !== undefined)
  if (existing.length > 0) return separateInstallations.has(client) ? existing : existing.slice(0, 1)
  for (const path of paths) if (await isFolder(dirname(path))) return [{ client, path, text: undefined }]
  const { title } = clients[client]
  throw new CapstanError('config_invalid', `${title} was not found: there is no folder ${dirname(paths[0] ?? '')}.`, {
    next: `Start ${title} once, then try again.`,
  })
}

/** Their files belong to different programs; those of the others are laid over each other, so one of them is enough. */
const separateInstallations: ReadonlySet<ClientId> = new Set(['vscode', 'cline', 'windsurf'])

/** A file's text, such that writing it again gives the same bytes; undefined where there is no file. */
export async function readExact(path: string): Promise<string | undefined> {
  try {
    // The mark at the start of some files would be lost otherwise.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path))
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    const why = error instanceof TypeError ? 'it is not UTF-8 text' : messageOf(error)
    throw new CapstanError('config_invalid', `The file ${path} cannot be read: ${why}.`, {
      cause: error,
      next: 'Check that it is a text file and that you may read it.',
    })
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
