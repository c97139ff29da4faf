import { join } from 'node:path'
import { findProject } from '../../../config/project.ts'
import { CapstanError } from '../../../errors.ts'
import { homeFolder, places } from '../../../files/places.ts'
import { slashClientIds, type SlashClientId } from '../../../prompts/formats/ids.ts'
import { slashClients, slashFiles, slashFolders, type SlashClient } from '../../../prompts/formats/slash-commands.ts'
import type { Prompt } from '../../../prompts/prompt.ts'
import type { CommandInput } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import { plainLine } from '../../../policy/plain-text.ts'
import { columnsFor, styleFor } from '../../render/style.ts'
import { renderTable } from '../../render/table.ts'
import { choosePrompts, layerOf } from './choose-prompts.ts'
import { findSecretsIn } from './find-secrets.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'
import { syncFolder, type SyncedFile } from './sync-folder.ts'

export const subcommand: Subcommand = {
  help: `Make slash commands of prompts in another client; without names of all but the built-in ones. The next sync writes what has changed and
removes what you no longer choose. Files that Capstan did not make, or that you have changed since, are left alone and named.

Clients: ${slashClientIds.join(', ')}.

  --project                   into the client's folder of this project, instead of your own
  --remove                    take all of them away again
  --dry-run                   only show what would happen
  --tag, --any-tag, --layer   only these prompts, as in "library list"
  --json                      the files and what happened to each, as one JSON value

A prompt with a text that the client would run as a command is written only when you name it.

Examples
  capstan library sync claude-code
  capstan library sync vscode --project --tag team
  capstan library sync claude-code --remove`,
  run,
}

async function run(
  { io, flags, signal, openLibrary }: LibraryContext,
  { values, positionals }: CommandInput,
): Promise<number> {
  const [word, ...names] = positionals
  const client = slashClients[clientOf(word)]
  const folder = await folderOf(client, { io }, values['project'] === true)
  const { store } = await openLibrary()
  const all = new Map((await store.list()).map(({ prompt }) => [prompt.name, prompt]))
  const isAll = names.length === 0 && layerOf(values).layer === undefined
  const chosen = values['remove'] === true ? [] : await choosePrompts(store, { names, values })
  const own = chosen.filter(({ layer }) => !isAll || layer !== 'builtin').map(({ prompt }) => prompt)
  const running = names.length > 0 ? [] : own.filter((prompt) => runs(client, prompt))
  const wanted = own.filter((prompt) => !running.includes(prompt))
  const isDryRun = values['dry-run'] === true
  const manifestFolder = join(places(io.env).state, 'library-sync')
  const files = await syncFolder(
    slashFiles(client, wanted, (name) => all.get(name)),
    { folder, manifestFolder, isDryRun, signal },
  )
  const leftOut = running.map(({ name }) => name)
  if (flags.json) await io.out(`${JSON.stringify({ client: word, folder, files, leftOut, dryRun: isDryRun })}\n`)
  else await io.out(report(files, { io, folder, isDryRun }))
  for (const name of leftOut)
    io.err(`Left out: ${name}. ${client.title} would run a command in its text; name it to write it.\n`)
  for (const prompt of wanted) {
    for (const { where, masked } of findSecretsIn(prompt))
      io.err(`Warning: ${prompt.name}: ${where}: ${masked} looks like a secret.\n`)
  }
  return exitCodes.ok
}

function clientOf(word: string | undefined): SlashClientId {
  const client = slashClientIds.find((id) => id === word || (word === 'claude' && id === 'claude-code'))
  if (client !== undefined) return client
  throw new CapstanError(
    'usage',
    word === undefined ? 'Which client?' : `"${word}" is not a client with slash commands.`,
    {
      next: `Clients: ${slashClientIds.join(', ')}. For example: capstan library sync claude-code`,
    },
  )
}

async function folderOf(client: SlashClient, { io }: Pick<LibraryContext, 'io'>, isProject: boolean): Promise<string> {
  const home = homeFolder(io.env)
  const { root } = await findProject(io.cwd, home)
  const { user, project } = slashFolders(client, { env: io.env, platform: process.platform, home, project: root })
  if (!isProject) return user
  if (project !== undefined) return project
  throw new CapstanError('usage', `${client.title} has no slash commands of a project.`, {
    next: 'Leave out --project to write them for yourself.',
  })
}

function runs({ runs: pattern }: SlashClient, { messages, steps = [] }: Prompt): boolean {
  const texts = [
    ...messages.map(({ content }) => (content.type === 'text' ? content.text : '')),
    ...steps.map(({ text = '' }) => text),
  ]
  return pattern !== undefined && texts.some((text) => pattern.test(text))
}

const about: Readonly<Record<SyncedFile['action'], string>> = {
  written: '',
  unchanged: '',
  removed: '',
  foreign: 'not made by Capstan; left alone',
  edited: 'changed since Capstan wrote it; left alone. To keep the change: capstan library import FILE',
}

function report(
  files: readonly SyncedFile[],
  { io, folder, isDryRun }: Pick<LibraryContext, 'io'> & { readonly folder: string; readonly isDryRun: boolean },
): string {
  const style = styleFor(io)
  const shown = files.filter(({ action }) => action !== 'unchanged')
  const rows = shown.map(({ path, action }) => [
    { text: action, paint: action === 'foreign' || action === 'edited' ? style.warning : style.good },
    { text: path, paint: style.name },
    { text: about[action], paint: style.faint },
  ])
  const number = (action: SyncedFile['action']) => files.filter((file) => file.action === action).length
  const would = isDryRun ? ' (nothing was done)' : ''
  const numbers = `${number('written')} written, ${number('unchanged')} unchanged, ${number('removed')} removed`
  return `${renderTable(rows, { columns: columnsFor(io), indent: 2 })}${plainLine(folder)}: ${numbers}${would}.\n`
}
