import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server'
import { isObject } from '../../json.ts'

/** Why a message is not let through. */
export interface Refusal {
  readonly code: number
  readonly message: string
}

/**
 * Judges the messages of one connection before anything else sees them. Up to 2025-11-25 a client introduces itself first; the
 * SDK answers those that do not. Since 2026-07-28 every request introduces itself.
 */
export function openingRules(): (message: unknown) => Refusal | undefined {
  let isIntroduced = false
  return (message) => {
    if (Array.isArray(message))
      return { code: invalidRequest, message: 'Batches are not supported: send one message at a time.' }
    if (!isObject(message) || message['jsonrpc'] !== '2.0')
      return { code: invalidRequest, message: 'Not a JSON-RPC 2.0 message.' }
    const { method, id } = message
    if (method === undefined)
      return isAnswer(message) ? undefined : { code: invalidRequest, message: 'A request needs a method.' }
    if (typeof method !== 'string') return { code: invalidRequest, message: 'The method must be a string.' }
    if (id === undefined || method === 'ping') return undefined
    if (typeof id !== 'string' && !Number.isInteger(id))
      return { code: invalidRequest, message: 'The id of a request must be a string or a whole number.' }
    if (isObject(message['params']) || message['params'] === undefined) {
      if (method === 'initialize') isIntroduced = true
      if (isIntroduced || introducesItself(message['params'])) return missingParam(method, message['params'])
      return { code: invalidRequest, message: `"${method.slice(0, 80)}" came before initialize.` }
    }
    return { code: invalidRequest, message: 'The params of a request must be an object.' }
  }
}

/** What these need is checked by the SDK, which calls it an internal error. */
const needingUri: ReadonlySet<string> = new Set(['resources/read', 'resources/directory/read', 'skills/get'])

function missingParam(method: string, params: unknown): Refusal | undefined {
  if (!needingUri.has(method) || (isObject(params) && typeof params['uri'] === 'string')) return undefined
  return { code: -32602, message: `${method}: uri must be a text.` }
}

/** The id to answer under, as JSON-RPC has it: null where none can be made out. */
export function answerableId(message: unknown): string | number | null {
  const id = isObject(message) ? message['id'] : undefined
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null
}

const invalidRequest = -32600

function isAnswer(message: Readonly<Record<string, unknown>>): boolean {
  return message['id'] !== undefined && ('result' in message || 'error' in message)
}

function introducesItself(params: unknown): boolean {
  const meta = isObject(params) ? params['_meta'] : undefined
  return isObject(meta) && PROTOCOL_VERSION_META_KEY in meta
}
