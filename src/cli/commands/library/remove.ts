import { CapstanError } from '../../../errors.ts'
import type { CommandInput } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import { layerOf, promptNamed } from './choose-prompts.ts'
import { writer } from './saved.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Take prompts out of the library. Their history stays, so "library restore" can bring them back.

  --layer NAME   out of this layer
  --json         what was removed, and what is in force now, as one JSON value

Example
  capstan library remove standup`,
  run,
}

async function run({ io, flags, openLibrary }: LibraryContext, { values, positionals }: CommandInput): Promise<number> {
  if (positionals.length === 0) {
    throw new CapstanError('usage', 'Which prompt?', { next: 'Write: capstan library remove NAME' })
  }
  const { store, approveOwnChange } = await openLibrary()
  // All are looked up before the first goes: a typo must not leave half of it done.
  const found = await Promise.all(positionals.map(async (name) => await promptNamed(store, name, layerOf(values))))
  const removed = []
  for (const { prompt, layer, revision } of found) {
    await store.remove(prompt.name, { layer, expectedRevision: revision, ...writer })
    if (layer === 'project') await approveOwnChange()
    const now = (await store.has(prompt.name)) ? (await store.get(prompt.name)).layer : undefined
    removed.push({ name: prompt.name, layer, revision, ...(now === undefined ? {} : { inForce: now }) })
  }
  if (flags.json) {
    await io.out(`${JSON.stringify({ removed })}\n`)
    return exitCodes.ok
  }
  for (const { name, layer, revision, inForce } of removed) {
    await io.out(
      `Removed ${name} from the layer ${layer}. To bring it back: capstan library restore ${name} ${revision}\n`,
    )
    if (inForce !== undefined) io.err(`The ${name} of the layer ${inForce} is in force now.\n`)
  }
  return exitCodes.ok
}
