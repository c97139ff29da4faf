import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CapstanError, messageOf } from '../errors.ts'
import type { JsonObject } from '../hub/api.ts'
import type { Pair } from '../hub/arguments/typed-arguments.ts'
import { waitFor } from '../hub/wait-for.ts'
import type { CommandContext } from './command.ts'
import { parseObject } from '../json.ts'

/** Where arguments are read from, and what ends the wait for standard input. */
type Source = Pick<CommandContext, 'io' | 'signal'>

export interface TypedWords {
  readonly words: readonly string[]
  /** The value of `--args`. */
  readonly flag: unknown
}

export interface ReadArguments {
  /** With `@file` and `-` already read. */
  readonly pairs: readonly Pair[]
  /** The object of `--args`; empty when the flag is absent. */
  readonly base: JsonObject
}

/** Reads `key=value`, `key=@file`, `key=-` (standard input, once) and `--args JSON|@file|-`. `key=@@x` means the text `@x`. */
export async function readArguments({ words, flag }: TypedWords, source: Source): Promise<ReadArguments> {
  const pairs = words.map(splitPair)
  if ([...pairs.map(({ value }) => value), flag].filter((value) => value === '-').length > 1) {
    throw new CapstanError('usage', 'Standard input can be read only once: give "-" for one argument.')
  }
  const [base, read] = await Promise.all([
    readArgsFlag(flag, source),
    Promise.all(pairs.map(async ({ key, value }) => ({ key, value: await readSource(value, source) }))),
  ])
  return { pairs: read, base }
}

function splitPair(word: string): Pair {
  const at = word.indexOf('=')
  if (at > 0) return { key: word.slice(0, at), value: word.slice(at + 1) }
  throw new CapstanError('usage', `"${word}" is not an argument: arguments are written key=value.`, {
    next: word.startsWith('{')
      ? `Pass JSON with --args '${word}'`
      : `Write key=${/\s/.test(word) ? JSON.stringify(word) : word} with the argument's name, or pass --args with JSON.`,
  })
}

async function readArgsFlag(flag: unknown, source: Source): Promise<JsonObject> {
  if (typeof flag !== 'string') return {}
  const text = await readSource(flag, source)
  const value = parseObject(text)
  if (value !== undefined) return value
  throw new CapstanError('usage', `--args wants one JSON object; this is not one: ${text.trim().slice(0, 60)}`, {
    next: `For example: --args '{"key": "value"}'`,
  })
}

async function readSource(value: string, { io, signal }: Source): Promise<string> {
  if (value === '-') return waitFor(io.readStdin(), signal, 'standard input')
  if (!value.startsWith('@')) return value
  if (value.startsWith('@@')) return value.slice(1)
  const file = resolve(io.cwd, value.slice(1))
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new CapstanError('usage', `The file ${file} cannot be read: ${messageOf(error)}`, {
      cause: error,
      next: `To pass the text ${value} itself, write @${value}.`,
    })
  }
}
