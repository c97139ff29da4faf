import type { Terminal } from '@earendil-works/pi-tui'

/**
 * A terminal as a session needs it. The library wipes what has scrolled away at every change of size, and a person's scrollback is not
 * ours to delete; nor to fill, as tmux and others do with a copy of the window when all of it is cleared at once: that is right only while
 * it shows what was there before us. And what was typed before the terminal was ours comes with the end of a line for Enter.
 */
export function sessionTerminal(terminal: Terminal, window: { readonly isOurs: boolean }): Terminal {
  return {
    start: (onInput, onResize) => terminal.start(withTypedAhead(onInput), onResize),
    stop: () => terminal.stop(),
    drainInput: (maxMs, idleMs) => terminal.drainInput(maxMs, idleMs),
    write: (data) => {
      const kept = data.replaceAll(wipeScrollback, '')
      terminal.write(window.isOurs ? kept.replaceAll(clearAll, clearLines(terminal.rows)) : kept)
    },
    get columns() {
      return terminal.columns
    },
    get rows() {
      return terminal.rows
    },
    get kittyProtocolActive() {
      return terminal.kittyProtocolActive
    },
    moveBy: (lines) => terminal.moveBy(lines),
    hideCursor: () => terminal.hideCursor(),
    showCursor: () => terminal.showCursor(),
    clearLine: () => terminal.clearLine(),
    clearFromCursor: () => terminal.clearFromCursor(),
    clearScreen: () => terminal.clearScreen(),
    setTitle: (title) => terminal.setTitle(title),
    setProgress: (isActive) => terminal.setProgress(isActive),
  }
}

const wipeScrollback = '\u001B[3J'
const home = '\u001B[H'
const clearAll = `\u001B[2J${home}`

/** Clears the window line by line, from the top down. */
function clearLines(rows: number): string {
  const [clearLine, down] = ['\u001B[2K', '\u001B[B']
  return home + Array.from({ length: rows }, () => clearLine).join(down) + home
}

/** What was typed ahead is there at once, so it comes as the first piece of input: there the end of a line is Enter. */
function withTypedAhead(onInput: (data: string) => void): (data: string) => void {
  let piece: 'none yet' | 'first' | 'later' = 'none yet'
  return (data) => {
    if (piece === 'none yet') {
      piece = 'first'
      setImmediate(() => {
        piece = 'later'
      })
    }
    onInput(data === '\n' && piece === 'first' ? '\r' : data)
  }
}
