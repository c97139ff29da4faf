import { findProject } from '../project.ts'
import type { ClientId, ImportSurroundings } from './clients.ts'
import { findClients } from './find-clients.ts'
import { buildImportTable, type ImportTable } from './table.ts'

/**
 * Everything that could be imported from the given clients (all when absent). Only reads files: nothing is written or
 * started, and no parser is loaded where no file exists.
 */
export async function findImportable(
  surroundings: ImportSurroundings,
  wanted?: readonly ClientId[],
): Promise<ImportTable> {
  const { root } = await findProject(surroundings.cwd, surroundings.home)
  return buildImportTable(await findClients({ ...surroundings, cwd: root }, wanted), surroundings)
}
