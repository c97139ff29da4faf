import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { CapstanError, messageOf } from '../../errors.ts'
import { hasCode } from '../../files/atomic-write.ts'

export interface ProcessOptions {
  /** The name of the server, for messages. */
  readonly server: string
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly onStderr: (line: string) => void
  /** Called at once with the new process id, so that it can be noted before anything else happens. */
  readonly onStart: (pid: number) => void
}

export interface ProcessExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A running MCP server: the leader of its own process group, so that wrappers and grandchildren end with it. */
export interface ServerProcess {
  readonly pid: number | undefined
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Rejects when the command cannot be started at all. */
  readonly started: Promise<void>
  /** Resolves after the process has gone and its output has been read. */
  readonly exited: Promise<ProcessExit>
  /** Ends stdin, then TERM, then KILL, each after a grace period; resolves when the whole group has gone. */
  readonly stop: (graceMs: GracePeriods) => Promise<void>
  /** Kills the group at once, without waiting: for a process that is itself about to end. */
  readonly kill: () => void
}

export interface GracePeriods {
  readonly beforeTermMs: number
  readonly beforeKillMs: number
}

const windows = process.platform === 'win32'

/** Starts the command before anything else is loaded: a server's own start is what every cold call waits for. */
export function startProcess(options: ProcessOptions): ServerProcess {
  const child = spawnOrSayWhy(options)
  if (child.pid !== undefined) options.onStart(child.pid)
  readLines(child.stderr, options.onStderr)
  // A server that dies while we write to it is reported by its exit, not by EPIPE.
  child.stdin.on('error', () => {})

  const started = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) => reject(cannotStart(options, error)))
  })
  started.catch(() => {})
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', () => {
      killGroup(child.pid)
      closePipesSoon(child)
    })
    child.once('close', (code, signal) => resolve({ code, signal }))
    started.catch(() => resolve({ code: null, signal: null }))
  })

  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    started,
    exited,
    stop: (grace) => stopProcess(child, exited, grace),
    kill: () => killGroup(child.pid),
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

function spawnOrSayWhy(options: ProcessOptions): Child {
  try {
    const child = spawn(options.command, [...options.args], {
      env: options.env,
      cwd: options.cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: !windows,
      windowsHide: true,
    })
    if (hasPipes(child)) return child
    // Without pipes (no file handles left) the error comes later, as an event; unheard, it would end the whole process.
    child.once('error', () => {})
  } catch (error) {
    // Some failures of the system, such as a file where a folder should be, are thrown instead.
    throw cannotStart(options, error)
  }
  throw cannotStart(options, new Error('there are no file handles left for its pipes'))
}

/** The types promise pipes, but a spawn that ran out of file handles has none. */
function hasPipes(child: Partial<Pick<Child, 'stdin' | 'stdout' | 'stderr'>>): boolean {
  return child.stdin !== undefined && child.stdout !== undefined && child.stderr !== undefined
}

const drainMs = 500

/**
 * A grandchild that left the group may hold the pipes of a server that has gone, for ever. What the server wrote before its
 * end lies ready to be read: the extra turn of the loop lets a busy process read it before our ends are closed.
 */
function closePipesSoon(child: Child): void {
  const timer = setTimeout(() => setImmediate(closePipes, child), drainMs)
  child.once('close', () => clearTimeout(timer))
}

function closePipes(child: Child): void {
  child.stdout.destroy()
  child.stderr.destroy()
}

async function stopProcess(child: Child, exited: Promise<ProcessExit>, grace: GracePeriods): Promise<void> {
  // Some servers ignore SIGTERM until stdin ends, and most end by themselves once it does.
  child.stdin.end()
  if (await within(exited, grace.beforeTermMs)) return
  signalGroup(child.pid, 'SIGTERM')
  if (await within(exited, grace.beforeKillMs)) return
  killGroup(child.pid)
  await exited
}

async function within(exited: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  try {
    return await Promise.race([exited.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

function killGroup(pid: number | undefined): void {
  if (windows && pid !== undefined) spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true })
  else signalGroup(pid, 'SIGKILL')
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(windows ? pid : -pid, signal)
  } catch {
    // Nobody left in the group: that is what we want.
  }
}

function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    // A flood without line ends must not be kept whole.
    rest = (lines.pop() ?? '').slice(-maxStderrLine)
    for (const line of lines) onLine(line.slice(0, maxStderrLine).trimEnd())
  })
  stream.on('close', () => {
    if (rest !== '') onLine(rest)
    rest = ''
  })
}

const maxStderrLine = 4096

function cannotStart(options: ProcessOptions, error: unknown): CapstanError {
  const { server, command } = options
  if (hasCode(error, 'ENOENT')) {
    // The system says the same of both.
    const missing = existsSync(options.cwd)
      ? {
          what: `the command "${command}" was not found`,
          next: `Install "${command}", or write its full path into the config. Then run: capstan doctor ${server}`,
        }
      : { what: `its folder "${options.cwd}" does not exist`, next: 'Correct "cwd" in its entry.' }
    return new CapstanError('start_failed', `Server "${server}" cannot start: ${missing.what}.`, {
      server,
      cause: error,
      next: missing.next,
    })
  }
  const reason = whyNotStarted(options, error)
  return new CapstanError('start_failed', `Server "${server}" cannot start: ${reason}.`, {
    server,
    cause: error,
    next: `Run: capstan doctor ${server}`,
  })
}

function whyNotStarted({ command, cwd }: ProcessOptions, error: unknown): string {
  if (hasCode(error, 'EACCES')) return `"${command}" is not executable`
  if (hasCode(error, 'ENOTDIR')) return `its folder "${cwd}", or a part of the path of "${command}", is not a folder`
  if (hasCode(error, 'E2BIG')) return 'its arguments and its "env" together are longer than the system allows'
  return messageOf(error)
}
