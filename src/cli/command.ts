import type { ParseArgsOptionsConfig } from 'node:util'
import type { Config } from '../config/types.ts'
import type { Hub, ListKind } from '../hub/api.ts'
import type { Catalogued } from './disk-hub.ts'

/** The world outside a command: streams, terminal, environment. Handed in, so that tests can hand in their own. */
export interface Io {
  /** Results. Resolves when the text has left the process, so that a large result is never cut by an exit. */
  readonly out: (data: string | Uint8Array) => Promise<void>
  /** Everything that is not a result. */
  readonly err: (text: string) => void
  readonly readStdin: () => Promise<string>
  /** Where answers to questions come from; the process's own stdin when absent. */
  readonly stdin?: NodeJS.ReadableStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** The file that Node was started with; absent where nobody started one. */
  readonly script?: string
  readonly stdoutIsTerminal: boolean
  readonly stderrIsTerminal: boolean
  readonly stdinIsTerminal: boolean
  /** Columns of the terminal; 80 where there is none. */
  readonly columns: number
}

/** Flags that every verb takes. */
export interface GlobalFlags {
  readonly json: boolean
  readonly config: readonly string[]
  readonly stdio?: string
  readonly url?: string
  readonly header: readonly string[]
  readonly timeoutSeconds?: number
  /** False after `--no-input`, and where there is no terminal to ask on. */
  readonly mayAsk: boolean
  readonly debug: boolean
  readonly noDaemon: boolean
  readonly trustProject: boolean
}

/** Which of the configured servers a command needs, given all their names. */
export type Needs = (names: readonly string[]) => readonly string[]

export interface CatalogueLook {
  readonly kinds: readonly ListKind[]
  /** Ask the servers, whatever the disk holds. */
  readonly fresh: boolean
}

export interface CommandHub extends Hub {
  /** Resolves when it is of no more use; absent where its servers run in this process. */
  readonly closed?: Promise<void>
}

export interface CommandContext {
  readonly io: Io
  readonly flags: GlobalFlags
  /** Ctrl-C, SIGTERM and `--timeout`, made once. */
  readonly signal: AbortSignal
  /** The config after flags, layers and trust. Asks nothing. */
  readonly loadConfig: () => Promise<Config>
  /**
   * A hub over that config; `main` closes it after the command's output has been written. Asks a person for trust first, if
   * project servers wait for it: all of them, or those among `needs`.
   */
  readonly openHub: (needs?: Needs) => Promise<CommandHub>
  /** What looking needs: from disk where all of it was seen within a day, else from a hub as above. */
  readonly openCatalogue: (needs: Needs, look: CatalogueLook) => Promise<Catalogued>
}

export interface CommandInput {
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>
  readonly positionals: readonly string[]
}

/** What is printed about a verb, or a word behind it. */
export interface HelpText {
  readonly usage: string
  readonly summary: string
  readonly help: string
}

/** One verb. What it needs is imported by its own file, so that no other verb pays for it. */
export interface Command {
  /** Flags besides the global ones. */
  readonly options: ParseArgsOptionsConfig
  /** What to type instead, where a flag among these words is not ours; undefined for the usual advice. */
  readonly adviceOnFlag?: (words: readonly string[]) => string | undefined
  /** The text of `capstan help VERB` below the usage line: what it does, flags, two or three examples. */
  readonly help: string
  /** Help on the words behind the verb, where it has verbs of its own; undefined for help on the whole. */
  readonly helpOn?: (words: readonly string[]) => Promise<HelpText | undefined>
  /**
   * Which streams carry text of our own alone: only there may commands be rewritten as this person has to type them. By default
   * stderr does and stdout does not, since results are passed on as they came.
   */
  readonly ownText?: { readonly stdout?: boolean; readonly stderr?: boolean }
  /** Resolves to the exit code. */
  readonly run: (context: CommandContext, input: CommandInput) => Promise<number>
}
