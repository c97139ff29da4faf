import type { Answer, Ask, JsonObject, JsonSchema } from '../api.ts'
import { isObject } from '../../json.ts'

/** The methods with which servers ask, in both eras. */
export type AskMethod = 'elicitation/create' | 'sampling/createMessage'

/** A server's question in our words; a refusal when it may not be put to anybody. */
export function readAsk(server: string, method: AskMethod, params: JsonObject): Ask | { readonly refused: string } {
  if (method === 'sampling/createMessage') return { kind: 'sampling', server, request: params }
  const message = typeof params['message'] === 'string' ? params['message'] : ''
  if (params['mode'] !== 'url') return { kind: 'form', server, message, schema: asSchema(params['requestedSchema']) }
  const url = typeof params['url'] === 'string' ? params['url'] : ''
  if (!isSafePage(url)) return { refused: 'the page it wants visited is neither https nor on this machine' }
  return { kind: 'url', server, message, url, purpose: 'elicitation' }
}

/** What the server gets to read. A refused sampling has no result of its own: it is an error, so there is none here. */
export function writeAnswer(ask: Ask, answer: Answer): JsonObject | undefined {
  if (ask.kind === 'sampling') return answer.action === 'accept' ? answer.content : undefined
  if (answer.action !== 'accept') return { action: answer.action }
  return ask.kind === 'form'
    ? { action: 'accept', content: withDefaults(ask.schema, answer.content ?? {}) }
    : { action: 'accept' }
}

/** Fields that were left out get the value that the server itself proposed for them. */
function withDefaults({ properties }: JsonSchema, content: JsonObject): JsonObject {
  const defaults = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, field]) =>
    isObject(field) && field['default'] !== undefined ? [[name, field['default']] as const] : [],
  )
  return { ...Object.fromEntries(defaults), ...content }
}

/** Only what a browser may open without harm: https, or http on this machine. */
function isSafePage(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return false
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)
}

function asSchema(value: unknown): JsonSchema {
  return isObject(value) ? value : { type: 'object', properties: {} }
}
