import type { Maker } from '../hub/makers.ts'

/** One way in which things go wrong, and what Capstan promises for it. Both stand in docs/reliability.md. */
export interface Fault {
  readonly id: number
  /** What goes wrong. */
  readonly fault: string
  readonly promise: string
  /** The one maker of a Hub for which it means something; both when absent. */
  readonly only?: 'openHub' | 'dialHub'
  /** Makes it happen for real. Throws when the promise is broken; else says what was seen. */
  readonly run: (open: Maker) => Promise<string>
}
