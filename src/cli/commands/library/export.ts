import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { CapstanError } from '../../../errors.ts'
import { writeFileAtomic } from '../../../files/atomic-write.ts'
import { readIfThere } from '../../../files/read-if-there.ts'
import type { TextFile } from '../../../prompts/formats/format.ts'
import { formats } from '../../../prompts/formats/formats.ts'
import { formatIds, type FormatId } from '../../../prompts/formats/ids.ts'
import type { CommandInput } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import { plainLine } from '../../../policy/plain-text.ts'
import { count } from '../../render/numbers.ts'
import { choosePrompts, layerOf, textOf } from './choose-prompts.ts'
import { findSecretsIn } from './find-secrets.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Write prompts in the format of another client; without names all but the built-in ones. What a format cannot hold, and what looks like a
secret, is named on stderr.

Formats:
${formatIds.map((id) => `  ${id.padEnd(8)} ${formats[id].title}`).join('\n')}

  --to PATH                   the folder, or for jsonl and csv the file; these two go to stdout without it
  --force                     replace files that are there and say something else
  --tag, --any-tag, --layer   only these prompts, as in "library list"
  --json                      what was written, as one JSON value

Importing what was exported gives the same prompts again.

Examples
  capstan library export jsonl > prompts.jsonl
  capstan library export claude --tag code --to .claude/commands
  capstan library export skill incident_response --to ~/.claude/skills`,
  run,
}

async function run({ io, flags, openLibrary }: LibraryContext, { values, positionals }: CommandInput): Promise<number> {
  const [word, ...names] = positionals
  const format = formatOf(word)
  const { store } = await openLibrary()
  const chosen = await choosePrompts(store, { names, values })
  const isAll = names.length === 0 && layerOf(values).layer === undefined
  const prompts = chosen.filter(({ layer }) => !isAll || layer !== 'builtin').map(({ prompt }) => prompt)
  if (prompts.length === 0) {
    throw new CapstanError('prompt_unknown', 'There is nothing to export.', {
      next: 'Built-in prompts are exported by name, or with --layer builtin.',
    })
  }
  const { files, losses } = formats[format].write(prompts)
  const secrets = prompts.flatMap((prompt) => findSecretsIn(prompt).map((one) => ({ prompt: prompt.name, ...one })))
  const to = textOf(values, 'to')
  const written = to === undefined ? undefined : await writeFiles(await targetOf(files, resolve(io.cwd, to)), values)
  if (written === undefined) refuseFolders(format, files, flags.json)
  if (flags.json) {
    const what = written === undefined ? { files } : { written }
    await io.out(`${JSON.stringify({ format, prompts: prompts.length, ...what, losses, secrets })}\n`)
    return exitCodes.ok
  }
  if (written === undefined) await io.out(files.map(({ text }) => text).join(''))
  else await io.out(`Wrote ${count(prompts.length, 'prompt')} in ${count(written.length, 'file')}.\n`)
  for (const loss of losses) io.err(`Note: ${plainLine(loss)}\n`)
  for (const { prompt, where, masked } of secrets) {
    io.err(`Warning: ${prompt}: ${where}: ${masked} looks like a secret. Look at it before you share this.\n`)
  }
  return exitCodes.ok
}

function formatOf(word: string | undefined): FormatId {
  const format = formatIds.find((id) => id === word)
  if (format !== undefined) return format
  throw new CapstanError('usage', word === undefined ? 'Which format?' : `"${word}" is not a format.`, {
    next: `Formats: ${formatIds.join(', ')}. For example: capstan library export jsonl`,
  })
}

function refuseFolders(format: FormatId, files: readonly TextFile[], isJson: boolean): void {
  if (format === 'jsonl' || format === 'csv' || isJson) return
  throw new CapstanError('usage', `${format} makes ${count(files.length, 'file')}, which need a folder.`, {
    next: `Write: capstan library export ${format} --to FOLDER`,
  })
}

interface Target {
  readonly path: string
  readonly text: string
}

/** Where each file goes. A format of one file takes the path for the file's, unless a folder is there. */
async function targetOf(files: readonly TextFile[], to: string): Promise<readonly Target[]> {
  const [only, ...more] = files
  const isFileFormat = only !== undefined && more.length === 0 && ['prompts.jsonl', 'prompts.csv'].includes(only.path)
  if (!isFileFormat) return files.map(({ path, text }) => ({ path: join(to, path), text }))
  const info = await stat(to).catch(() => undefined)
  return [
    { path: info?.isDirectory() === true ? join(to, only.path) : join(dirname(to), basename(to)), text: only.text },
  ]
}

/** All or none: what is in the way is found before the first file is written. */
async function writeFiles(targets: readonly Target[], values: CommandInput['values']): Promise<readonly string[]> {
  const present = await Promise.all(targets.map(async ({ path }) => await readIfThere(path)))
  const inTheWay = targets.filter(({ text }, at) => present[at] !== undefined && present[at] !== text)
  if (inTheWay.length > 0 && values['force'] !== true) {
    const others = inTheWay.length === 1 ? '' : `, and so do ${inTheWay.length - 1} more`
    throw new CapstanError('usage', `${inTheWay[0]?.path} is there already and says something else${others}.`, {
      next: 'Look at them, then replace them with --force.',
    })
  }
  for (const { path, text } of targets) await writeFileAtomic(path, text, { mode: 0o644 })
  return targets.map(({ path }) => path)
}
