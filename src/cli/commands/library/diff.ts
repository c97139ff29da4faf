import { CapstanError } from '../../../errors.ts'
import type { DiffLine } from '../../../prompts/diff-lines.ts'
import { diffPrompts, diffText } from '../../../prompts/diff-prompts.ts'
import type { Revision } from '../../../prompts/store.ts'
import type { CommandInput } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import { layerOf, revisionOrLabel } from './choose-prompts.ts'
import { paintedDiff } from './painted-diff.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Show what changed in a prompt: since the revision before, since a revision, or between two. A revision is a number from
"library history", or a label.

  --layer NAME   the prompt of this layer
  --json         the lines with their kind, as one JSON value

Examples
  capstan library diff standup
  capstan library diff standup production
  capstan library diff standup 2 5`,
  run,
}

async function run({ io, flags, openLibrary }: LibraryContext, { values, positionals }: CommandInput): Promise<number> {
  const [name, from, to, ...more] = positionals
  if (name === undefined || more.length > 0) {
    throw new CapstanError('usage', 'A difference is of one prompt, between at most two revisions.', {
      next: 'Write: capstan library diff NAME [REVISION [REVISION]]',
    })
  }
  const { store } = await openLibrary()
  const history = await store.history(name, layerOf(values))
  const after = to === undefined ? history[0] : revisionOf(history, to)
  const before =
    from === undefined ? history.find(({ revision }) => revision < (after?.revision ?? 0)) : revisionOf(history, from)
  const lines = diffPrompts(before?.prompt, after?.prompt)
  await io.out(flags.json ? toJson({ name, before, after, lines }) : paintedDiff(lines, io))
  if (lines.length === 0 && !flags.json) io.err('There is no difference.\n')
  return exitCodes.ok
}

function revisionOf(history: readonly Revision[], word: string): Revision {
  const wanted = revisionOrLabel(word)
  const found = history.find(({ revision, labels }) => revision === wanted || labels.some((label) => label === wanted))
  if (found !== undefined) return found
  const labels = history.flatMap((revision) => revision.labels)
  const known = [...history.map(({ revision }) => revision), ...labels].join(', ')
  throw new CapstanError('prompt_unknown', `There is no revision or label "${word}". There are: ${known}.`, {
    next: 'Choose one of these.',
  })
}

function toJson(difference: {
  readonly name: string
  readonly before: Revision | undefined
  readonly after: Revision | undefined
  readonly lines: readonly DiffLine[]
}): string {
  const { name, before, after, lines } = difference
  return `${JSON.stringify({ name, from: before?.revision ?? null, to: after?.revision ?? null, lines, text: diffText(lines) })}\n`
}
