import { CapstanError, unreachable } from '../errors.ts'
import type { Answer, Ask, JsonObject, OnRoots } from '../hub/api.ts'

/** What a client may be asked: what a server wants of a person or a model, and the folders that the client works in. */
export type ClientAsk = Ask | { readonly kind: 'roots'; readonly server: string }

export type OnClientAsk = (ask: ClientAsk, options: { readonly signal: AbortSignal }) => Promise<Answer>

/** What a client has said that it can be asked for. */
export interface Askable {
  readonly form: boolean
  readonly url: boolean
  readonly sampling: boolean
  readonly samplingWithTools: boolean
  readonly roots: boolean
}

function canBeAsked({ form, url, sampling }: Askable): boolean {
  return form || url || sampling
}

/** Reads the capabilities of a client. Those from before there were pages to visit say only that they can be asked. */
export function askableOf(capabilities: unknown): Askable {
  const { elicitation, sampling, roots } = fieldsOf(capabilities)
  const ways = fieldsOf(elicitation)
  return {
    form: elicitation !== undefined && (ways['form'] !== undefined || ways['url'] === undefined),
    url: ways['url'] !== undefined,
    sampling: sampling !== undefined,
    samplingWithTools: fieldsOf(sampling)['tools'] !== undefined,
    roots: roots !== undefined,
  }
}

/**
 * How a hub reaches the client. Where the client can show nothing at all, the hub's own way is taken: a person finds the question in the
 * review.
 */
export function askOptions({
  askable,
  onAsk,
  server,
}: {
  readonly askable: Askable
  readonly onAsk: OnClientAsk
  readonly server: string
}): { readonly onAsk?: OnClientAsk; readonly onRoots?: OnRoots } {
  const onRoots: OnRoots = async (options) => {
    const answer = await onAsk({ kind: 'roots', server }, options)
    if (answer.action === 'accept' && Array.isArray(answer.content?.['roots'])) return answer.content
    throw new CapstanError('server_error', 'The client did not tell its folders.')
  }
  return { ...(canBeAsked(askable) ? { onAsk } : {}), ...(askable.roots ? { onRoots } : {}) }
}

/** Why a question cannot be put to this client; undefined when it can. */
export function whyNotAskable(ask: ClientAsk, askable: Askable): string | undefined {
  switch (ask.kind) {
    case 'form':
      return askable.form ? undefined : 'The client cannot show forms.'
    case 'url':
      return askable.url ? undefined : 'The client cannot open pages.'
    case 'sampling': {
      if (!askable.sampling) return 'The client lends no model.'
      const wantsTools = ask.request['tools'] !== undefined || ask.request['toolChoice'] !== undefined
      return wantsTools && !askable.samplingWithTools ? 'The model that the client lends takes no tools.' : undefined
    }
    case 'roots':
      return askable.roots ? undefined : 'The client does not tell its folders.'
    default:
      return unreachable(ask)
  }
}

export interface AskRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params: JsonObject
}

/** A question as the protocol has it. Who asks is said where several servers stand behind one gateway. */
export function askRequest(ask: ClientAsk, { saysServer }: { readonly saysServer: boolean }): AskRequest {
  if (ask.kind === 'roots') return { method: 'roots/list', params: {} }
  if (ask.kind === 'sampling') return { method: 'sampling/createMessage', params: ask.request }
  const message = saysServer ? `${ask.server}: ${ask.message}` : ask.message
  const params: JsonObject =
    ask.kind === 'form'
      ? { mode: 'form', message, requestedSchema: ask.schema as JsonObject }
      : { mode: 'url', message, url: ask.url }
  return { method: 'elicitation/create', params }
}

/** What a client answered. It is not checked here: the hub compares it with the form before the server sees it. */
export function readAnswer(ask: ClientAsk, result: unknown): Answer {
  const fields = fieldsOf(result)
  // What came over the wire is JSON.
  if (ask.kind === 'sampling' || ask.kind === 'roots') return { action: 'accept', content: fields as JsonObject }
  const { action, content } = fields
  if (action === 'accept') {
    return { action, ...(ask.kind === 'form' ? { content: fieldsOf(content) as JsonObject } : {}) }
  }
  return action === 'decline' ? { action } : { action: 'cancel' }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {}
}
