import { CapstanError } from '../../../errors.ts'
import { formats } from '../../../prompts/formats/formats.ts'
import { formatIds, type FormatId } from '../../../prompts/formats/ids.ts'
import { readSource } from '../../../prompts/formats/read-source.ts'
import { ask } from '../../ask.ts'
import type { CommandInput } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import { count } from '../../render/numbers.ts'
import { textOf, textsOf } from './choose-prompts.ts'
import { describePlan, planToJson } from './describe-plan.ts'
import { planImport, type ImportPlan, type PlannedPrompt } from './plan-import.ts'
import { writer } from './saved.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Bring in prompts from a file, a folder or a git repository (its address, with #BRANCH for another branch). First it shows what is new,
what would change and how, what is doubtful and what looks like a secret; then it asks.

Formats, told by the files themselves:
${formatIds.map((id) => `  ${id.padEnd(8)} ${formats[id].title}`).join('\n')}

  --format FORMAT   take all files for this
  --tag TAG         give every prompt this tag too; may be given again
  --layer NAME      where to put them: user (default), project, or a team's folder
  --new-only        leave the prompts alone that you have already
  --dry-run         only show what would happen
  --yes             do not ask
  --json            what was found and what was saved, as one JSON value

A prompt that is replaced stays in its history. Nothing of the source is run.

Examples
  capstan library import ~/.claude/commands
  capstan library import prompts.csv --tag prompts.chat --yes
  capstan library import https://example.com/team/prompts.git --new-only`,
  run,
}

async function run(context: LibraryContext, { values, positionals }: CommandInput): Promise<number> {
  const { io, flags, signal, openLibrary } = context
  const [source, ...more] = positionals
  if (source === undefined || more.length > 0) {
    throw new CapstanError('usage', 'Say where to import from: one file, folder or git address.', {
      next: 'Write: capstan library import SOURCE',
    })
  }
  const format = formatOf(textOf(values, 'format'))
  const library = await openLibrary()
  const layer = textOf(values, 'layer') ?? 'user'
  const [files, present] = await Promise.all([
    readSource(source, { currentFolder: io.cwd, env: io.env, signal }),
    library.store.list({ layer }),
  ])
  const plan = planImport(files, { format, tags: textsOf(values, 'tag'), present })
  if (plan.prompts.length === 0) throw nothingFound(source, plan)
  const wanted = plan.prompts.filter(
    ({ change }) => change === 'new' || (change === 'changed' && values['new-only'] !== true),
  )
  if (!flags.json) await io.out(describePlan(plan, io))
  const isAllowed = wanted.length > 0 && (await mayBeSaved(context, values, wanted))
  const saved = isAllowed ? await library.store.putAll(draftsOf(wanted), { layer, ...writer, signal }) : []
  if (saved.length > 0 && layer === 'project') await library.approveOwnChange()
  if (flags.json) await io.out(planToJson(plan, saved))
  else await io.out(outcome({ saved: saved.length, wanted: wanted.length, layer }))
  return exitCodes.ok
}

function formatOf(word: string | undefined): FormatId | undefined {
  const format = formatIds.find((id) => id === word)
  if (format !== undefined || word === undefined) return format
  throw new CapstanError('usage', `"${word}" is not a format.`, { next: `Formats: ${formatIds.join(', ')}.` })
}

async function mayBeSaved(
  { io, flags, signal }: LibraryContext,
  values: CommandInput['values'],
  wanted: readonly PlannedPrompt[],
): Promise<boolean> {
  if (values['dry-run'] === true) return false
  if (values['yes'] === true) return true
  if (!flags.mayAsk) return false
  const question = `\nSave ${count(wanted.length, 'prompt')}?`
  return (await ask(io, question, { choices: ['yes', 'no'], signal })) === 'yes'
}

function draftsOf(planned: readonly PlannedPrompt[]) {
  return planned.map(({ draft }) => draft)
}

function outcome({ saved, wanted, layer }: { saved: number; wanted: number; layer: string }): string {
  if (wanted === 0) return 'There is nothing to save.\n'
  if (saved === 0) return 'Nothing was saved. To save without being asked: --yes\n'
  return `Saved ${count(saved, 'prompt')} in the layer ${layer}.\n`
}

function nothingFound(source: string, { unusable, doubtful }: ImportPlan): CapstanError {
  const [first] = unusable
  const why = first === undefined ? '' : ` ${first.from}: ${first.reason.replace(/\.$/, '')}.`
  const next =
    doubtful.length > 0
      ? `${count(doubtful.length, 'Markdown file')} may be anything. If they are prompts, say so: --format claude`
      : `Formats: ${formatIds.join(', ')}. Say which with --format.`
  return new CapstanError('prompt_invalid', `There are no prompts in ${source}.${why}`, { next })
}
