import { CapstanError } from '../../errors.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { globalOptions } from '../global-options.ts'
import { plainText } from '../../policy/plain-text.ts'
import type { PromptLibrary } from '../prompt-library.ts'
import { libraryOptions, subcommands, type SubcommandEntry } from './library/subcommands.ts'

export const command: Command = {
  options: libraryOptions,
  help: `Keep prompts and runbooks in files of your own: find them, fill them in, change them and go back, share them with other clients.

${subcommandRows()}

  --prompts-dir DIR   your prompts are in this folder (default: CAPSTAN_PROMPTS_DIR, then [prompts] dir in config.toml,
                      then the data folder)

What each of these takes: capstan help library list

Examples
  capstan library search write tests
  capstan library show code_review --render focus=security
  capstan library add standup --text "What did we do about {{topic}}?"
  capstan library import ~/.claude/commands`,
  helpOn,
  run,
}

function subcommandRows(): string {
  const rows = Object.values(subcommands)
  const width = Math.max(...rows.map(({ usage }) => usage.length))
  return rows.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`).join('\n')
}

async function helpOn([word]: readonly string[]) {
  if (word === undefined) return undefined
  const { usage, summary, load } = await entryOf(word)
  const { subcommand } = await load()
  const everywhere = 'Flag of every library command\n  --prompts-dir DIR   your prompts are in this folder'
  const help = subcommand.help.includes('--prompts-dir') ? subcommand.help : `${subcommand.help}\n\n${everywhere}`
  return { usage: `library ${usage}`, summary, help }
}

async function run(context: CommandContext, { values, positionals }: CommandInput): Promise<number> {
  const [word, ...rest] = positionals
  if (word === undefined) {
    throw new CapstanError('usage', 'Say what to do with the library.', {
      next: `One of: ${Object.keys(subcommands).join(', ')}. For example: capstan library list`,
    })
  }
  const entry = await entryOf(word)
  refuseForeignFlags(word, entry, values)
  const { subcommand } = await entry.load()
  let opened: Promise<PromptLibrary> | undefined
  try {
    const openLibrary = () => (opened ??= open(context, values['prompts-dir']))
    return await subcommand.run({ ...context, openLibrary }, { values, positionals: rest })
  } finally {
    const library = await opened?.catch(() => undefined)
    await library?.[Symbol.asyncDispose]()
  }
}

async function entryOf(word: string): Promise<SubcommandEntry> {
  const entry = Object.hasOwn(subcommands, word) ? subcommands[word] : undefined
  if (entry !== undefined) return entry
  const { nearest } = await import('../../hub/catalogue/nearest.ts')
  const [near] = nearest(word, Object.keys(subcommands), 1)
  throw new CapstanError('usage', `There is no command "library ${word}".`, {
    next: near === undefined ? 'Run: capstan help library' : `Did you mean: capstan library ${near}`,
  })
}

function refuseForeignFlags(word: string, { flags }: SubcommandEntry, values: CommandInput['values']): void {
  const allowed = new Set<string>([...flags, 'prompts-dir', ...Object.keys(globalOptions)])
  const foreign = Object.keys(values).find((flag) => !allowed.has(flag))
  if (foreign === undefined) return
  const own = flags.length === 0 ? 'none of its own' : flags.map((flag) => `--${flag}`).join(', ')
  throw new CapstanError('usage', `"library ${word}" does not take --${foreign}. Its flags: ${own}.`, {
    next: `Run: capstan help library ${word}`,
  })
}

async function open(context: CommandContext, promptsDir: CommandInput['values'][string]): Promise<PromptLibrary> {
  const { io, flags } = context
  const { openPromptLibrary } = await import('../prompt-library.ts')
  const options = {
    promptsDir: typeof promptsDir === 'string' ? promptsDir : undefined,
    trustProject: flags.trustProject,
  }
  const library = await openPromptLibrary(io, options)
  for (const warning of library.warnings) io.err(`Warning: ${plainText(warning)}\n`)
  if (library.waiting === undefined || library.waiting.standing === 'refused') return library
  const { askAboutProjectPrompts } = await import('./library/project-prompts.ts')
  if (!(await askAboutProjectPrompts(context, library.waiting))) return library
  await library[Symbol.asyncDispose]()
  return await openPromptLibrary(io, options)
}
