import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { CapstanError } from '../../errors.ts'
import { isTooDeep, levelsOf, mostLevels } from '../../json.ts'

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
    if (!isTooDeep(message)) return message
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
