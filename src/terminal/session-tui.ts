import { type Terminal, truncateToWidth, TuiMainScreen, visibleWidth } from '@earendil-works/pi-tui'
import { sessionTerminal } from './session-terminal.ts'
import type { Transcript } from './transcript.ts'

/**
 * Draws the transcript and what stands below it. Lines that have scrolled away are forgotten after each frame: nobody can change them
 * any more, so drawing costs what the window holds, however long the conversation is.
 */
export class SessionTui extends TuiMainScreen {
  readonly #transcript: Transcript
  readonly #window: { isOurs: boolean }
  #columns = 0
  #rows = 0
  #forgotten = 0

  constructor(terminal: Terminal, transcript: Transcript) {
    const window = { isOurs: false }
    super(sessionTerminal(terminal, window))
    this.#window = window
    this.#transcript = transcript
    this.addChild(transcript)
  }

  /** Gives the terminal to the shell until the person comes back. */
  suspend(): void {
    if (process.platform === 'win32') return
    this.stop()
    process.once('SIGCONT', () => {
      this.start()
      this.requestRender(true)
    })
    process.kill(process.pid, 'SIGTSTP')
  }

  /** The library ends the program over a line that is too wide: better to lose its end. */
  override render(width: number): string[] {
    return super.render(width).map((line) => (visibleWidth(line) > width ? truncateToWidth(line, width, '') : line))
  }

  protected override doRender(): void {
    const { columns, rows } = this.terminal
    if (columns !== this.#columns || rows !== this.#rows) this.#fit(columns, rows)
    this.#columns = columns
    this.#rows = rows
    super.doRender()
    this.#forgetScrolledAway()
  }

  /** The whole window is drawn anew after a change of size; more than fits would be pushed into the scrollback a second time. */
  #fit(columns: number, rows: number): void {
    const lost = columns === this.#columns && rows < this.#rows ? this.#linesNotScrolled(rows) : 0
    this.#window.isOurs = this.#forgotten + this.captureRenderState().previousLines.length >= rows
    this.#transcript.fit(columns, Math.max(1, rows - this.#linesBelow(columns) + lost))
  }

  /** A window that shrinks drops what stands below the cursor before it scrolls, so as many lines at its top have not scrolled away. */
  #linesNotScrolled(rows: number): number {
    const { previousLines, previousViewportTop, hardwareCursorRow } = this.captureRenderState()
    const surplus = previousLines.length - previousViewportTop - rows
    const belowCursor = this.#rows - 1 - (hardwareCursorRow - previousViewportTop)
    const scrolled = Math.max(0, this.#rows - rows - belowCursor)
    return Math.max(0, surplus - scrolled)
  }

  #linesBelow(columns: number): number {
    const below = this.children.filter((child) => child !== this.#transcript)
    return below.reduce((sum, child) => sum + child.render(columns).length, 0)
  }

  #forgetScrolledAway(): void {
    const state = this.captureRenderState()
    const count = this.#transcript.forget(state.previousViewportTop)
    if (count === 0) return
    this.#forgotten += count
    this.restoreRenderState({
      ...state,
      previousLines: state.previousLines.slice(count),
      cursorRow: state.cursorRow - count,
      hardwareCursorRow: state.hardwareCursorRow - count,
      maxLinesRendered: state.maxLinesRendered - count,
      previousViewportTop: state.previousViewportTop - count,
    })
  }
}
