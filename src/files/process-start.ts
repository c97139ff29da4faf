import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { platform } from 'node:os'
import { promisify } from 'node:util'
import { hasCode } from './atomic-write.ts'

/**
 * When a process started, in the system's own words; together with the id it names one process for ever, because ids are
 * used again. Empty where the system does not say, `ended` for a process that has ended but whose parent has not noticed.
 */
export async function processStart(pid: number): Promise<string> {
  if (platform() === 'linux') return await startOnLinux(pid)
  if (platform() === 'win32') return ''
  return await startByPs(pid)
}

/** Whether the process that had this id and start time still runs. When in doubt it does. */
export async function isSameProcessAlive(pid: number, start: string): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false
  }
  const now = await processStart(pid)
  return start === '' || now === '' || now === start
}

async function startOnLinux(pid: number): Promise<string> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ])
    // The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' || state === 'X' ? 'ended' : `${boot.trim()}:${fields[18]}`
  } catch {
    return '' // No such process, or one that this user may not look at.
  }
}

async function startByPs(pid: number): Promise<string> {
  try {
    const env = { ...process.env, LC_ALL: 'C' }
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], { env })
    return stdout.trim()
  } catch {
    return '' // No such process, or no `ps`.
  }
}
