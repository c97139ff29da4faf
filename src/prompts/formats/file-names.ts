import { promptNameFor } from '../prompt-name.ts'
import { distinctNames } from './argument-spelling.ts'

/** A name for each file, made from the words that stand for it; where two want the same one, the later is told apart by its folders. */
export function namesFor(
  files: readonly { readonly words: string; readonly folders: readonly string[] }[],
): readonly string[] {
  const taken = new Set<string>()
  return files.map(({ words, folders }) => {
    const plain = promptNameFor(words)
    const name = taken.has(plain) ? promptNameFor([...folders, words].join(' '), (known) => taken.has(known)) : plain
    taken.add(name)
    return name
  })
}

/** File names without their endings, as people write commands: `code_review` → `code-review`. Each is made of checked names alone. */
export function stemsFor(names: readonly string[]): readonly string[] {
  return distinctNames(names.map((name) => name.replaceAll(/_+/g, '-').replaceAll(/^-|-$/g, '') || 'prompt')).map(
    // What tells equal ones apart has an underscore, which the names of skills may not have.
    (stem) => stem.replaceAll('_', '-'),
  )
}

/** The folders of a path below the last one that a client reads from, such as `commands`. */
export function foldersBelow(path: string, ...containers: readonly string[]): readonly string[] {
  const folders = path.split('/').slice(0, -1)
  return folders.slice(folders.findLastIndex((folder) => containers.includes(folder)) + 1)
}

/** Folders are tags: `frontend/react/hook.md` is tagged `frontend/react`. */
export function folderTags(folders: readonly string[]): readonly string[] {
  const tag = folders.filter((folder) => !folder.startsWith('.')).join('/')
  return tag === '' ? [] : [tag]
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Whether a path that came with a prompt stays below the folder it is written to. */
export function isSafePath(path: string): boolean {
  return path.length < 200 && path.split('/').every((part) => /^[\w][\w. +@()-]*$/.test(part) && !part.endsWith('.'))
}
