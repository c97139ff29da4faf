import type { RequestInput } from './opaque.ts'
import { isObject } from '../../json.ts'

/**
 * What a model wrote as its arguments: an object, or the text of one. Some write nothing where nothing is wanted. A copy is taken, so
 * that what a person approves is what runs.
 */
export function readInput(input: unknown): RequestInput {
  if (input === undefined || input === null) return { kind: 'arguments', value: {} }
  const text = typeof input === 'string' ? input : asText(input)
  if (text === undefined) return { kind: 'unreadable', problem: 'the arguments cannot be written as JSON' }
  if (text.trim() === '') return { kind: 'arguments', value: {} }
  const value = parse(text)
  if (isObject(value)) return { kind: 'arguments', value }
  const problem = value === undefined ? 'the arguments are not valid JSON' : 'the arguments must be a JSON object'
  return { kind: 'unreadable', problem: `${problem}. You wrote: ${text.slice(0, 500)}` }
}

function asText(input: unknown): string | undefined {
  try {
    return JSON.stringify(input)
  } catch {
    // A circle or a BigInt: no model writes such, so it is the host's, and the answer says so.
    return undefined
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller tells the model what it wrote.
    return undefined
  }
}
