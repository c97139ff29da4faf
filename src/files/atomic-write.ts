import { randomBytes } from 'node:crypto'
import { lstat, mkdir, open, readlink, realpath, rename, stat, unlink, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

export interface AtomicWriteOptions {
  /** Permissions of a file that is new; an existing file keeps its own. */
  readonly mode?: number
}

/**
 * Replaces a file's content so that a reader, or a crash at any moment, sees the old text or the new one and nothing between.
 * A symbolic link stays one: what it points to is replaced. Missing folders are made for their owner alone.
 */
export async function writeFileAtomic(path: string, text: string, options: AtomicWriteOptions = {}): Promise<void> {
  const target = await linkTarget(path)
  const folder = dirname(target)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = join(folder, `.${basename(target)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    await writeDurably(temporary, text, await permissionsFor(target, options))
    await rename(temporary, target)
  } catch (error) {
    await unlink(temporary).catch(() => {}) // It may never have been made; the first error is the one to report.
    throw error
  }
  await syncFolder(folder)
}

/** Where writing to this path really writes: the end of a chain of symbolic links, whether or not it exists yet. */
export async function linkTarget(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    const isDangling = await lstat(path).then((info) => info.isSymbolicLink(), ignoreMissing)
    return isDangling === true ? linkTarget(resolve(dirname(path), await readlink(path))) : resolve(path)
  }
}

/** Whether this is the operating system's error of that name. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code)
}

interface Permissions {
  readonly mode: number | undefined
  readonly owner?: { readonly uid: number; readonly gid: number }
}

async function permissionsFor(target: string, options: AtomicWriteOptions): Promise<Permissions> {
  const existing = await stat(target).catch(ignoreMissing)
  if (existing === undefined) return { mode: options.mode }
  return { mode: existing.mode & 0o7777, owner: { uid: existing.uid, gid: existing.gid } }
}

async function writeDurably(path: string, text: string, { mode, owner }: Permissions): Promise<void> {
  await using file = await open(path, 'wx', mode ?? 0o666)
  if (owner !== undefined) await keepOwner(file, owner)
  if (mode !== undefined) await file.chmod(mode) // `open` subtracts the umask; a kept mode must be kept whole.
  await file.writeFile(text)
  await file.sync()
}

async function keepOwner(file: FileHandle, owner: { readonly uid: number; readonly gid: number }): Promise<void> {
  const made = await file.stat()
  if (made.uid === owner.uid && made.gid === owner.gid) return
  // Only root may give a file away; for anybody else the new file simply belongs to who wrote it.
  await file.chown(owner.uid, owner.gid).catch(() => {})
}

/** Makes what was created or renamed in a folder survive a loss of power. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, 'r')
    await handle.sync()
  } catch (error) {
    // Windows and some network disks cannot sync a folder; there the rename alone has to do.
    if (!hasCode(error, 'EPERM', 'EISDIR', 'EINVAL', 'EACCES', 'ENOTSUP')) throw error
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error
}
