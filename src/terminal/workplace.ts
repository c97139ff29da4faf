import type { TUI } from '@earendil-works/pi-tui'
import type { Markdown } from './markdown.ts'
import type { Palette } from './paint.ts'
import type { PanelStack } from './panels/panel.ts'
import type { Block, Transcript } from './transcript.ts'

/** What every part of the screen works with. */
export interface Workplace {
  readonly tui: TUI
  readonly transcript: Transcript
  readonly panels: PanelStack
  readonly paint: Palette
  readonly markdown: Markdown
  readonly now: () => number
  /** Adds to the transcript, and has it drawn. */
  readonly show: (...blocks: readonly Block[]) => void
  /** Lets something run by itself. A bug in it ends the session instead of being lost. */
  readonly detach: (work: Promise<unknown>) => void
  /** Keys that mean the same everywhere: leaving. */
  readonly onAnyKey: (key: string) => boolean
}
