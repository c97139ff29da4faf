import { readFile } from 'node:fs/promises'
import { hasCode } from './atomic-write.ts'

/** A file's text; undefined where there is no file. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}
