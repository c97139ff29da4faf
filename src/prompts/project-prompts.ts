import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { projectPromptsFile } from './prompt-layers.ts'

/** What a project brings along, told apart by content: a person approves exactly this, and any change asks again. */
export interface ProjectPrompts {
  readonly root: string
  /** Stands for all of it. */
  readonly file: string
  /** What each file holds, by its path below the folder. */
  readonly contents: Readonly<Record<string, string>>
}

/** Undefined where the project has none. Only the hashes of the files are kept, so that large ones cost no more than small. */
export async function findProjectPrompts(
  root: string,
  hash: (content: Buffer) => string,
): Promise<ProjectPrompts | undefined> {
  const file = projectPromptsFile(root)
  const folder = dirname(file)
  const paths = [file, ...(await filesBelow(join(folder, 'skills')))]
  const contents: [string, string][] = []
  for (const path of paths) {
    const content = await readFile(path).catch(() => undefined)
    if (content !== undefined) contents.push([relative(folder, path), hash(content)])
  }
  return contents.length === 0 ? undefined : { root, file, contents: Object.fromEntries(contents) }
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
  } catch {
    return [] // There are none, which is the usual case.
  }
}
