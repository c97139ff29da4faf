import { CapstanError, messageOf, stopped } from '../errors.ts'
import { openAppendLog, readLogLines, type AppendLog } from '../files/append-log.ts'
import { writeFileAtomic } from '../files/atomic-write.ts'
import { realDisk, type Disk } from '../files/disk.ts'
import { makePause } from '../files/pause.ts'
import { isWorthCompacting, planCompaction } from './compaction.ts'
import { readLogLine, writeLogLine, type LogRecord } from './log-line.ts'
import { addLine, addRecord, emptyState, type LogState } from './log-state.ts'
import type { Prompt } from './prompt.ts'
import type { PromptLayer } from './store.ts'

/** A layer of the library and the file it is kept in. */
export interface LayerPlace {
  readonly name: string
  readonly kind: PromptLayer['kind']
  readonly file: string
  /** What a built-in layer consists of; its file is written from it. */
  readonly prompts?: readonly Prompt[]
  /** False where somebody only looks: nothing is written then. */
  readonly keepsCopy?: boolean
}

/** One layer, opened. */
export interface Layer {
  readonly description: PromptLayer
  /** What can be watched for changes. */
  readonly files: readonly string[]
  read(): Promise<LogState>
  /** With all the history that compaction has moved away. */
  readWhole(): Promise<LogState>
  /** Stores what `decide` makes of the state as it is now; no other process writes meanwhile. */
  change(
    decide: (state: LogState, lastArchived: LastArchived) => readonly LogRecord[],
    signal?: AbortSignal,
  ): Promise<void>
  compact(signal?: AbortSignal): Promise<void>
}

/** The highest revision that the archive has of a name, 0 for none. */
export type LastArchived = (name: string) => number

export function openLayer(place: LayerPlace, disk: Disk = realDisk): Layer {
  return place.prompts === undefined ? openWritable(place, disk) : openBuiltin(place, place.prompts)
}

function openWritable({ name, kind, file }: LayerPlace, disk: Disk): Layer {
  const archivePath = file.replace(/(?:\.jsonl)?$/, '.history.jsonl')
  // What a team or a project shares is as readable as the folder it stands in.
  const mode = kind === 'user' ? 0o600 : 0o666
  const open = (path: string) => openAppendLog({ path, disk, mode, start: emptyState, add: addLine })
  const [log, archive] = [open(file), open(archivePath)]

  return {
    description: { name, kind, isWritable: true, place: file },
    files: [file],
    read: async () => await storing(file, 'read', async () => await log.read()),
    async readWhole() {
      return await storing(file, 'read', async () => {
        const isArchived = (await disk.stamp(archivePath)) !== undefined
        return isArchived ? await replay(disk, archivePath, file) : await log.read()
      })
    },
    async change(decide, signal) {
      await storing(
        file,
        'written',
        async () => {
          const archived = await archive.read()
          const lastArchived: LastArchived = (prompt) => archived.entries.get(prompt)?.lastRevision ?? 0
          const state = await log.append(
            (now) => decide(now, lastArchived).map(writeLogLine),
            signal === undefined ? {} : { signal },
          )
          if (isWorthCompacting(state)) await compactLater(log, archivePath)
        },
        signal,
      )
    },
    async compact(signal) {
      await storing(file, 'written', async () => await compactLog(log, archivePath, signal), signal)
    },
  }
}

/** What is built in cannot be changed; a copy stands in the folder for people and their tools to read. */
function openBuiltin({ name, kind, file, keepsCopy = true }: LayerPlace, prompts: readonly Prompt[]): Layer {
  const lines = prompts.map((prompt) => JSON.stringify(prompt))
  const state = emptyState()
  for (const [index, line] of lines.entries()) addLine(state, line, index + 1)
  let copied: Promise<void> | undefined
  const read = async () => {
    copied ??= keepsCopy ? keepCopy(file, lines) : Promise.resolve()
    await copied
    return state
  }
  const refuse = async () => {
    throw new CapstanError('not_allowed', 'Built-in prompts cannot be changed.', {
      next: 'A prompt of the same name in your own layer replaces a built-in one.',
    })
  }
  return {
    description: { name, kind, isWritable: false, place: file },
    files: [],
    read,
    readWhole: read,
    change: refuse,
    compact: async () => {},
  }
}

async function keepCopy(file: string, lines: readonly string[]): Promise<void> {
  try {
    const there = await readLogLines(realDisk, file)
    if (there.join('\n') !== lines.join('\n')) await writeFileAtomic(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  } catch {
    // Nothing depends on the copy, and a read-only folder must not keep anybody from the prompts.
  }
}

/** The archive first, then what the file says that the archive does not. */
async function replay(disk: Disk, archivePath: string, file: string): Promise<LogState> {
  const [archived, current] = await Promise.all([readLogLines(disk, archivePath), readLogLines(disk, file)])
  const state = emptyState()
  const known = new Set<string>()
  const pause = makePause()
  for (const [index, line] of [...archived, ...current].entries()) {
    const record = recordIn(line)
    const key = record === undefined ? undefined : keyOf(record)
    if (record !== undefined && (key === undefined || !known.has(key))) addRecord(state, record, index + 1)
    if (key !== undefined && index < archived.length) known.add(key)
    await pause()
  }
  return state
}

function recordIn(line: string): LogRecord | undefined {
  try {
    return readLogLine(line)
  } catch {
    return undefined // Reported where the log itself is read.
  }
}

/** What a record says the revision of; nothing for one that does not say its number. */
function keyOf(record: LogRecord): string | undefined {
  if (record.op === 'label' || record.rev === undefined) return undefined
  return `${record.op === 'put' ? record.prompt.name : record.name}:${record.rev}`
}

async function compactLog(log: AppendLog<LogState>, archivePath: string, signal?: AbortSignal): Promise<void> {
  const options = signal === undefined ? {} : { signal }
  await log.rewrite((state, lines) => planCompaction(state, lines, archivePath), options)
}

async function compactLater(log: AppendLog<LogState>, archivePath: string): Promise<void> {
  try {
    await compactLog(log, archivePath)
  } catch {
    // What the caller wanted is stored; the next write tries to tidy up again.
  }
}

/** Says of a failing disk which file it was about. */
async function storing<T>(
  file: string,
  verb: 'read' | 'written',
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CapstanError) throw error
    if (signal?.aborted === true) throw stopped(signal, 'writing to the prompt library')
    if (!(error instanceof Error && 'code' in error)) throw error
    throw new CapstanError('storage_failed', `${file} could not be ${verb}: ${messageOf(error)}.`, {
      cause: error,
      next: 'Nothing was changed. Check the disk and the permissions, then try again.',
    })
  }
}
