import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { CapstanError } from '../../errors.ts'

/**
 * How deep a message may nest. What is behind us walks values with functions that call themselves, as `JSON.stringify` does too, and
 * a value of some thousand levels takes them down; `JSON.parse` does not mind.
 */
const mostLevels = 500

export interface DepthBound {
  /** The server that sends; absent where it is a client of ours. */
  readonly server?: string
  /** Sends the refusal of a request. */
  readonly answer: (message: JSONRPCMessage) => void
  readonly note: (text: string) => void
}

/**
 * Keeps messages away that nest too deeply: an answer becomes the failure of its request, a request is refused, a notification is
 * dropped. The parsed value is looked at and not its text: that costs nothing for long texts, and for most others about a tenth of
 * what parsing them has cost.
 */
export function boundedDepth({
  server,
  answer,
  note,
}: DepthBound): (message: JSONRPCMessage) => JSONRPCMessage | undefined {
  return (message) => {
    if (!nestsDeeper(message, mostLevels)) return message
    const excess = `nests ${levelsOf(message)} levels deep; ${mostLevels} are the most that is taken`
    if (!('method' in message)) return failed(message, tooDeep(server, excess))
    note(`${message.method} was not taken: it ${excess}.`)
    if ('id' in message) answer(failed(message, new CapstanError('limit_exceeded', `The request ${excess}.`)))
    return undefined
  }
}

function failed({ id }: { readonly id?: string | number | undefined }, data: CapstanError): JSONRPCMessage {
  const error = { code: serverError, message: data.message, data }
  return { jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error }
}

/** Of the range that JSON-RPC leaves to implementations. */
const serverError = -32_000

function tooDeep(server: string | undefined, excess: string): CapstanError {
  const who = server === undefined ? 'The client' : `Server "${server}"`
  const message = `${who} sent an answer that ${excess}. It has done what was asked.`
  return new CapstanError('limit_exceeded', message, { server, next: 'Ask it for something that nests less.' })
}

function nestsDeeper(value: object, left: number): boolean {
  if (left === 0) return true
  // Lists by number and objects by key: the values as a list of their own would cost twice as much.
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    for (let at = 0; at < items.length; at++) if (isDeeper(items[at], left)) return true
    return false
  }
  const fields = value as Readonly<Record<string, unknown>>
  for (const key in fields) if (isDeeper(fields[key], left)) return true
  return false
}

function isDeeper(item: unknown, left: number): boolean {
  return typeof item === 'object' && item !== null && nestsDeeper(item, left - 1)
}

/** Level by level, because it may be any number of them. */
function levelsOf(value: object): number {
  let level: readonly object[] = [value]
  let count = 0
  for (; level.length > 0; count++) {
    level = level.flatMap((item) => Object.values(item).filter((field) => typeof field === 'object' && field !== null))
  }
  return count
}
