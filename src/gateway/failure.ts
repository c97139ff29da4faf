import { ProtocolError, ProtocolErrorCode, type CallToolResult } from '@modelcontextprotocol/server'
import { CapstanError, type CapstanErrorCode } from '../errors.ts'

/** A failed call as a result: the model reads what is the matter and what can be done. A wrong name is the client's own mistake. */
export function failedCall(error: unknown, note: (text: string) => void): CallToolResult {
  if (!(error instanceof CapstanError) || error.code === 'tool_unknown') throw toProtocolError(error, note)
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

/** What a request was about, for whoever has several of them under way. */
export interface About {
  readonly uri?: string
}

/** A failure in the words of the protocol, with the server, the cause and the next step in it. Of a bug only the log has the story. */
export function toProtocolError(error: unknown, note: (text: string) => void, about: About = {}): ProtocolError {
  if (error instanceof ProtocolError) return error
  if (!(error instanceof CapstanError)) {
    note(`A bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    return new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error. The log of the gateway says why.')
  }
  const code = clientsFault.has(error.code) ? ProtocolErrorCode.InvalidParams : unavailable
  return new ProtocolError(code, sentence(error), { ...error.toJSON(), ...about })
}

function sentence({ message, next }: CapstanError): string {
  return next === undefined ? message : `${message} ${next}`
}
