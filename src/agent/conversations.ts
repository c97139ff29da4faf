import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CapstanError } from '../errors.ts'
import { openAppendLog, type AppendLog } from '../files/append-log.ts'
import { hasCode } from '../files/atomic-write.ts'
import { realDisk } from '../files/disk.ts'
import { textOfEntry } from './export-conversation.ts'
import { bringMediaBack, putMediaAside } from './media-files.ts'
import { readEntry } from './read-entry.ts'
import { recordVersion, type ConversationEntry } from './record.ts'

/** One conversation, as it is on the disk. */
export interface Conversation {
  readonly id: string
  /** The project that it was held in. */
  readonly folder: string
  entries(): readonly ConversationEntry[]
  /** What this has answered survives a crash. */
  append(...entries: readonly ConversationEntry[]): Promise<void>
}

export interface ConversationInfo {
  readonly id: string
  readonly folder: string
  /** What it was named, else how it began. */
  readonly title?: string
  readonly changedAtMs: number
  readonly messages: number
}

export interface ListOptions {
  /** Only those that hold all of these words. */
  readonly words?: string
  /** Only those of this project. */
  readonly folder?: string
  /** At most this many, the newest; 200 when absent. */
  readonly limit?: number
}

/** The conversations that are kept: one file each, and a folder beside it where there are pictures. */
export interface ConversationStore {
  /** A new one. Nothing is written before something is said. */
  create(folder: string): Conversation
  /** By its id, or a beginning of it that only one has. */
  open(id: string): Promise<Conversation>
  /** The newest first. */
  list(options?: ListOptions): Promise<readonly ConversationInfo[]>
  rename(id: string, title: string): Promise<void>
  remove(id: string): Promise<void>
}

export interface StoreOptions {
  readonly stateFolder: string
  readonly now?: () => number
}

export function openConversations({ stateFolder, now = Date.now }: StoreOptions): ConversationStore {
  const root = join(stateFolder, 'conversations')
  const fileOf = (id: string): string => join(root, `${id}.jsonl`)
  const mediaOf = (id: string): string => join(root, `${id}.files`)

  return {
    create(folder) {
      const atMs = now()
      const id = newId(atMs)
      const start: ConversationEntry = { kind: 'start', version: recordVersion, id, atMs, folder }
      return conversation(id, folder, { log: logAt(fileOf(id)), entries: [], start })
    },
    async open(typed) {
      const id = await find(typed)
      const log = logAt(fileOf(id))
      const entries = await Promise.all((await log.read()).map((entry) => bringMediaBack(entry, mediaOf(id))))
      const start = entries.find((entry) => entry.kind === 'start')
      return conversation(id, start?.kind === 'start' ? start.folder : '', { log, entries })
    },
    async list({ words = '', folder, limit = 200 } = {}) {
      const wanted = words
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== '')
      const found: ConversationInfo[] = []
      for (const { id, changedAtMs } of await newestFirst()) {
        if (found.length >= limit) break
        const entries = await readQuietly(fileOf(id))
        const info = infoOf(id, entries, changedAtMs)
        const isOfFolder = folder === undefined || info.folder === folder
        if (info.messages > 0 && isOfFolder && holdsAll(entries, wanted)) found.push(info)
      }
      return found
    },
    async rename(id, title) {
      const line = JSON.stringify({ kind: 'title', atMs: now(), title } satisfies ConversationEntry)
      await logAt(fileOf(await find(id))).append(() => [line])
    },
    async remove(typed) {
      const id = await find(typed)
      await rm(fileOf(id))
      await rm(mediaOf(id), { recursive: true, force: true })
    },
  }

  function conversation(id: string, folder: string, { log, entries, start }: Opened): Conversation {
    const known = [...entries]
    let isStarted = start === undefined
    let lastWrite: Promise<void> = Promise.resolve()
    return {
      id,
      folder,
      entries: () => known,
      append(...added) {
        const lines = isStarted || start === undefined ? added : [start, ...added]
        isStarted = true
        known.push(...lines)
        // One after the other, so that the file has the same order as we do; a write that failed stops no later one.
        lastWrite = lastWrite.catch(() => undefined).then(() => write(lines))
        return lastWrite
      },
    }

    async function write(lines: readonly ConversationEntry[]): Promise<void> {
      await mkdir(root, { recursive: true, mode: 0o700 })
      const stored = await Promise.all(lines.map((entry) => putMediaAside(entry, mediaOf(id))))
      await log.append(() => stored.map((entry) => JSON.stringify(entry)))
    }
  }

  async function find(typed: string): Promise<string> {
    const ids = (await newestFirst()).map(({ id }) => id)
    const fitting = ids.includes(typed) ? [typed] : ids.filter((id) => typed !== '' && id.startsWith(typed))
    if (fitting.length === 1 && fitting[0] !== undefined) return fitting[0]
    const problem =
      fitting.length === 0 ? `No conversation "${typed}".` : `Several conversations begin with "${typed}".`
    throw new CapstanError('usage', problem, {
      next: ids.length === 0 ? 'None has been held yet.' : `The newest is ${ids[0]}.`,
    })
  }

  async function newestFirst(): Promise<readonly { id: string; changedAtMs: number }[]> {
    const names = await readdir(root).catch(noneWhereMissing)
    const ids = names.filter((name) => name.endsWith('.jsonl')).map((name) => name.slice(0, -'.jsonl'.length))
    const stamped = await Promise.all(ids.map(async (id) => ({ id, changedAtMs: await changedAt(fileOf(id)) })))
    return stamped.sort((a, b) => b.changedAtMs - a.changedAtMs || (a.id < b.id ? 1 : -1))
  }
}

interface Opened {
  readonly log: AppendLog<ConversationEntry[]>
  readonly entries: readonly ConversationEntry[]
  /** Of a new one: its first line, which is written with the second. */
  readonly start?: ConversationEntry
}

function logAt(path: string): AppendLog<ConversationEntry[]> {
  return openAppendLog<ConversationEntry[]>({
    path,
    disk: realDisk,
    mode: 0o600,
    start: () => [],
    add: (entries, line) => {
      const entry = readEntry(line)
      if (entry !== undefined) entries.push(entry)
    },
  })
}

/** One that cannot be read must not hide the others. */
async function readQuietly(path: string): Promise<readonly ConversationEntry[]> {
  return await logAt(path)
    .read()
    .catch(() => [])
}

/** In the order of time, and short enough to type. */
function newId(atMs: number): string {
  const [date = '', time = ''] = new Date(atMs).toISOString().split('T')
  return `${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${randomBytes(2).toString('hex')}`
}

function infoOf(id: string, entries: readonly ConversationEntry[], changedAtMs: number): ConversationInfo {
  const start = entries.find((entry) => entry.kind === 'start')
  const title = titleOf(entries)
  return {
    id,
    folder: start?.kind === 'start' ? start.folder : '',
    ...(title === undefined ? {} : { title }),
    changedAtMs,
    messages: entries.filter(({ kind }) => kind === 'user' || kind === 'reply').length,
  }
}

/** What a conversation was named, else how it began. */
export function titleOf(entries: readonly ConversationEntry[]): string | undefined {
  const named = entries.findLast((entry) => entry.kind === 'title')
  if (named?.kind === 'title') return named.title
  const first = entries.find((entry) => entry.kind === 'user')
  if (first === undefined) return undefined
  const [line = ''] = textOfEntry(first).trim().split('\n')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

function holdsAll(entries: readonly ConversationEntry[], words: readonly string[]): boolean {
  if (words.length === 0) return true
  const text = entries.map(textOfEntry).join('\n').toLowerCase()
  return words.every((word) => text.includes(word))
}

async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0
    throw error
  }
}

function noneWhereMissing(error: unknown): string[] {
  if (hasCode(error, 'ENOENT')) return []
  throw error
}
