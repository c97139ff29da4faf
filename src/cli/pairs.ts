import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CapstanError, messageOf } from '../errors.ts'
import type { JsonObject } from '../hub/api.ts'
import type { Io } from './command.ts'

/** One `key=value` a person typed, with `@file` and `-` already read. A key may be given several times. */
export interface Pair {
  readonly key: string
  readonly value: string
}

/** Reads `key=value`, `key=@file` and `key=-` (standard input, once). `key=@@x` means the text `@x`. */
export async function readPairs(words: readonly string[], io: Io): Promise<readonly Pair[]> {
  const pairs = words.map(splitPair)
  if (pairs.filter(({ value }) => value === '-').length > 1) {
    throw new CapstanError('usage', 'Standard input can be read only once: give "-" for one argument.')
  }
  return Promise.all(pairs.map(async ({ key, value }) => ({ key, value: await readSource(value, io) })))
}

function splitPair(word: string): Pair {
  const at = word.indexOf('=')
  if (at > 0) return { key: word.slice(0, at), value: word.slice(at + 1) }
  throw new CapstanError('usage', `"${word}" is not an argument: arguments are written key=value.`, {
    next: `Write key=${/\s/.test(word) ? JSON.stringify(word) : word} with the argument's name, or pass --args with JSON.`,
  })
}

/** The object of `--args JSON|@file|-`; empty when the flag is absent. */
export async function readArgsFlag(flag: unknown, io: Io): Promise<JsonObject> {
  if (typeof flag !== 'string') return {}
  const text = await readSource(flag, io)
  const value = parseObject(text)
  if (value !== undefined) return value
  throw new CapstanError('usage', `--args wants one JSON object; this is not one: ${text.trim().slice(0, 60)}`, {
    next: `For example: --args '{"key": "value"}'`,
  })
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

async function readSource(value: string, io: Io): Promise<string> {
  if (value === '-') return io.readStdin()
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
