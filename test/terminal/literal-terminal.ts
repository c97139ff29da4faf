import type { Terminal } from '@earendil-works/pi-tui'

/** A terminal that only remembers what was written to it. */
export function literalTerminal(columns = 60, rows = 20): Terminal & { readonly written: () => string } {
  let written = ''
  return {
    written: () => written,
    start() {},
    stop() {},
    drainInput: async () => {},
    write(data) {
      written += data
    },
    columns,
    rows,
    kittyProtocolActive: false,
    moveBy() {},
    hideCursor() {},
    showCursor() {},
    clearLine() {},
    clearFromCursor() {},
    clearScreen() {},
    setTitle() {},
    setProgress() {},
  }
}
