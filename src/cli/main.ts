import { parseArgs } from 'node:util'
import { CapstanError, messageOf } from '../errors.ts'
import { asTyped } from './as-typed.ts'
import { commands, type CommandEntry } from './commands.ts'
import { aliases } from './verbs.ts'
import type { Command, CommandInput, GlobalFlags, Io } from './command.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import { globalOptions } from './global-options.ts'
import { parseWords } from './parse-words.ts'
import { whyNoSession } from './chat/why-no-session.ts'
import { columnsFor } from './render/style.ts'

/** Runs one command line. The one place that prints errors and decides the exit code. */
export async function main(argv: readonly string[], io: Io, interrupted: AbortSignal): Promise<number> {
  try {
    return await run(argv, io, interrupted)
  } catch (error) {
    return await reportFailure(error, argv, io)
  }
}

async function run(argv: readonly string[], io: Io, interrupted: AbortSignal): Promise<number> {
  const { verb, rest } = takeVerb(argv)
  if (verb === 'help') return printHelp(rest, io)
  const entry = await entryOf(verb)
  if (entry === undefined && rest.some((word) => word === '--help' || word === '-h')) return printHelp([], io)
  if (entry === undefined && rest.includes('--version')) return printVersion(io)

  // One chunk holds config and hub; it is read while the verb's own is.
  const [{ command }, { openContext }] = await Promise.all([(entry ?? bare(rest, io)).load(), import('./context.ts')])
  const input = await parseWords(rest, { verb, command })
  if (entry !== undefined && input.values['help'] === true) {
    return printCommandHelp({ entry, command, words: input.positionals }, io)
  }

  const flags = readFlags(input, io)
  await using context = openContext({ io: speaking(io, command, flags), flags, interrupted })
  return await command.run(context, input)
}

/** `capstan` alone: a session, which opens on the overview; where none can be held, the overview by itself. */
function bare(words: readonly string[], io: Io): Pick<CommandEntry, 'load'> {
  const reason = whyNoSession(io, { json: words.includes('--json'), noInput: words.includes('--no-input') })
  if (reason === undefined) return { load: () => import('./commands/chat.ts') }
  const isExpected = !io.stdinIsTerminal || !io.stdoutIsTerminal || words.some((word) => asksForNoSession.has(word))
  if (!isExpected) io.err(`capstan: this is no session, because ${reason}.\n`)
  return { load: () => import('./commands/overview.ts') }
}

const asksForNoSession: ReadonlySet<string> = new Set(['--json', '--no-input'])

function takeVerb(argv: readonly string[]): { readonly verb: string | undefined; readonly rest: readonly string[] } {
  // Other tools spell these verbs as flags, and people's scripts do.
  if (argv[0] === '-p') return { verb: 'ask', rest: argv.slice(1) }
  if (argv[0] === '--list-prompts') return { verb: 'list', rest: ['--prompts', ...argv.slice(1)] }
  if (argv[0] === '--interactive-prompt') return { verb: 'chat', rest: ['--prompt', ...argv.slice(1)] }
  const { tokens } = parseArgs({
    args: [...argv],
    options: globalOptions,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const first = tokens.find((token) => token.kind === 'positional')
  // `capstan --resume ID` has no verb, and its first word is none.
  const isResumed = tokens.some(({ kind, ...token }) => kind === 'option' && 'name' in token && goingOn.has(token.name))
  if (isResumed && (first === undefined || !Object.hasOwn(commands, verbOf(first.value))))
    return { verb: 'chat', rest: argv }
  if (first === undefined) return { verb: undefined, rest: argv }
  return { verb: verbOf(first.value), rest: argv.toSpliced(first.index, 1) }
}

const goingOn: ReadonlySet<string> = new Set(['continue', 'resume'])

function verbOf(word: string): string {
  return Object.hasOwn(aliases, word) ? (aliases[word] ?? word) : word
}

async function entryOf(verb: string | undefined): Promise<CommandEntry | undefined> {
  if (verb === undefined) return undefined
  if (Object.hasOwn(commands, verb)) return commands[verb]
  const { nearest } = await import('../hub/catalogue/nearest.ts')
  const [near] = nearest(verb, Object.keys(commands), 1)
  throw new CapstanError('usage', `There is no command "${verb}".`, {
    next: near === undefined ? 'Run: capstan --help' : `Did you mean: capstan ${near}`,
  })
}

function readFlags({ values }: CommandInput, io: Io): GlobalFlags {
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined)
  const texts = (name: string) => (Array.isArray(values[name]) ? values[name].map(String) : [])
  const timeout = text('timeout')
  const seconds = Number(timeout)
  if (timeout !== undefined && !(seconds > 0 && seconds <= longestTimeout)) {
    const message = `--timeout wants a number of seconds above 0 and up to ${longestTimeout}, not "${timeout}".`
    throw new CapstanError('usage', message)
  }
  const [stdio, url] = [text('stdio'), text('url')]
  if (stdio !== undefined && url !== undefined)
    throw new CapstanError('usage', 'Give either --stdio or --url, not both.')
  return {
    json: values['json'] === true,
    config: texts('config'),
    header: texts('header'),
    ...(stdio === undefined ? {} : { stdio }),
    ...(url === undefined ? {} : { url }),
    ...(timeout === undefined ? {} : { timeoutSeconds: seconds }),
    mayAsk: values['no-input'] !== true && io.stdinIsTerminal && io.stderrIsTerminal && values['json'] !== true,
    debug: values['debug'] === true,
    noDaemon: values['no-daemon'] === true,
    trustProject: values['trust-project'] === true,
  }
}

/** The streams of a command, on which our own text names commands as this person has to type them. Machine output stays as it is. */
function speaking(io: Io, { ownText = {} }: Command, { json }: GlobalFlags): Io {
  const { stdout = false, stderr = true } = ownText
  const out: Io['out'] = (data) => io.out(typeof data === 'string' ? asTyped(data, io) : data)
  // Not a copy: where the current folder is gone, asking for it throws, and most commands do not ask.
  return Object.create(io, {
    ...(stdout && !json ? { out: { value: out } } : {}),
    ...(stderr ? { err: { value: (text: string) => io.err(asTyped(text, io)) } } : {}),
  }) as Io
}

/** Timers count milliseconds in 31 bits; a longer one would fire at once. */
const longestTimeout = 2_147_483

async function printVersion(io: Io): Promise<number> {
  const { version } = await import('../version.ts')
  await io.out(`${version}\n`)
  return exitCodes.ok
}

async function printHelp(words: readonly string[], io: Io): Promise<number> {
  const [topic, ...more] = words.filter((word) => !word.startsWith('-'))
  if (topic === undefined) {
    const { overallHelp } = await import('./help.ts')
    await io.out(asTyped(overallHelp(), io))
    return exitCodes.ok
  }
  const { helpTopics } = await import('./help-topics.ts')
  if (Object.hasOwn(helpTopics, topic)) {
    await io.out(asTyped(`${helpTopics[topic]?.trim()}\n`, io))
    return exitCodes.ok
  }
  const entry = await entryOf(verbOf(topic))
  if (entry === undefined) return exitCodes.usage
  const { command } = await entry.load()
  return printCommandHelp({ entry, command, words: more }, io)
}

interface Explained {
  readonly entry: CommandEntry
  readonly command: Command
  /** What was typed behind the verb. */
  readonly words: readonly string[]
}

async function printCommandHelp({ entry, command, words }: Explained, io: Io): Promise<number> {
  const { commandHelp } = await import('./help.ts')
  const text = (await command.helpOn?.(words)) ?? { ...entry, help: command.help }
  await io.out(asTyped(commandHelp(text), io))
  return exitCodes.ok
}

async function reportFailure(error: unknown, argv: readonly string[], io: Io): Promise<number> {
  const isExpected = error instanceof CapstanError
  // Read without the parser, which may be what failed. Words after "--" belong to somebody else's command.
  const flags = new Set(argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length))
  if (flags.has('--json')) {
    const shown = isExpected ? error.toJSON() : { code: 'bug', message: messageOf(error) }
    await io.out(`${JSON.stringify({ error: shown })}\n`)
  } else {
    const { failureText } = await import('./render/failure-text.ts')
    const next = isExpected ? error.next : 'This is a bug of Capstan. Run again with --debug and report what it prints.'
    io.err(asTyped(failureText({ message: messageOf(error), next }, columnsFor(io, 'stderr')), io))
  }
  if (flags.has('--debug') && error instanceof Error) io.err(`${error.stack ?? ''}\n${stackOf(error.cause)}`)
  return isExpected ? exitCodeOf(error.code) : exitCodes.bug
}

function stackOf(cause: unknown): string {
  return cause instanceof Error ? `caused by ${cause.stack ?? cause.message}\n${stackOf(cause.cause)}` : ''
}
