import { CapstanError } from '../../../errors.ts'
import type { CommandInput } from '../../command.ts'
import { layerOf, promptNamed } from './choose-prompts.ts'
import { reportSaved, writer } from './saved.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Give a prompt another name. Its history and its labels go with it.

  --layer NAME   the prompt of this layer
  --json         the prompt under its new name, as one JSON value

Example
  capstan library rename standup morning_standup`,
  run,
}

async function run(context: LibraryContext, { values, positionals }: CommandInput): Promise<number> {
  const [name, to, ...more] = positionals
  if (name === undefined || to === undefined || more.length > 0) {
    throw new CapstanError('usage', 'A rename needs the old name and the new one.', {
      next: 'Write: capstan library rename NAME NEW',
    })
  }
  const library = await context.openLibrary()
  const { prompt, layer } = await promptNamed(library.store, name, layerOf(values))
  const stored = await library.store.rename(prompt.name, to, { layer, ...writer })
  return await reportSaved(context, library, { stored, sentence: `Renamed ${prompt.name} to ${to}.` })
}
