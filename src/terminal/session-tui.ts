import { type Terminal, truncateToWidth, TuiMainScreen, visibleWidth } from '@earendil-works/pi-tui'
import type { Transcript } from './transcript.ts'

/**
 * Draws the transcript and what stands below it. Lines that have scrolled away are forgotten after each frame: nobody can change them
 * any more, so drawing costs what the window holds, however long the conversation is.
 */
export class SessionTui extends TuiMainScreen {
  readonly #transcript: Transcript
  #size = ''

  constructor(terminal: Terminal, transcript: Transcript) {
    super(terminal)
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
    const size = `${columns}x${rows}`
    // The whole window is drawn anew then; more than fits would be pushed into the scrollback a second time.
    if (size !== this.#size) this.#transcript.fit(columns, Math.max(1, rows - this.#linesBelow(columns)))
    this.#size = size
    super.doRender()
    this.#forgetScrolledAway()
  }

  #linesBelow(columns: number): number {
    const below = this.children.filter((child) => child !== this.#transcript)
    return below.reduce((sum, child) => sum + child.render(columns).length, 0)
  }

  #forgetScrolledAway(): void {
    const state = this.captureRenderState()
    const count = this.#transcript.forget(state.previousViewportTop)
    if (count === 0) return
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
