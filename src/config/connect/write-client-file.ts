import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { CapstanError, messageOf } from '../../errors.ts'
import { hasCode, writeFileAtomic } from '../../files/atomic-write.ts'

/** A file can be replaced although it may not be written to; whoever took that right away meant something by it. */
export async function writeUnlessProtected(path: string, text: string, mode: number): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && (found.mode & 0o222) === 0) {
    throw new CapstanError('config_invalid', `Cannot write ${path}: it is write-protected. Nothing was changed.`, {
      next: `Allow it with: chmod u+w ${path}`,
    })
  }
  await writeFileAtomic(path, text, { mode })
}

/** Failures of the disk are told as what they are to a person; others stay as they came. */
export function asWriteFailure(error: unknown, path: string): unknown {
  if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'ENOSPC')) return error
  return new CapstanError('config_invalid', `Cannot write ${path}: ${messageOf(error)}. Nothing was changed.`, {
    cause: error,
    next: `Check the permissions of ${path} and its folder.`,
  })
}

/** What a person agreed to would not be what happens. */
export function changedMeanwhile(path: string): CapstanError {
  return new CapstanError('config_invalid', `${path} was changed while you looked. Nothing was written.`, {
    next: 'Run the command again to see what it would do now.',
  })
}

/** What tells one text of a file from another. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
