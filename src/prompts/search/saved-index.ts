import { readFile } from 'node:fs/promises'
import type { AsPlainObject } from 'minisearch'
import { hasCode, writeFileAtomic } from '../../files/atomic-write.ts'
import { loadIndex, type PromptIndex } from './index-prompts.ts'
import { isObject } from '../../json.ts'

/** Keeps an index in a file, for a library so large that making it anew takes longer than reading it. */
export async function saveIndex(file: string, { engine, signatures }: PromptIndex): Promise<void> {
  const saved: SavedIndex = { format, signatures: Object.fromEntries(signatures), engine: engine.toJSON() }
  await writeFileAtomic(file, JSON.stringify(saved), { mode: 0o600 })
}

/** The index of the file; none where there is no file or it is of another make. */
export async function readSavedIndex(file: string): Promise<PromptIndex | undefined> {
  try {
    const saved: unknown = JSON.parse(await readFile(file, 'utf8'))
    return isSavedIndex(saved) ? loadIndex(saved.engine, new Map(Object.entries(saved.signatures))) : undefined
  } catch (error) {
    // Cut off, or changed by somebody: the index is made anew.
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** To be changed together with what is indexed: fields, their texts, how these are cut into words. */
const format = 'capstan-prompts-1'

interface SavedIndex {
  readonly format: typeof format
  readonly signatures: Readonly<Record<string, string>>
  readonly engine: AsPlainObject
}

/** The format says that we wrote it, so the rest is not looked at. */
function isSavedIndex(value: unknown): value is SavedIndex {
  return isObject(value) && value['format'] === format && isObject(value['signatures']) && isObject(value['engine'])
}
