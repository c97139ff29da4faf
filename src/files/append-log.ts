import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { CapstanError } from '../errors.ts'
import { linkTarget } from './atomic-write.ts'
import { isSameStamp, type Disk, type Stamp } from './disk.ts'
import type { LockOptions } from './lock.ts'
import { makePause } from './pause.ts'

export interface LogOptions<State> {
  readonly path: string
  readonly disk: Disk
  /** Permissions of a file that is new. */
  readonly mode: number
  /** What a log without lines means. */
  readonly start: () => State
  /** Takes one more line into the state. Lines count from 1; empty ones are left out. */
  readonly add: (state: State, line: string, number: number) => void
}

/** What is to stand in the file instead, and what is to be kept in another. */
export interface Rewrite {
  readonly lines: readonly (string | Buffer)[]
  readonly archive: { readonly path: string; readonly lines: readonly (string | Buffer)[] }
}

/**
 * A file of lines that many processes may add to. What `append` has answered is on the disk; a crash at any moment leaves every
 * earlier line as it was. A line that was cut off by a crash stays as a line of its own: whoever reads the lines reports it.
 */
export interface AppendLog<State> {
  /** What the file says now, whoever wrote it. The state may grow later, but is never taken back to an earlier one. */
  read(): Promise<State>
  /** Alone among all processes: lets `decide` make the new lines from what the file says now, and stores them in one write. */
  append(decide: (state: State) => readonly string[], options?: LockOptions): Promise<State>
  /** Replaces the whole file, or does nothing where `plan` gives nothing. */
  rewrite(plan: (state: State, lines: readonly Buffer[]) => Rewrite | undefined, options?: LockOptions): Promise<void>
}

export function openAppendLog<State>({ path, disk, mode, start, add }: LogOptions<State>): AppendLog<State> {
  let known: Known<State> = nothingKnown(start())
  const inTurn = oneAtATime()
  // A person's file may be a link into a folder of dotfiles: its lock and its temporary files belong beside the real one.
  const file = async () => await linkTarget(path)

  return {
    read: async () => await inTurn(async () => (await refresh()).state),
    async append(decide, options = {}) {
      const at = await file()
      return await disk.lock(at, async () => await inTurn(async () => await appendTo(at, decide)), options)
    },
    async rewrite(plan, options = {}) {
      const at = await file()
      await disk.lock(at, async () => await inTurn(async () => await rewriteAt(at, plan)), options)
    },
  }

  async function refresh(): Promise<Known<State>> {
    const at = await file()
    const stamp = await disk.stamp(at)
    if (stamp === undefined) known = known.bytes === 0 ? known : nothingKnown(start())
    else if (!known.isSettled || !isSameStamp(stamp, known.stamp)) known = await takeIn(await disk.read(at), stamp)
    return known
  }

  /** Reads on from where we were, or from the start when the file is no longer what it was up to there. */
  async function takeIn(content: Buffer, stamp: Stamp): Promise<Known<State>> {
    const isContinued =
      known.bytes > 0 &&
      content.length >= known.bytes &&
      crc32(content.subarray(0, known.bytes)) === known.checksum &&
      (known.endsLine || content.length === known.bytes || content[known.bytes] === newline)
    const base = isContinued ? known : nothingKnown(start())
    const lines = await addLines(content, base)
    const endsLine = content.length === 0 || content.at(-1) === newline
    const checksum = crc32(content.subarray(base.bytes), base.checksum)
    return { state: base.state, bytes: content.length, checksum, lines, endsLine, stamp, isSettled: isSettled(stamp) }
  }

  async function addLines(content: Buffer, base: Known<State>): Promise<number> {
    let from = base.endsLine ? base.bytes : base.bytes + 1
    let { lines } = base
    const pause = makePause()
    while (from < content.length) {
      const end = content.indexOf(newline, from)
      const to = end === -1 ? content.length : end
      lines += 1
      const line = content.toString('utf8', from, to).trim()
      if (line !== '') add(base.state, line, lines)
      from = to + 1
      await pause()
    }
    return lines
  }

  async function appendTo(at: string, decide: (state: State) => readonly string[]): Promise<State> {
    const before = await refresh()
    const lines = decide(before.state)
    if (lines.length === 0) return before.state
    const bytes = Buffer.from(`${before.endsLine ? '' : '\n'}${lines.join('\n')}\n`)
    // Until the write is known to be whole, nothing is known about the file.
    known = nothingKnown(start())
    await appendDurably(disk, { path: at, bytes, mode, isNew: before.stamp === undefined })
    known = before
    await takeInOwn(at, bytes, lines)
    return (await refresh()).state
  }

  /** Saves reading the file again, unless an editor, which takes no lock, came between. */
  async function takeInOwn(at: string, written: Buffer, lines: readonly string[]): Promise<void> {
    const bytes = known.bytes + written.length
    const stamp = await disk.stamp(at)
    if (stamp?.size !== bytes || (known.stamp !== undefined && stamp.file !== known.stamp.file)) return
    for (const [index, line] of lines.entries()) add(known.state, line, known.lines + index + 1)
    const checksum = crc32(written, known.checksum)
    known = { ...known, bytes, checksum, lines: known.lines + lines.length, endsLine: true, stamp, isSettled: true }
  }

  async function rewriteAt(
    at: string,
    plan: (state: State, lines: readonly Buffer[]) => Rewrite | undefined,
  ): Promise<void> {
    const { stamp } = await refresh()
    if (stamp === undefined) return
    const content = await disk.read(at)
    const { state } = (known = await takeIn(content, stamp))
    const rewrite = plan(state, linesOf(content))
    if (rewrite === undefined) return
    await archiveLines(disk, { ...rewrite.archive, mode: stamp.mode })
    const bytes = joinLines(rewrite.lines)
    // An editor takes no lock: what somebody saved meanwhile must not be replaced by what was there before.
    const isUntouched = async () => isSameStamp(stamp, await disk.stamp(at))
    await replaceDurably(disk, { path: at, bytes, mode: stamp.mode, isUntouched })
    known = nothingKnown(start())
  }
}

/** The lines of a file that is read as a whole; none where there is no file. */
export async function readLogLines(disk: Disk, path: string): Promise<readonly string[]> {
  if ((await disk.stamp(path)) === undefined) return []
  const text = (await disk.read(path)).toString('utf8')
  return text.split('\n').filter((line) => line.trim() !== '')
}

const newline = 0x0a
/** File systems count time in steps: a second change within one leaves the stamp as it was. */
const settleMs = 50

interface Known<State> {
  readonly state: State
  readonly bytes: number
  readonly checksum: number
  readonly lines: number
  readonly endsLine: boolean
  readonly stamp: Stamp | undefined
  readonly isSettled: boolean
}

function nothingKnown<State>(state: State): Known<State> {
  return { state, bytes: 0, checksum: 0, lines: 0, endsLine: true, stamp: undefined, isSettled: false }
}

function isSettled(stamp: Stamp): boolean {
  return Math.abs(Date.now() - stamp.changedMs) > settleMs
}

function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return async (work) => {
    const turn = last.then(work, work)
    last = turn
    return await turn
  }
}

interface Append {
  readonly path: string
  readonly bytes: Buffer
  readonly mode: number
  readonly isNew: boolean
}

async function appendDurably(disk: Disk, { path, bytes, mode, isNew }: Append): Promise<void> {
  const file = await disk.open(path, 'a', mode)
  try {
    const size = await file.size()
    try {
      await writeAll(file, bytes)
      await file.sync()
    } catch (error) {
      // Best effort: where this fails too, the next writer begins a new line after what is left.
      await file.truncate(size).catch(() => {})
      throw error
    }
  } finally {
    await file.close()
  }
  if (!isNew) return
  // Its folder may be as new as the file.
  await disk.syncFolder(dirname(path))
  await disk.syncFolder(dirname(dirname(path)))
}

async function writeAll(file: { write(bytes: Buffer): Promise<number> }, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const written = await file.write(bytes.subarray(done))
    if (written === 0) throw new CapstanError('storage_failed', 'The disk takes no more bytes.')
    done += written
  }
}

/** Adds lines that are not there yet: a rewrite that was interrupted has archived them before. */
async function archiveLines(
  disk: Disk,
  { path, lines, mode }: Rewrite['archive'] & { readonly mode: number },
): Promise<void> {
  const stamp = await disk.stamp(path)
  const content = stamp === undefined ? Buffer.alloc(0) : await disk.read(path)
  const there = new Set(content.toString('utf8').split('\n'))
  const missing = lines.filter((line) => !there.has(line.toString()))
  if (missing.length === 0) return
  const isLineOpen = content.length > 0 && content.at(-1) !== newline
  const bytes = Buffer.concat([Buffer.from(isLineOpen ? '\n' : ''), joinLines(missing)])
  await appendDurably(disk, { path, bytes, mode, isNew: stamp === undefined })
}

interface Replacement {
  readonly path: string
  readonly bytes: Buffer
  readonly mode: number
  readonly isUntouched: () => Promise<boolean>
}

async function replaceDurably(disk: Disk, { path, bytes, mode, isUntouched }: Replacement): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const file = await disk.open(temporary, 'wx', mode)
    try {
      await writeAll(file, bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    if (await isUntouched()) await disk.rename(temporary, path)
    else await disk.unlink(temporary)
  } catch (error) {
    await disk.unlink(temporary).catch(() => {}) // It may never have been made; the first error is the one to report.
    throw error
  }
  await disk.syncFolder(dirname(path))
}

function joinLines(lines: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]))
}

function linesOf(content: Buffer): readonly Buffer[] {
  const lines: Buffer[] = []
  for (let from = 0; from < content.length;) {
    const end = content.indexOf(newline, from)
    const to = end === -1 ? content.length : end
    lines.push(content.subarray(from, to))
    from = to + 1
  }
  return lines
}
