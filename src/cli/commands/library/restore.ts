import { CapstanError } from '../../../errors.ts'
import type { CommandInput } from '../../command.ts'
import { layerOf, revisionOrLabel } from './choose-prompts.ts'
import { reportSaved, writer } from './saved.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Make a prompt what it was at a revision or label, as a new revision: nothing is lost, and a removed prompt comes back.

  --layer NAME   the prompt of this layer
  --json         what was saved, as one JSON value

Examples
  capstan library restore standup 2
  capstan library restore standup production`,
  run,
}

async function run(context: LibraryContext, { values, positionals }: CommandInput): Promise<number> {
  const [name, at, ...more] = positionals
  if (name === undefined || at === undefined || more.length > 0) {
    throw new CapstanError('usage', 'restore takes a name and a revision.', {
      next: 'Write: capstan library restore NAME REVISION. The revisions: capstan library history NAME',
    })
  }
  const library = await context.openLibrary()
  const wanted = revisionOrLabel(at)
  const stored = await library.store.restore(name, wanted, { ...layerOf(values), ...writer })
  const then = typeof wanted === 'number' ? `revision ${wanted}` : `"${wanted}"`
  return await reportSaved(context, library, {
    stored,
    sentence: `${name} is again as it was at ${then}; that is revision ${stored.revision}.`,
  })
}
