import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CapstanError } from '../errors.ts'
import { hasCode } from './atomic-write.ts'
import { isSameProcessAlive, processStart } from './process-start.ts'

export interface LockOptions {
  readonly signal?: AbortSignal
  /** How long to wait for a holder that is alive. */
  readonly waitMs?: number
}

/**
 * Runs `run` while no other process, and no other call in this one, holds the lock of this path. The lock of a dead process
 * is taken over; that of a living one never is: after `waitMs` the caller gets an error that names the holder.
 */
export async function withLock<T>(path: string, run: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  const lockFile = `${path}.lock`
  await mkdir(dirname(lockFile), { recursive: true, mode: 0o700 })
  const deadline = performance.now() + (options.waitMs ?? 10_000)
  const holder = await acquire(lockFile, deadline, options.signal)
  try {
    return await run()
  } finally {
    await release(lockFile, holder)
  }
}

/** Who holds a lock. `nonce` tells one holding from the next, even by the same process. */
interface Holder {
  readonly pid: number
  readonly start: string
  readonly host: string
  readonly nonce: string
}

async function acquire(lockFile: string, deadline: number, signal: AbortSignal | undefined): Promise<Holder> {
  const start = processStart(process.pid)
  const me: Holder = { pid: process.pid, start, host: hostname(), nonce: randomBytes(8).toString('hex') }
  let pauseMs = 2
  for (;;) {
    signal?.throwIfAborted()
    const holder = await readHolder(lockFile)
    if (holder === undefined) {
      if (await tryCreate(lockFile, me)) return me
    } else if (isGone(holder)) {
      await removeLockOfTheDead(lockFile, holder, { deadline, signal })
    } else {
      if (performance.now() > deadline) throw stillHeld(lockFile, holder)
      // Random, so that several who wait do not come back in step.
      await delay(pauseMs * (0.5 + Math.random()), undefined, signal === undefined ? {} : { signal })
      pauseMs = Math.min(pauseMs * 2, 50)
    }
  }
}

/** Makes the lock file with its content in one step: one that is created and then filled could be read in between. */
async function tryCreate(lockFile: string, me: Holder): Promise<boolean> {
  const draft = `${lockFile}.${me.nonce}.new`
  await writeFile(draft, JSON.stringify(me), { mode: 0o600 })
  try {
    await link(draft, lockFile)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    if (hasCode(error, 'EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK')) return await createWithoutLinks(lockFile, me)
    throw error
  } finally {
    await unlink(draft)
  }
}

// Some file systems (exFAT, a few network disks) know no hard links.
async function createWithoutLinks(lockFile: string, me: Holder): Promise<boolean> {
  try {
    await using file = await open(lockFile, 'wx', 0o600)
    await file.writeFile(JSON.stringify(me))
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

/**
 * Two processes may find the same dead holder at once, and the slower one must not remove the lock that the faster one has
 * made meanwhile. So the right to remove is itself a lock, named after the dead holding: whoever has it looks again first.
 */
async function removeLockOfTheDead(
  lockFile: string,
  dead: Holder,
  { deadline, signal }: { readonly deadline: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const claimFile = `${lockFile}.${dead.nonce}`
  const claim = await acquire(claimFile, deadline, signal)
  try {
    await release(lockFile, dead)
  } finally {
    await release(claimFile, claim)
  }
}

async function release(lockFile: string, holder: Holder): Promise<void> {
  const current = await readHolder(lockFile)
  if (current?.nonce === holder.nonce) await rm(lockFile, { force: true })
}

function isGone(holder: Holder): boolean {
  // The ids of another machine, or of another container on the same disk, mean nothing here.
  return holder.host === hostname() && !isSameProcessAlive(holder.pid, holder.start)
}

async function readHolder(lockFile: string): Promise<Holder | undefined> {
  try {
    return parseHolder(await readFile(lockFile, 'utf8'))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

const nobodyKnown: Holder = { pid: 0, start: '', host: '', nonce: '' }

function parseHolder(text: string): Holder {
  try {
    const value: unknown = JSON.parse(text)
    return isHolder(value) ? value : nobodyKnown
  } catch {
    return nobodyKnown // Not of our making, or still being written: held by somebody we cannot judge.
  }
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== 'object' || value === null) return false
  if (!('pid' in value && 'start' in value && 'host' in value && 'nonce' in value)) return false
  const { pid, start, host, nonce } = value
  if (typeof start !== 'string' || typeof host !== 'string' || typeof nonce !== 'string') return false
  // The nonce becomes part of a file name, and the file may have come with a cloned project.
  return typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0 && /^[0-9a-f]{16}$/.test(nonce)
}

function stillHeld(lockFile: string, holder: Holder): CapstanError {
  const who = holder.pid === 0 ? 'an unknown process' : `process ${holder.pid} on ${holder.host}`
  return new CapstanError('timed_out', `${lockFile} is held by ${who} and was not released in time.`, {
    next: `Try again. If that process has nothing to do with Capstan, delete ${lockFile}.`,
  })
}
