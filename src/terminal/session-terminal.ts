import type { Terminal } from '@earendil-works/pi-tui'

/**
 * The terminal with one word taken out of its language: the one that wipes what has scrolled away. The screen library says it at every
 * change of size, and a person's scrollback is not ours to delete.
 */
export function keepingScrollback(terminal: Terminal): Terminal {
  return {
    start: (onInput, onResize) => terminal.start(onInput, onResize),
    stop: () => terminal.stop(),
    drainInput: (maxMs, idleMs) => terminal.drainInput(maxMs, idleMs),
    write: (data) => terminal.write(data.replaceAll(wipeScrollback, '')),
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
