import type { Terminal } from '@earendil-works/pi-tui'

/**
 * A terminal as a session needs it. The library wipes what has scrolled away at every change of size, and a person's scrollback is not
 * ours to delete. And what was typed before the terminal was ours comes with the end of a line for Enter.
 */
export function sessionTerminal(terminal: Terminal): Terminal {
  return {
    start(onInput, onResize) {
      const startedAtMs = performance.now()
      const isTypedBefore = () => performance.now() - startedAtMs < typeAheadMs
      terminal.start((data) => onInput(data === '\n' && isTypedBefore() ? '\r' : data), onResize)
    },
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

/** What was typed before is read in the first moment. */
const typeAheadMs = 50

const wipeScrollback = '\u001B[3J'
