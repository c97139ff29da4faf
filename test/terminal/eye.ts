import { spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'

export interface EyeOptions {
  readonly command: readonly [string, ...string[]]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly columns?: number
  readonly rows?: number
}

/** A program on a real terminal, and what a person in front of it would see. Disposing it ends the program. */
export interface Eye extends AsyncDisposable {
  readonly pid: number
  /** The lines of the window, without blanks at their ends. */
  readonly window: () => readonly string[]
  /** What has scrolled away, and the window. */
  readonly everything: () => readonly string[]
  /** Resolves when the window shows the text, or all that scrolled away besides; rejects when the program ends, or after 20 s. */
  readonly shows: (text: string | RegExp) => Promise<void>
  readonly hides: (text: string | RegExp) => Promise<void>
  readonly type: (keys: string) => void
  readonly resize: (columns: number, rows: number) => void
  /** Resolves when the program has written this since the window changed its size. */
  readonly redraws: (text: string) => Promise<void>
  /** All bytes so far. */
  readonly bytes: () => string
  readonly kill: () => void
  readonly ended: Promise<number>
}

const limitMs = 20_000

export function watch({ command: [program, ...args], cwd, env, columns = 80, rows = 30 }: EyeOptions): Eye {
  const pty = spawn(program, args, { cols: columns, rows, cwd, env: { TERM: 'xterm-256color', ...env } })
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true })
  const lookers = new Set<() => void>()
  let bytes = ''
  let resizedAt = 0
  let isOver = false
  const look = (): void => lookers.forEach((again) => again())
  // A terminal answers when it is asked what it is.
  terminal.onData((data) => pty.write(data))
  pty.onData((data) => {
    bytes += data
    terminal.write(data, look)
  })
  const ended = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode }) => {
      isOver = true
      terminal.write('', look)
      resolve(exitCode)
    })
  })
  return {
    pid: pty.pid,
    window: () => lines(terminal.buffer.active.baseY),
    everything: () => lines(0),
    shows: (text) => until(() => has(text), `to show ${String(text)}`),
    hides: (text) => until(() => !has(text), `to hide ${String(text)}`),
    type: (keys) => pty.write(keys),
    resize(wide, high) {
      resizedAt = bytes.length
      terminal.resize(wide, high)
      pty.resize(wide, high)
    },
    redraws: (text) => until(() => bytes.includes(text, resizedAt), `to draw ${text}`),
    bytes: () => bytes,
    kill: () => pty.kill('SIGKILL'),
    ended,
    async [Symbol.asyncDispose]() {
      if (!isOver) pty.kill('SIGKILL')
      await ended
      terminal.dispose()
    },
  }

  function lines(first: number): readonly string[] {
    const { active } = terminal.buffer
    return Array.from({ length: active.baseY + terminal.rows - first }, (_, index) => {
      return active.getLine(first + index)?.translateToString(true) ?? ''
    })
  }

  function has(text: string | RegExp): boolean {
    const screen = lines(terminal.buffer.active.baseY).join('\n')
    return typeof text === 'string' ? screen.includes(text) : text.test(screen)
  }

  function until(holds: () => boolean, wish: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        lookers.delete(again)
        reject(
          new Error(`${why} for the terminal ${wish}. It shows:\n${lines(terminal.buffer.active.baseY).join('\n')}`),
        )
      }
      const timer = setTimeout(() => fail('Waited too long'), limitMs)
      const again = (): void => {
        if (!holds() && !isOver) return
        clearTimeout(timer)
        lookers.delete(again)
        if (holds()) resolve()
        else fail('The program ended while waiting')
      }
      lookers.add(again)
      again()
    })
  }
}
