import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { hasCode } from './atomic-write.ts'

/**
 * When a process started, in the system's own words; together with the id it names one process for ever, because ids are
 * used again. Empty where there is no such process or the system does not say, `ended` for one that has ended but whose parent
 * has not noticed.
 */
export function processStart(pid: number): string {
  if (process.platform === 'linux') return startOnLinux(pid)
  return process.platform === 'win32' ? '' : startByPs(pid)
}

/** Whether the process that had this id and start time still runs. When in doubt it does. */
export function isSameProcessAlive(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false
  }
  const now = processStart(pid)
  return start === '' || now === '' || now === start
}

function startOnLinux(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z' || state === 'X') return 'ended'
    // The start is counted from the start of the machine, which therefore belongs to it.
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot}:${fields[18]}`
  } catch {
    return '' // No such process, or one that this user may not look at.
  }
}

function startByPs(pid: number): string {
  try {
    const env = { ...process.env, LC_ALL: 'C' }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return '' // No such process, or no `ps`.
  }
}
