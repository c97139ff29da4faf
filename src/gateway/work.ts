import { ProtocolError, ProtocolErrorCode, type InputRequests } from '@modelcontextprotocol/server'
import { CapstanError } from '../errors.ts'
import type { Exchange } from './exchange.ts'
import type { WaitingCalls, Work } from './waiting-calls.ts'
import { askRequest, readAnswer, whyNotAskable, type ClientAsk, type OnClientAsk } from './wire-asks.ts'

/** What a request came to: its result, or what has to be asked before there can be one. */
export type Outcome<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'asks'; readonly inputRequests: InputRequests; readonly requestState: string }

export interface Asking {
  readonly caller: string
  /** Whether a question says which server asks it. */
  readonly saysServer: boolean
}

/** Does the work of a request whose server may ask for something, in the way of the client's era. */
export async function doWork<Value>(
  waiting: WaitingCalls<Value>,
  exchange: Exchange,
  { caller, saysServer, work }: Asking & { readonly work: Work<Value> },
): Promise<Outcome<Value>> {
  const { round, signal, ask } = exchange
  if (round === undefined) {
    const onAsk: OnClientAsk = ask === undefined ? nobody : onlyWhatFits(exchange, ask)
    return { kind: 'done', value: await work({ onAsk, signal, exchange: () => exchange }) }
  }
  const asker = { caller, request: round.request, exchange }
  const fitting: Work<Value> = ({ onAsk, ...options }) => work({ ...options, onAsk: onlyWhatFits(exchange, onAsk) })
  const answerOf = (key: string, asked: ClientAsk) =>
    Object.hasOwn(round.answers, key) ? readAnswer(asked, round.answers[key]) : undefined
  const turn =
    round.state === undefined ? await waiting.begin(asker, fitting) : await waiting.resume(asker, round.state, answerOf)
  if (turn === undefined) {
    const reason = { reason: 'invalid_request_state' }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', reason)
  }
  if (turn.kind === 'done') return turn
  const requests = [...turn.asks].map(([key, asked]) => [key, askRequest(asked, { saysServer })] as const)
  // The parameters are those that the server sent; the SDK types them one by one.
  return { kind: 'asks', inputRequests: Object.fromEntries(requests) as InputRequests, requestState: turn.state }
}

/** A client is asked only for what it has declared. */
function onlyWhatFits({ askable }: Exchange, onAsk: OnClientAsk): OnClientAsk {
  return async (ask, options) => {
    const reason = whyNotAskable(ask, askable)
    return reason === undefined ? onAsk(ask, options) : { action: 'decline', reason }
  }
}

const nobody: OnClientAsk = () => Promise.reject(new CapstanError('not_allowed', 'nobody can be asked'))
