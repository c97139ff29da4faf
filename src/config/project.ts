import { homedir } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { quickStat } from '../files/quick-fs.ts'

export interface Project {
  /** The folder of `.mcp.json`, else the repository root, else the current folder. */
  readonly root: string
  /** Absolute path of the project's `.mcp.json`, where there is one. */
  readonly file?: string
}

/**
 * The project that a folder belongs to: the nearest `.mcp.json`, never one above the repository root. Outside of a
 * repository only folders below home count, so that a file left in a shared place such as /tmp is never picked up.
 */
export async function findProject(cwd: string, home: string = homedir()): Promise<Project> {
  const folders = ancestry(resolve(cwd))
  const [hasFile, hasRepository] = await Promise.all([
    Promise.all(folders.map((folder) => isFile(join(folder, '.mcp.json')))),
    Promise.all(folders.map((folder) => exists(join(folder, '.git')))),
  ])
  const repository = hasRepository.indexOf(true)
  const reach = repository === -1 ? 1 + parentsBelow(home, folders) : repository + 1
  const root = folders.find((_, depth) => depth < reach && hasFile[depth])
  if (root !== undefined) return { root, file: join(root, '.mcp.json') }
  return { root: folders[repository] ?? resolve(cwd) }
}

/** The folder and all that hold it, the folder first. */
function ancestry(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...ancestry(parent)]
}

function parentsBelow(home: string, [, ...parents]: readonly string[]): number {
  const outside = parents.findIndex((folder) => !isBelow(folder, resolve(home)))
  return outside === -1 ? parents.length : outside
}

function isBelow(folder: string, home: string): boolean {
  const way = relative(home, folder)
  // On Windows the way to another drive is an absolute path.
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && resolve(home, way) !== way
}

// A folder that may not be looked into is as good as empty: the person standing below it could not use it either.

async function isFile(path: string): Promise<boolean> {
  return (await quickStat(path))?.isFile() === true
}

/** In a worktree or a submodule `.git` is a file. */
async function exists(path: string): Promise<boolean> {
  return (await quickStat(path)) !== undefined
}
