import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isSameProcessAlive, processStart } from '../../files/process-start.ts'

/** Notes every process we start, so that what outlived a killed hub (kill -9) can be found and ended by the next one. */
export interface Leftovers {
  /** To be called right after the start: synchronous, so that nothing can happen in between. Throws when it cannot be kept. */
  readonly note: (pid: number) => void
  /** Ends what dead hubs left behind; returns how many process groups that were. */
  readonly sweep: () => number
  /** To be called when all of our own processes have gone. */
  readonly forget: () => void
}

interface Note {
  readonly pid: number
  readonly start: string
}

export function leftovers(folder: string): Leftovers {
  const own = join(folder, `${process.pid}-${randomBytes(4).toString('hex')}.pids`)
  let hasNoted = false
  return {
    note(pid) {
      if (!hasNoted) startFile(own)
      hasNoted = true
      appendFileSync(own, line(pid))
    },
    sweep: () => filesIn(folder).reduce((count, file) => count + sweepFile(file), 0),
    forget() {
      if (hasNoted) removeIfPossible(own)
      hasNoted = false
    },
  }
}

/** The first line is the hub's own process. It appears with the file, or a sweep could take the file for one without an owner. */
function startFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, line(process.pid), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function line(pid: number): string {
  return `${pid} ${processStart(pid)}\n`
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.pids'))
      .map((name) => join(folder, name))
  } catch {
    // No folder yet: nothing was ever started.
    return []
  }
}

function sweepFile(file: string): number {
  const [hub, ...servers] = notesIn(file)
  if (hub !== undefined && hub.pid > 0 && isSameProcessAlive(hub.pid, hub.start)) return 0
  const ours = servers.filter(isStillOurs)
  for (const { pid } of ours) signalGroup(pid, 'SIGKILL')
  removeIfPossible(file)
  return ours.length
}

function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // A folder that became read-only: the file names only processes that have gone, so it can stay.
  }
}

function notesIn(file: string): readonly Note[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines
      .filter(Boolean)
      .map((text) => ({ pid: Number.parseInt(text, 10), start: text.slice(text.indexOf(' ') + 1) }))
  } catch {
    // Another hub swept it first.
    return []
  }
}

/**
 * The leader still runs, or it has gone and left members of its group: the system gives no id away again while a group bears it.
 * A start that we could not read proves nothing, and neither does one before the last start of the machine.
 */
function isStillOurs({ pid, start }: Note): boolean {
  if (!(pid > 1) || start === '') return false
  const now = processStart(pid)
  const isFromThisBoot = process.platform === 'linux' && start.split(':')[0] === processStart(process.pid).split(':')[0]
  return now === start || (isFromThisBoot && (now === '' || now === 'ended') && signalGroup(pid, 0))
}

function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal)
  } catch {
    return false
  }
}
