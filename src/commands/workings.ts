import type { Command } from './command.ts'
import type { CommandContext } from './context.ts'
import type { LiveCatalogue } from './live-catalogue.ts'

/** What the built-in commands work with. */
export interface Workings {
  readonly context: CommandContext
  readonly catalogue: LiveCatalogue
  /** Every command there is, the built-in ones first. */
  readonly commands: () => readonly Command[]
}
