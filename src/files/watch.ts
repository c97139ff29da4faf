import { existsSync, readdirSync, readFileSync, realpathSync, watch, type FSWatcher } from 'node:fs'
import { dirname, resolve } from 'node:path'

export interface WatchOptions {
  /** How long a file must have been left alone before it is read. */
  readonly settleMs?: number
  /** How often to look without being told: network disks and full watch tables tell nothing. */
  readonly lookAgainMs?: number
  /** What tells one state of a file from another; its whole text unless said otherwise. */
  readonly contentOf?: (file: string) => string | undefined
}

/**
 * Calls `onChange` with the paths whose content changed; that of a folder is the names in it. The folders are watched, not the files: editors replace a file by
 * renaming another over it, and a file may not exist yet. A write that changes nothing is not a change.
 */
export function watchFiles(
  paths: readonly string[],
  onChange: (changed: readonly string[]) => void,
  { settleMs = 100, lookAgainMs = 5000, contentOf = textOf }: WatchOptions = {},
): Disposable {
  const files = [...new Set(paths.map((path) => resolve(path)))]
  const contents = new Map(files.map((file) => [file, contentOf(file)]))
  const watchers = new Map<string, FSWatcher>()
  let settling: NodeJS.Timeout | undefined

  watchFolders()
  const looking = setInterval(look, lookAgainMs).unref()

  return {
    [Symbol.dispose]() {
      clearInterval(looking)
      clearTimeout(settling)
      for (const folder of watchers.keys()) stopWatching(folder)
    },
  }

  function look(): void {
    watchFolders()
    const changed = files.filter((file) => {
      const content = contentOf(file)
      const isChanged = contents.get(file) !== content
      contents.set(file, content)
      return isChanged
    })
    if (changed.length > 0) onChange(changed)
  }

  function lookSoon(): void {
    clearTimeout(settling)
    settling = setTimeout(look, settleMs).unref()
  }

  /** Folders come and go, so which ones to watch is worked out anew after every event. */
  function watchFolders(): void {
    const wanted = new Set(files.flatMap(foldersOf))
    for (const folder of [...watchers.keys()].filter((watched) => !wanted.has(watched))) stopWatching(folder)
    for (const folder of [...wanted].filter((folder) => !watchers.has(folder))) startWatching(folder)
  }

  function startWatching(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, lookSoon)
      watcher.on('error', () => {
        stopWatching(folder)
        lookSoon()
      })
      watchers.set(folder, watcher)
    } catch {
      // The folder has just gone, or the system has no watch left; looking again by the clock still finds changes.
    }
  }

  function stopWatching(folder: string): void {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }
}

/** The folder of the file, that of the file it links to, and where there is none the nearest that it would stand in. */
function foldersOf(file: string): readonly string[] {
  const own = namesIn(file) === undefined ? [] : [file]
  const folder = nearestExisting(dirname(file))
  try {
    return [...own, folder, dirname(realpathSync(file))]
  } catch {
    return [folder] // The file does not exist yet.
  }
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder))
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return namesIn(file) // Missing and unreadable are the same here; whoever loads the file reports why.
  }
}

function namesIn(folder: string): string | undefined {
  try {
    return readdirSync(folder).toSorted().join('\n')
  } catch {
    return undefined
  }
}
