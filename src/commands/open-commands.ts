import type { PrepareLine } from '../agent/session.ts'
import type { Catalogue, PromptEntry, ServerStatus } from '../hub/api.ts'
import { serversNamedIn } from '../hub/catalogue/names.ts'
import { attachMentions } from './attach-mentions.ts'
import { builtins as makeBuiltins } from './builtins.ts'
import type { Candidate, Command, RunOptions } from './command.ts'
import type { CommandContext } from './context.ts'
import { errorOutcome, executeForm, executeParsed, guarded } from './execute.ts'
import { commandsNamed, noSuchCommand, type CommandSet } from './find-command.ts'
import type { ParsedLine } from './grammar.ts'
import { openLiveCatalogue } from './live-catalogue.ts'
import type { Form, Outcome } from './outcome.ts'
import { parseLine } from './parse-line.ts'
import { promptCommand } from './prompt-command.ts'
import { serverValues } from './server-values.ts'
import { candidatesFor, fitting, suggestArguments } from './suggest-arguments.ts'
import { suggestMentions } from './suggest-mentions.ts'
import { suggestNames } from './suggest-names.ts'
import { noSuggestions, type Suggestions } from './suggestions.ts'
import { workspaceFiles } from './workspace-files.ts'

/** The slash commands of a session. Everything here knows lines and values, and no screen. */
export interface Commands extends Disposable {
  /** Every command there is now, the built-in ones first. */
  readonly list: () => readonly Command[]
  /** What the servers that have answered offer. */
  readonly catalogue: () => Catalogue
  readonly servers: () => readonly ServerStatus[]
  /** What a line means: for highlighting, and to know whether it is a command at all. */
  readonly parse: (line: string) => ParsedLine
  /** Whether it is for us alone and runs at once, even while the model works. */
  readonly isBuiltin: (line: string) => boolean
  readonly suggest: (line: string, cursor: number, options?: SuggestOptions) => Promise<Suggestions>
  readonly execute: (line: string, options?: RunOptions) => Promise<Outcome>
  /** Runs the command of a form with its values. */
  readonly submit: (form: Form, options: SubmitOptions) => Promise<Outcome>
  /** The values that a field of a form can have. */
  readonly completeField: (form: Form, field: string, options: FieldOptions) => Promise<readonly Candidate[]>
  /** Called when commands came, went or changed, or a server's state. */
  readonly on: (listener: () => void) => Disposable
}

export interface SuggestOptions {
  readonly signal?: AbortSignal
}

export interface SubmitOptions extends RunOptions {
  readonly values: Readonly<Record<string, string>>
}

export interface FieldOptions extends SuggestOptions {
  readonly typed: string
  /** What the fields hold so far. */
  readonly values: Readonly<Record<string, string>>
}

export interface OpenCommandsOptions {
  /** How long typing has to rest before a server is asked for values, and how long that may take. */
  readonly completion?: { readonly debounceMs?: number; readonly limitMs?: number }
}

/** Opens the commands over a hub and a session. Built-in ones are there at once, prompts as their servers answer. */
export function openCommands(context: CommandContext, { completion = {} }: OpenCommandsOptions = {}): Commands {
  const catalogue = openLiveCatalogue(context.hub)
  const values = serverValues({ hub: context.hub, ...completion })
  const files = workspaceFiles({ folder: context.folder })
  const builtins = makeBuiltins({ context, catalogue, values, commands: list })
  let known: CommandSet | undefined
  const forgetting = catalogue.on(() => {
    known = undefined
    values.forget()
  })

  return {
    list,
    catalogue: catalogue.current,
    servers: catalogue.statuses,
    parse,
    isBuiltin: (line) => find(parse(line))?.kind === 'builtin',
    suggest,
    execute: (line, options = {}) => guarded(() => run(line, options)),
    submit: async (form, options) => {
      const command = list().find(({ key }) => key === form.command)
      return command === undefined
        ? errorOutcome(noSuchCommand(set(), form.command.replace(/^prompt:/, '')))
        : guarded(() => executeForm(command, form, options))
    },
    completeField,
    on: (listener) => catalogue.on(listener),
    [Symbol.dispose]() {
      forgetting[Symbol.dispose]()
      catalogue[Symbol.dispose]()
    },
  }

  function set(): CommandSet {
    known ??= {
      builtins,
      prompts: uniquePrompts(catalogue.current()).map((prompt) => {
        return { prompt, command: promptCommand(prompt, context.hub, values) }
      }),
      silent: catalogue.silent(),
    }
    return known
  }

  function list(): readonly Command[] {
    return [...builtins, ...set().prompts.map(({ command }) => command)]
  }

  function parse(line: string): ParsedLine {
    return parseLine(line, (name, firstWord) => named(name)?.declare(firstWord))
  }

  function find(parsed: ParsedLine): Command | undefined {
    return parsed.kind === 'command' ? named(parsed.name) : undefined
  }

  function named(name: string): Command | undefined {
    const found = commandsNamed(set(), name)
    return found.length === 1 ? found[0] : undefined
  }

  async function suggest(line: string, place: number, { signal }: SuggestOptions = {}): Promise<Suggestions> {
    const cursor = Math.min(Math.max(place, 0), line.length)
    const parsed = parse(line)
    if (parsed.kind === 'text') {
      return suggestMentions(line, cursor, { catalogue: catalogue.current(), files: () => files.list({ signal }) })
    }
    const token = parsed.tokens.find(({ kind }) => kind === 'name')
    if (token === undefined || cursor <= token.start) return noSuggestions(cursor)
    if (cursor <= token.end) return suggestNames(list(), line, { token, cursor })
    const command = find(parsed)
    if (command === undefined) return noSuggestions(cursor)
    return suggestArguments({ line, cursor, parsed, command, reparse: parse, signal })
  }

  async function run(line: string, options: RunOptions): Promise<Outcome> {
    const parsed = await parseForSure(line, options)
    if (parsed.kind === 'text') return sendText(line, options)
    const command = find(parsed)
    if (command === undefined) return errorOutcome(noSuchCommand(set(), parsed.name))
    return executeParsed(command, parsed, { ...options, line })
  }

  /** A name that is not known may be new at its server, or the server has not answered yet: it is asked before the name is refused. */
  async function parseForSure(line: string, { signal }: RunOptions): Promise<ParsedLine> {
    const parsed = parse(line)
    const name = /^\s*\/(\S+)/u.exec(line)?.[1]
    if (parsed.isKnown || name === undefined) return parsed
    const statuses = await context.hub.servers(signal === undefined ? {} : { signal })
    const servers = serversNamedIn(
      name,
      statuses.map((status) => status.name),
    )
    if (servers.length === 0) return parsed
    await catalogue.refresh({ servers, ...(signal === undefined ? {} : { signal }) })
    return parse(line)
  }

  async function sendText(text: string, { signal }: RunOptions): Promise<Outcome> {
    const { hub, folder } = context
    const { parts, notices } = await attachMentions(text, { hub, folder, catalogue: catalogue.current(), signal })
    return { kind: 'message', messages: [{ role: 'user', parts: [{ kind: 'text', text }, ...parts] }], notices }
  }

  async function completeField(
    form: Form,
    field: string,
    { typed, values: all, signal }: FieldOptions,
  ): Promise<readonly Candidate[]> {
    const command = list().find(({ key }) => key === form.command)
    const first = form.fields[0]?.name
    const slot = command?.declare((first && all[first]) ?? '').slots.find(({ name }) => name === field)
    if (slot === undefined) return []
    const given = Object.fromEntries(Object.entries(all).filter(([name, value]) => name !== field && value !== ''))
    return fitting(await candidatesFor(slot, typed, { given, signal }), typed).map(({ item }) => item)
  }
}

/** A server may list a name twice; only one of them can be meant. */
function uniquePrompts({ prompts }: Catalogue): readonly PromptEntry[] {
  return [...new Map(prompts.toReversed().map((prompt) => [prompt.id, prompt])).values()].toReversed()
}

/** The normal path of a typed line in a session: prompts and text become messages, whatever else came of it is shown. */
export function prepareLine(
  commands: Pick<Commands, 'execute'>,
  show: (outcome: Outcome) => void | Promise<void>,
  options: Omit<RunOptions, 'signal'> = {},
): PrepareLine {
  return async (line, { signal }) => {
    const outcome = await commands.execute(line, { ...options, signal })
    if (outcome.kind !== 'prompt' && outcome.kind !== 'message') {
      await show(outcome)
      return { kind: 'handled' }
    }
    if (outcome.notices.length > 0) {
      await show({
        kind: 'printed',
        blocks: outcome.notices.map((text) => ({ kind: 'notice', level: 'warning', text })),
      })
    }
    return { kind: 'messages', messages: outcome.messages }
  }
}
