import { CapstanError, messageOf } from '../errors.ts'
import { quickRead } from '../files/quick-fs.ts'

/** Reads a file; `undefined` where there is none. */
export type ReadText = (path: string) => Promise<string | undefined>

/** A file that is there but cannot be read is an error: leaving it out would silently drop servers. */
export async function readTextFile(path: string): Promise<string | undefined> {
  try {
    return await quickRead(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new CapstanError('config_invalid', `The file ${path} cannot be read: ${messageOf(error)}.`, {
      cause: error,
      next: 'Check that it is a file and that you may read it.',
    })
  }
}
