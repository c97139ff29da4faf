import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CapstanError } from '../../../errors.ts'
import { writeFileAtomic } from '../../../files/atomic-write.ts'
import { readIfThere } from '../../../files/read-if-there.ts'
import { withLock } from '../../../files/lock.ts'
import { quickHash } from '../../../files/quick-hash.ts'
import type { TextFile } from '../../../prompts/formats/format.ts'

/** What happens to one file. `foreign` was never ours, `edited` was changed by a person since: both are left alone. */
export interface SyncedFile {
  readonly path: string
  readonly action: 'written' | 'unchanged' | 'removed' | 'foreign' | 'edited'
}

export interface SyncOptions {
  /** The client's folder. */
  readonly folder: string
  /** Where we remember which files we made. */
  readonly manifestFolder: string
  readonly isDryRun: boolean
  readonly signal: AbortSignal
}

/** Makes a folder hold these files and none of those that we made before. Files of others are never touched. */
export async function syncFolder(wanted: readonly TextFile[], options: SyncOptions): Promise<readonly SyncedFile[]> {
  const manifest = join(options.manifestFolder, `${quickHash(options.folder)}.json`)
  const sync = async () => {
    const made = await readManifest(manifest)
    const written = await Promise.all(wanted.map(async (file) => await plan(file, made, options)))
    const names = new Set(wanted.map(({ path }) => path))
    const old = [...made.keys()].filter((path) => !names.has(path))
    const removed = await Promise.all(old.map(async (path) => await planRemoval(path, made, options)))
    const all = [...written, ...removed.flat()]
    if (!options.isDryRun) await perform(all, { wanted, manifest, made, options })
    return all
  }
  return options.isDryRun ? await sync() : await withLock(manifest, sync, { signal: options.signal })
}

/** Path → the hash of what we wrote there. */
type Manifest = ReadonlyMap<string, string>

async function plan({ path, text }: TextFile, made: Manifest, { folder }: SyncOptions): Promise<SyncedFile> {
  const present = await readIfThere(join(folder, path))
  if (present === undefined) return { path, action: 'written' }
  if (present === text) return { path, action: 'unchanged' }
  if (!made.has(path)) return { path, action: 'foreign' }
  return { path, action: made.get(path) === hashOf(present) ? 'written' : 'edited' }
}

async function planRemoval(path: string, made: Manifest, { folder }: SyncOptions): Promise<readonly SyncedFile[]> {
  const present = await readIfThere(join(folder, path))
  if (present === undefined) return []
  return [{ path, action: made.get(path) === hashOf(present) ? 'removed' : 'edited' }]
}

interface Work {
  readonly wanted: readonly TextFile[]
  readonly manifest: string
  readonly made: Manifest
  readonly options: SyncOptions
}

async function perform(files: readonly SyncedFile[], { wanted, manifest, made, options }: Work): Promise<void> {
  const texts = new Map(wanted.map(({ path, text }) => [path, text]))
  const ours = new Map<string, string>()
  for (const { path, action } of files) {
    const text = texts.get(path)
    if (text !== undefined && (action === 'written' || action === 'unchanged')) ours.set(path, hashOf(text))
    const before = made.get(path)
    // Still remembered: when the person takes the change back, the file is ours again.
    if (action === 'edited' && before !== undefined) ours.set(path, before)
  }
  // Remembered before they are made: after a crash a file of ours must not count as somebody else's.
  await writeFileAtomic(manifest, serialise(options.folder, new Map([...made, ...ours])), { mode: 0o600 })
  for (const { path, action } of files) {
    const file = join(options.folder, path)
    if (action === 'written') await writeFileAtomic(file, texts.get(path) ?? '', { mode: 0o644 })
    if (action === 'removed') await rm(file, { force: true })
  }
  await writeFileAtomic(manifest, serialise(options.folder, ours), { mode: 0o600 })
}

async function readManifest(file: string): Promise<Manifest> {
  const text = await readIfThere(file)
  if (text === undefined) return new Map()
  try {
    const value: unknown = JSON.parse(text)
    const files = typeof value === 'object' && value !== null && 'files' in value ? value.files : undefined
    if (typeof files !== 'object' || files === null) throw new SyntaxError('no files')
    return new Map(Object.entries(files).filter(([path, hash]) => isFileName(path) && typeof hash === 'string'))
  } catch (error) {
    throw new CapstanError('storage_failed', `${file} cannot be read, so it is not known which files are ours.`, {
      cause: error,
      next: `Delete it; files that are there already then count as yours, and stay.`,
    })
  }
}

function isFileName(path: string): boolean {
  return /^[a-z0-9-]+\.[a-z.]+$/.test(path)
}

function serialise(folder: string, files: Manifest): string {
  return `${JSON.stringify({ version: 1, folder, files: Object.fromEntries(files) }, null, 2)}\n`
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
