import { ProtocolError, ProtocolErrorCode, type CallToolResult } from '@modelcontextprotocol/server'
import { CapstanError, type CapstanErrorCode } from '../errors.ts'

/** A failed call as a result: the model reads what is the matter and what can be done. A wrong name is the client's own mistake. */
export function failedCall(error: unknown): CallToolResult {
  if (!(error instanceof CapstanError) || error.code === 'tool_unknown') throw toProtocolError(error)
  return {
    isError: true,
    content: [{ type: 'text', text: sentence(error) }],
    _meta: { 'capstan/error': { ...error.toJSON() } },
  }
}

/** What the client did wrong, and can do better. */
const clientsFault: ReadonlySet<CapstanErrorCode> = new Set([
  'usage',
  'tool_unknown',
  'prompt_unknown',
  'resource_unknown',
  'arguments_invalid',
])

/** Of the range that the specification leaves to servers. */
const unavailable = -32000

/** A failure in the words of the protocol, with the server, the cause and the next step in it. Bugs stay as they are. */
export function toProtocolError(error: unknown): unknown {
  if (!(error instanceof CapstanError)) return error
  const code = clientsFault.has(error.code) ? ProtocolErrorCode.InvalidParams : unavailable
  return new ProtocolError(code, sentence(error), error.toJSON())
}

function sentence({ message, next }: CapstanError): string {
  return next === undefined ? message : `${message} ${next}`
}
