import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Notes every process we start, so that what outlived a killed hub (kill -9) can be found and ended by the next one.
 * A process is known by its id and its start time, because ids are used again.
 */
export interface Leftovers {
  readonly note: (pid: number) => void
  /** Ends what dead hubs left behind; returns how many process groups that were. */
  readonly sweep: () => number
  /** To be called when all of our own processes have gone. */
  readonly forget: () => void
}

export function leftovers(folder: string): Leftovers {
  const boot = bootTime()
  const own = join(folder, `${process.pid}_${startTime(process.pid)}_${boot}.pids`)
  let isFolderMade = false
  return {
    note(pid) {
      if (!isFolderMade) mkdirSync(folder, { recursive: true, mode: 0o700 })
      isFolderMade = true
      appendFileSync(own, `${pid} ${startTime(pid)}\n`, { mode: 0o600 })
    },
    sweep: () => notesOfTheDead(folder).reduce((count, note) => count + sweepFile(join(folder, note.file), note.boot === boot), 0),
    forget: () => rmSync(own, { force: true }),
  }
}

function notesOfTheDead(folder: string): readonly { readonly file: string; readonly boot: string }[] {
  return namesIn(folder).flatMap((file) => {
    const [, pid, started, boot] = /^(\d+)_([^_]+)_([^_]+)\.pids$/.exec(file) ?? []
    if (pid === undefined || boot === undefined || startTime(Number(pid)) === started) return []
    return [{ file, boot }]
  })
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // No folder yet: nothing was ever started.
    return []
  }
}

function sweepFile(file: string, isThisBoot: boolean): number {
  // After a restart of the machine the same ids mean other processes.
  const groups = isThisBoot ? readFileSync(file, 'utf8').split('\n').filter(Boolean).filter(isStillOurs) : []
  for (const line of groups) {
    try {
      process.kill(-Number(line.split(' ')[0]), 'SIGKILL')
    } catch {
      // It ended between the look and the signal.
    }
  }
  rmSync(file, { force: true })
  return groups.length
}

/** The leader lives, or it has gone and left members: an id is not given away again while a group bears it. */
function isStillOurs(line: string): boolean {
  const [pid, started] = line.split(' ')
  const now = startTime(Number(pid))
  return now === started ? now !== gone : now === gone && hasMembers(Number(pid))
}

function hasMembers(group: number): boolean {
  try {
    return process.kill(-group, 0)
  } catch {
    return false
  }
}

const gone = 'gone'

/** When a process started, in the system's own words, or `gone`. */
function startTime(pid: number): string {
  try {
    if (process.platform !== 'linux') return startTimeByPs(pid)
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command name (field 2) may hold spaces and brackets, so count fields after its last bracket: the state is 3, the start 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? gone : (fields[19] ?? gone)
  } catch {
    return gone
  }
}

function startTimeByPs(pid: number): string {
  const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
  return started.trim().replaceAll(/[^A-Za-z0-9]+/g, '-') || gone
}

function bootTime(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8)
  } catch {
    // Elsewhere the start time is a date and tells boots apart by itself.
    return 'dated'
  }
}
