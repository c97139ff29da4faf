import { posix, win32 } from 'node:path'
import { stringify as toToml } from 'smol-toml'
import type { Prompt, PromptArgument } from '../prompt.ts'
import { spellArguments } from './argument-spelling.ts'
import { mapTexts, writeBody } from './body.ts'
import { dollarFields } from './claude-command.ts'
import { dollarHint, writeDollarText } from './dollar-arguments.ts'
import { stemsFor } from './file-names.ts'
import { flattenTemplate, type FindPrompt } from './flatten-template.ts'
import type { TextFile } from './format.ts'
import { writeFrontMatter } from './front-matter.ts'
import type { SlashClientId } from './ids.ts'
import { inputOf } from './vscode-prompt.ts'

/** What the folders of other clients depend on. */
export interface ClientSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly project: string
}

/** A client that makes slash commands of files in a folder. */
export interface SlashClient {
  readonly title: string
  readonly folders: (at: ClientSurroundings & { readonly join: (...parts: string[]) => string }) => {
    readonly user: string
    /** Absent where it has none. */
    readonly project?: string
  }
  readonly ending: string
  /** The file's text, from a prompt without blocks. */
  readonly write: (prompt: Prompt) => string
  /** What it runs when it reads the text. */
  readonly runs?: RegExp
}

const shellInBackticks = /(?<![\w`])!`[^`\n]+`/

/** By the names that `capstan import` has for them, too. */
export const slashClients: Readonly<Record<SlashClientId, SlashClient>> = {
  'claude-code': {
    title: 'Claude Code',
    folders: ({ env, home, project, join }) => ({
      user: join(env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude'), 'commands'),
      project: join(project, '.claude', 'commands'),
    }),
    ending: '.md',
    write: (prompt) =>
      writeFrontMatter({
        fields: { ...describing(prompt), ...dollarFields(prompt) },
        body: bodyOf(prompt, (text) => writeDollarText(text, prompt.arguments, 'name')),
      }),
    runs: shellInBackticks,
  },
  codex: {
    title: 'Codex',
    folders: ({ env, home, join }) => ({ user: join(env['CODEX_HOME'] ?? join(home, '.codex'), 'prompts') }),
    ending: '.md',
    write: (prompt) => {
      const hint = prompt.arguments.length === 0 ? {} : { 'argument-hint': dollarHint(prompt.arguments) }
      return writeFrontMatter({ fields: { ...describing(prompt), ...hint }, body: byPosition(prompt) })
    },
  },
  cursor: {
    title: 'Cursor',
    folders: ({ home, project, join }) => ({
      user: join(home, '.cursor', 'commands'),
      project: join(project, '.cursor', 'commands'),
    }),
    ending: '.md',
    // It has no arguments: what is typed behind the command follows the text.
    write: (prompt) => `${inBrackets(prompt)}${listOf(prompt, 'The values follow')}\n`,
  },
  gemini: {
    title: 'Gemini CLI',
    folders: ({ home, project, join }) => ({
      user: join(home, '.gemini', 'commands'),
      project: join(project, '.gemini', 'commands'),
    }),
    ending: '.toml',
    write: (prompt) => `${toToml({ ...describing(prompt), prompt: forGemini(prompt) })}\n`,
    runs: /[!@]\{[^}\n]+\}/,
  },
  opencode: {
    title: 'OpenCode',
    folders: ({ env, home, project, join }) => ({
      user: join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'opencode', 'commands'),
      project: join(project, '.opencode', 'commands'),
    }),
    ending: '.md',
    write: (prompt) => writeFrontMatter({ fields: describing(prompt), body: byPosition(prompt) }),
    runs: shellInBackticks,
  },
  vscode: {
    title: 'VS Code',
    folders: ({ env, home, project, platform, join }) => ({
      user: join(appData({ env, home, platform, join }), 'Code', 'User', 'prompts'),
      project: join(project, '.github', 'prompts'),
    }),
    ending: '.prompt.md',
    write: (prompt) =>
      writeFrontMatter({
        fields: describing(prompt),
        body: bodyOf(prompt, (text) => spellArguments(text, prompt.arguments, inputOf)),
      }),
  },
}

/** Where a client reads slash commands from, of the person or of the project. */
export function slashFolders(client: SlashClient, at: ClientSurroundings): ReturnType<SlashClient['folders']> {
  return client.folders({ ...at, join: (...parts) => (at.platform === 'win32' ? win32 : posix).join(...parts) })
}

/** One file for each prompt, in the order of the prompts. */
export function slashFiles(client: SlashClient, prompts: readonly Prompt[], find: FindPrompt): readonly TextFile[] {
  const stems = stemsFor(prompts.map(({ name }) => name))
  return prompts.map((prompt, at) => ({
    path: `${stems[at]}${client.ending}`,
    text: client.write(requiredFirst(flattenTemplate(prompt, find))),
  }))
}

/** Arguments are told apart by their places there: whoever gives only one means the one that must be given. */
function requiredFirst(prompt: Prompt): Prompt {
  const isRequired = (argument: PromptArgument) => argument.required && argument.default === undefined
  const [needed, others] = [prompt.arguments.filter(isRequired), prompt.arguments.filter((one) => !isRequired(one))]
  return { ...prompt, arguments: [...needed, ...others] }
}

function describing({ description, title }: Prompt): { readonly description?: string } {
  const text = description || title
  return text === undefined || text === '' ? {} : { description: text.replaceAll(/\s+/g, ' ').trim() }
}

function bodyOf(prompt: Prompt, spell: (text: string) => string): string {
  return writeBody(mapTexts(prompt, spell)) + defaultsOf(prompt)
}

function byPosition(prompt: Prompt): string {
  return bodyOf(prompt, (text) => writeDollarText(text, prompt.arguments, 'position'))
}

function inBrackets(prompt: Prompt): string {
  return bodyOf(prompt, (text) => spellArguments(text, prompt.arguments, ({ name }) => `[${name}]`))
}

/** The one argument that it has stands for all that was typed. */
function forGemini(prompt: Prompt): string {
  if (prompt.arguments.length === 1) {
    return bodyOf(prompt, (text) => spellArguments(text, prompt.arguments, () => '{{args}}'))
  }
  return prompt.arguments.length === 0
    ? inBrackets(prompt)
    : `${inBrackets(prompt)}${listOf(prompt, 'The values')}\n{{args}}`
}

function listOf(prompt: Prompt, heading: string): string {
  if (prompt.arguments.length === 0) return ''
  const lines = prompt.arguments.map(({ name, description }: PromptArgument) => {
    return `- [${name}]${description === undefined ? '' : `: ${description}`}`
  })
  return `\n\n${heading}:\n${lines.join('\n')}`
}

/** None of these clients knows defaults, but all of their models can read. */
function defaultsOf(prompt: Prompt): string {
  const known = prompt.arguments.filter((argument) => argument.default !== undefined)
  const words = known.map((argument) => `${argument.name} is ${JSON.stringify(argument.default)}`)
  return words.length === 0 ? '' : `\n\nWhere no value is given: ${words.join(', ')}.`
}

function appData(
  at: Pick<ClientSurroundings, 'env' | 'home' | 'platform'> & { join: (...parts: string[]) => string },
): string {
  const { env, home, platform, join } = at
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData', 'Roaming')
  return env['XDG_CONFIG_HOME'] ?? join(home, '.config')
}
