import type { CommandContext, CommandInput } from '../../command.ts'
import type { PromptLibrary } from '../../prompt-library.ts'

export interface LibraryContext extends CommandContext {
  /** The library of the person; opened once, closed after the command. Asks for approval of a project's prompts first. */
  readonly openLibrary: () => Promise<PromptLibrary>
}

/** One word behind `capstan library`. */
export interface Subcommand {
  /** What it does, its flags, and examples. */
  readonly help: string
  readonly run: (context: LibraryContext, input: CommandInput) => Promise<number>
}
