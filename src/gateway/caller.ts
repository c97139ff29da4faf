import type { AccessRules } from '../policy/access.ts'

/** How tools are offered: each by itself, by a few tools that find and call them, by code, or whichever costs fewer tokens. */
export type Mode = 'all' | 'meta' | 'code' | 'auto'

/** Who comes in, and what they may see and run. */
export interface Caller {
  readonly name: string
  readonly rules: readonly AccessRules[]
  readonly mode: Mode
}
