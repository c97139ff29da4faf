import type { Command } from './command.ts'
import type { CommandContext } from './context.ts'
import type { LiveCatalogue } from './live-catalogue.ts'
import type { ServerValues } from './server-values.ts'

/** What the built-in commands work with. */
export interface Workings {
  readonly context: CommandContext
  readonly catalogue: LiveCatalogue
  readonly values: ServerValues
  /** Every command there is, the built-in ones first. */
  readonly commands: () => readonly Command[]
}
