import { spawn } from '@lydell/node-pty'
import { bin, type World } from './cli.ts'

interface TerminalOptions {
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
}

/** Disposing it ends the program, if it still runs. */
export interface Terminal extends AsyncDisposable {
  readonly pid: number
  /** Resolves when the text appears behind what was waited for before; rejects when the program ends without it. */
  readonly shows: (text: string) => Promise<void>
  readonly type: (keys: string) => void
  /** Everything that reached the terminal so far, with its control sequences. */
  readonly bytes: () => string
  /** The program's exit code, when it has ended. */
  readonly ended: Promise<number>
}

/** Runs the built command line on a real terminal of its own. */
export function onTerminal(home: World, args: readonly string[], options: TerminalOptions = {}): Terminal {
  const { columns = 80, env = {} } = options
  const program = spawn(process.execPath, [bin, ...args], {
    cols: columns,
    rows: 24,
    cwd: home.cwd,
    env: { PATH: process.env['PATH'], HOME: home.home, TERM: 'xterm-256color', CAPSTAN_DAEMON: 'off', ...env },
  })
  const waiting = new Set<() => void>()
  let bytes = ''
  let read = 0
  let isOver = false
  program.onData((text) => {
    bytes += text
    waiting.forEach((look) => look())
  })
  const ended = new Promise<number>((resolve) => {
    program.onExit(({ exitCode }) => {
      isOver = true
      waiting.forEach((look) => look())
      resolve(exitCode)
    })
  })

  return {
    pid: program.pid,
    shows,
    type: (keys) => program.write(keys),
    bytes: () => bytes,
    ended,
    async [Symbol.asyncDispose]() {
      if (!isOver) program.kill('SIGKILL')
      await ended
    },
  }

  function shows(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const at = bytes.indexOf(text, read)
        if (at === -1 && !isOver) return
        waiting.delete(look)
        if (at === -1) return reject(new Error(`The terminal never showed ${JSON.stringify(text)}, but:\n${bytes}`))
        read = at + text.length
        resolve()
      }
      waiting.add(look)
      look()
    })
  }
}

// oxlint-disable-next-line no-control-regex -- control sequences are what is looked for
const sequence = /\u001B\[[0-9;?]*[A-Za-z]/g

/** The lines as a person sees them at the end: without colours, and with what was redrawn or cleared gone. */
export function linesOn(terminal: Terminal): readonly string[] {
  return terminal
    .bytes()
    .split('\r\n')
    .map((line) => line.slice(line.lastIndexOf('\r') + 1).replaceAll(sequence, ''))
}
