import type { ParseArgsOptionsConfig } from 'node:util'
import { unreachable } from '../../errors.ts'
import type { Command } from '../command.ts'
import { globalOptions, globalOptionsHelp } from '../global-options.ts'
import { findHole, readGiven, takeVerb, type Given, type TypedLine } from './find-hole.ts'
import { flagValues, positionals, verbWords, type Knowledge, type Verb } from './grammar.ts'
import { offerFlags } from './offer-flags.ts'
import { files, nothing, words, type Candidate, type Offer } from './offer.ts'

/** The verbs of the command line, and other words for them. */
export interface Vocabulary {
  readonly verbs: Readonly<Record<string, Verb & { readonly load: LoadVerb }>>
  readonly aliases: Readonly<Record<string, string>>
}

type LoadVerb = () => Promise<{
  readonly command: Pick<Command, 'options' | 'help' | 'helpOn'>
}>

/** What could stand at the cursor. `know` gets what the line has said so far, for its `--config` counts. */
export async function offerWords(
  line: TypedLine,
  { verbs, aliases }: Vocabulary,
  know: (given: Given) => Knowledge,
): Promise<Offer> {
  const [word, rest = line.words] = takeVerb(line.words, globalOptions)
  const verb = lookUp(aliases, word) ?? word
  const own = (await lookUp(verbs, verb)?.load())?.command
  const options = { ...globalOptions, ...own?.options }
  const hole = findHole({ words: rest, current: line.current }, options)
  const given = readGiven(rest, options)
  const asking = { typed: hole.typed, given, verbs, knowledge: know(given) }
  switch (hole.kind) {
    case 'flag':
      return words(await flagsOf(own, options, given))
    case 'flag-value':
      return (await lookUp(flagValues, hole.flag)?.(asking, hole.prefix)) ?? nothing
    case 'foreign':
      return files()
    case 'positional':
      if (verb === undefined) return words(verbWords(verbs))
      return (await lookUp(positionals, verb)?.(asking)) ?? nothing
    default:
      return unreachable(hole)
  }
}

/** With what help says about each. A verb with verbs of its own offers those flags that the one which is typed speaks of. */
async function flagsOf(
  command: Pick<Command, 'help' | 'helpOn'> | undefined,
  options: ParseArgsOptionsConfig,
  { positionals: typed, flags }: Given,
): Promise<readonly Candidate[]> {
  // A word that is no verb has no flags, and nobody to tell so while typing.
  const own = await command?.helpOn?.(typed).catch(() => undefined)
  const help = `${own?.help ?? command?.help ?? ''}\n${globalOptionsHelp}`
  const fitting =
    own === undefined
      ? options
      : Object.fromEntries(Object.entries(options).filter(([flag]) => help.includes(`--${flag}`)))
  return offerFlags(fitting, flags, help)
}

function lookUp<Value>(table: Readonly<Record<string, Value>>, name: string | undefined): Value | undefined {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined
}
