import { StdinBuffer, type Terminal } from '@earendil-works/pi-tui'
import xterm from '@xterm/headless'

/** A terminal inside the test: what is written to it is seen as a person would see it, and keys are typed on it. */
export interface SeenTerminal {
  readonly terminal: Terminal
  readonly window: () => string
  /** What has scrolled away, and the window. */
  readonly everything: () => string
  readonly shows: (text: string | RegExp) => Promise<void>
  readonly type: (keys: string) => void
  readonly resize: (columns: number, rows: number) => void
}

const limitMs = 10_000

export function seenTerminal(columns = 80, rows = 30): SeenTerminal {
  const screen = new xterm.Terminal({ cols: columns, rows, scrollback: 1000, allowProposedApi: true })
  const keyboard = new StdinBuffer()
  const lookers = new Set<() => void>()
  let onSize = (): void => {}
  const write = (data: string): void => screen.write(data, () => lookers.forEach((look) => look()))
  return {
    terminal: {
      start(onInput, onResize) {
        onSize = onResize
        keyboard.on('data', onInput)
        keyboard.on('paste', (content) => onInput(`\u001B[200~${content}\u001B[201~`))
      },
      stop: () => keyboard.destroy(),
      drainInput: async () => {},
      write,
      get columns() {
        return screen.cols
      },
      get rows() {
        return screen.rows
      },
      kittyProtocolActive: false,
      moveBy() {},
      hideCursor() {},
      showCursor() {},
      clearLine() {},
      clearFromCursor() {},
      clearScreen() {},
      setTitle() {},
      setProgress() {},
    },
    window,
    everything: () => lines(0),
    type: (keys) => keyboard.process(keys),
    resize(wide, high) {
      screen.resize(wide, high)
      onSize()
    },
    shows: (text) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          lookers.delete(look)
          reject(new Error(`Never shown: ${String(text)}, but:\n${window()}`))
        }, limitMs)
        const look = (): void => {
          if (typeof text === 'string' ? !window().includes(text) : !text.test(window())) return
          clearTimeout(timer)
          lookers.delete(look)
          resolve()
        }
        lookers.add(look)
        look()
      }),
  }

  function window(): string {
    return lines(screen.buffer.active.baseY)
  }

  function lines(first: number): string {
    const { active } = screen.buffer
    return Array.from(
      { length: active.baseY + screen.rows - first },
      (_, row) => active.getLine(first + row)?.translateToString(true) ?? '',
    ).join('\n')
  }
}
