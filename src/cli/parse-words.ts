import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { CapstanError, messageOf } from '../errors.ts'
import type { Command, CommandInput } from './command.ts'
import { globalOptions } from './global-options.ts'

export interface TypedVerb {
  readonly verb: string | undefined
  readonly command: Pick<Command, 'options' | 'adviceOnFlag'>
}

/** The flags and words behind a verb. What Node's parser refuses is told in our words, with what to type instead. */
export async function parseWords(words: readonly string[], { verb, command }: TypedVerb): Promise<CommandInput> {
  const options = { ...globalOptions, ...command.options }
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const help = verb === undefined ? 'capstan --help' : `capstan help ${verb}`
    const mistake = (await mistakeIn(words, options)) ?? { message: firstSentence(error) }
    const advice = mistake.isUnknown === true ? command.adviceOnFlag?.(words) : undefined
    const hint = mistake.hint === undefined ? `Run: ${help}` : `${mistake.hint} All flags: ${help}`
    throw new CapstanError('usage', mistake.message, { cause: error, next: advice ?? hint })
  }
}

interface Mistake {
  readonly message: string
  readonly hint?: string
  /** The flag is none of ours. */
  readonly isUnknown?: boolean
}

/** Found by reading the words once more, leniently: the text of Node's own error is no promise. */
async function mistakeIn(words: readonly string[], options: ParseArgsOptionsConfig): Promise<Mistake | undefined> {
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    if (!Object.hasOwn(options, name)) return unknownFlag(rawName, Object.keys(options))
    const wantsValue = options[name]?.type === 'string'
    if (wantsValue && value === undefined) return { message: `${rawName} wants a value.` }
    if (wantsValue && inlineValue === false && value?.startsWith('-') && value !== '-') {
      return {
        message: `${rawName} wants a value, and "${value}" looks like another flag.`,
        hint: `If it is the value, write: ${rawName.startsWith('--') ? `${rawName}=` : rawName}${value}.`,
      }
    }
    if (!wantsValue && value !== undefined) return { message: `${rawName} takes no value.` }
  }
  return undefined
}

async function unknownFlag(rawName: string, known: readonly string[]): Promise<Mistake> {
  const { nearest } = await import('../hub/catalogue/nearest.ts')
  const [near] = nearest(rawName, known, 1)
  return {
    message: `There is no flag "${rawName}" here.`,
    isUnknown: true,
    ...(near === undefined ? {} : { hint: `Did you mean --${near}?` }),
  }
}

/** Node's words go on with advice about dashes. */
function firstSentence(error: Error): string {
  return `${messageOf(error).split(/\.\s/)[0] ?? ''}.`
}
