import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type InputRequests,
} from '@modelcontextprotocol/server'
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
  const brought = new Map(Object.entries(round.state === undefined ? round.answers : {}))
  const fitting: Work<Value> = ({ onAsk, ...options }) =>
    work({ ...options, onAsk: onlyWhatFits(exchange, unlessBrought(brought, onAsk)) })
  const answerOf = (key: string, asked: ClientAsk) =>
    Object.hasOwn(round.answers, key) ? readAnswer(asked, round.answers[key]) : undefined
  const { state } = round
  const turn = await namingWhatLacks(exchange, () =>
    state === undefined ? waiting.begin(asker, fitting) : waiting.resume(asker, state, answerOf),
  )
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

/** A client may bring answers to what it knows will be asked. Each counts once: a server that asks again was not content with it. */
function unlessBrought(brought: Map<string, unknown>, onAsk: OnClientAsk): OnClientAsk {
  return async (ask, options) => {
    const key = ask.kind === 'roots' ? undefined : ask.key
    if (key === undefined || !brought.has(key)) return onAsk(ask, options)
    const answer = brought.get(key)
    brought.delete(key)
    return readAnswer(ask, answer)
  }
}

/** A tool that failed because the client lends no model: since 2026-07-28 there is an error that says what the client would have to declare. */
async function namingWhatLacks<Result>({ askable }: Exchange, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const isLacking = error instanceof CapstanError && error.code === 'ask_declined' && !askable.sampling
    if (!isLacking) throw error
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } }, error.message)
  }
}

const nobody: OnClientAsk = () => Promise.reject(new CapstanError('not_allowed', 'nobody can be asked'))
