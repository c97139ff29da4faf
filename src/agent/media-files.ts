import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../files/atomic-write.ts'
import type { ContentPart, ConversationEntry } from './record.ts'

/** A picture or another file as a line of the conversation names it. */
interface StoredMedia {
  readonly kind: 'media'
  readonly mimeType: string
  readonly file: string
}

/** An entry as its line has it: media are in files of their own, in this folder. They are there before the line is. */
export async function putMediaAside(entry: ConversationEntry, folder: string): Promise<object> {
  if (entry.kind !== 'user' && entry.kind !== 'result') return entry
  const parts = await Promise.all(
    entry.parts.map(async (part) => (part.kind === 'media' ? await store(part, folder) : part)),
  )
  return { ...entry, parts }
}

/** The entry with its media again. A file that is gone leaves a word in its place. */
export async function bringMediaBack(entry: ConversationEntry, folder: string): Promise<ConversationEntry> {
  if (entry.kind !== 'user' && entry.kind !== 'result') return entry
  return { ...entry, parts: await Promise.all(entry.parts.map((part) => load(part, folder))) }
}

type Media = Extract<ContentPart, { kind: 'media' }>

async function store({ mimeType, data }: Media, folder: string): Promise<StoredMedia> {
  const bytes = Buffer.from(data, 'base64')
  const extension = /^[a-z]+\/([a-z0-9]{1,8})/.exec(mimeType)?.[1] ?? 'bin'
  const name = `${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}.${extension}`
  const path = join(folder, name)
  if (!(await exists(path))) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const temporary = `${path}.${process.pid}.tmp`
    await using file = await open(temporary, 'w', 0o600)
    await file.writeFile(bytes)
    await file.sync()
    await rename(temporary, path)
  }
  return { kind: 'media', mimeType, file: name }
}

async function load(part: ContentPart | StoredMedia, folder: string): Promise<ContentPart> {
  if (part.kind !== 'media' || !('file' in part)) return part
  const { mimeType, file } = part
  try {
    // The name comes from a file that anybody may have edited.
    if (!/^[0-9a-f]{32}\.[a-z0-9]{1,8}$/.test(file)) return missing(mimeType)
    return { kind: 'media', mimeType, data: (await readFile(join(folder, file))).toString('base64') }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return missing(mimeType)
    throw error
  }
}

function missing(mimeType: string): ContentPart {
  return { kind: 'text', text: `[${mimeType}: its file is gone]` }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}
