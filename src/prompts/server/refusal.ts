import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { CapstanError, type CapstanErrorCode } from '../../errors.ts'
import type { ServerLog } from './server-log.ts'

/**
 * Runs the handler of a request. What goes wrong is written to the log in full; the client gets the code that fits and a
 * sentence without paths or stacks.
 */
export async function answering<T>(what: string, log: ServerLog, answer: () => Promise<T>): Promise<T> {
  try {
    return await answer()
  } catch (error) {
    // What a client did wrong needs no stack to be understood.
    if (isClientsFault(error)) log.note(`${what} refused: ${error.message}`)
    else log.failure(what, error)
    throw forClient(error)
  }
}

/** What the client did wrong, and can do better. */
const clientsFault: ReadonlySet<CapstanErrorCode> = new Set([
  'usage',
  'prompt_unknown',
  'prompt_invalid',
  'prompt_conflict',
  'resource_unknown',
  'arguments_invalid',
  'limit_exceeded',
  'not_allowed',
  'not_trusted',
])

function isClientsFault(error: unknown): error is CapstanError {
  return error instanceof CapstanError && clientsFault.has(error.code)
}

function forClient(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error
  if (isClientsFault(error)) {
    const sentence = withoutPaths([error.message, error.next].filter((text) => text !== undefined).join(' '))
    return new ProtocolError(ProtocolErrorCode.InvalidParams, sentence, { reason: error.code })
  }
  const reason = error instanceof CapstanError ? error.code : 'internal'
  const sentence = reason === 'internal' ? 'Internal error.' : 'The prompt library cannot be read or written just now.'
  return new ProtocolError(ProtocolErrorCode.InternalError, `${sentence} The log of the server says why.`, { reason })
}

/** Absolute paths say where a person keeps things; `language/go` and the like are none. */
function withoutPaths(text: string): string {
  return text.replaceAll(/(^|[\s"'`(=:,])(?:~|[A-Za-z]:|file:\/\/)?[\\/](?=[^\s\\/])[^\s"'`),]*/g, '$1…')
}
