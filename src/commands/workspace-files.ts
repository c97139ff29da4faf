import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The files of a folder, as paths from it with slashes. */
export interface WorkspaceFiles {
  readonly list: (options?: { readonly signal?: AbortSignal | undefined }) => Promise<readonly string[]>
}

export interface WorkspaceFilesOptions {
  readonly folder: string
  /** How long a list holds. */
  readonly keepMs?: number
  readonly mostFiles?: number
  readonly now?: () => number
}

/** Lists what git would, where git knows the folder, else what a bounded walk finds. Never rejects. */
export function workspaceFiles({
  folder,
  keepMs = 10_000,
  mostFiles = 20_000,
  now = Date.now,
}: WorkspaceFilesOptions): WorkspaceFiles {
  let kept: { readonly files: Promise<readonly string[]>; readonly untilMs: number } | undefined
  return {
    list: async () => {
      if (kept === undefined || kept.untilMs <= now()) {
        kept = { files: listFiles(folder, mostFiles), untilMs: now() + keepMs }
      }
      return kept.files
    },
  }
}

async function listFiles(folder: string, most: number): Promise<readonly string[]> {
  const known = (await gitFiles(folder)) ?? (await walk(folder, most))
  return known.slice(0, most)
}

// A repository's own config can name programs that git would run for a listing: those are switched off.
const harmless = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']

async function gitFiles(folder: string): Promise<readonly string[] | undefined> {
  const args = [...harmless, 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
  try {
    const { stdout } = await promisify(execFile)('git', args, {
      cwd: folder,
      timeout: longestMs,
      maxBuffer: 64 * 2 ** 20,
    })
    return [...new Set(stdout.split('\0'))].filter((file) => file !== '')
  } catch {
    // No git, no repository, or too slow: the walk is good enough.
    return undefined
  }
}

const longestMs = 2000

/** Level by level, so that what is near the top is found before the bound is reached. */
async function walk(root: string, most: number): Promise<readonly string[]> {
  const files: string[] = []
  let folders = ['']
  const giveUpAt = performance.now() + longestMs
  while (folders.length > 0 && files.length < most && performance.now() < giveUpAt) {
    const [here = '', ...others] = folders
    folders = others
    for (const entry of await entriesOf(join(root, here))) {
      const path = here === '' ? entry.name : `${here}/${entry.name}`
      if (entry.isFile()) files.push(path)
      else if (entry.isDirectory() && !leftOut.has(entry.name)) folders.push(path)
    }
  }
  return files
}

async function entriesOf(folder: string) {
  try {
    return (await readdir(folder, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    // A folder that may not be read has nothing to offer.
    return []
  }
}

const leftOut = new Set(['.git', '.hg', '.svn', 'node_modules', '.venv', '__pycache__', '.cache'])
