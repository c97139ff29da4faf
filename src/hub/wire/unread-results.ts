import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'
import type { Onlooker } from './tap-transport.ts'
import { isObject } from '../../json.ts'

/**
 * Takes results past the SDK. In the modern era it checks them before ours are asked for, and refuses a whole listing for one
 * odd tool, and the result of a call that has run for a content kind it does not know. So it gets an empty result of the
 * right kind to read, which carries the real one.
 */
export interface UnreadResults extends Onlooker {
  readonly onReceived: (message: JSONRPCMessage) => JSONRPCMessage
  /** Sends a request whose result is to come back unread. */
  readonly ask: <Value>(send: () => Promise<Value>) => Promise<Value>
}

const unread = Symbol('unread')

/** The result as the server sent it. */
export function resultBehind(value: object): object {
  return unread in value && typeof value[unread] === 'object' && value[unread] !== null ? value[unread] : value
}

export function unreadResults(): UnreadResults {
  const asked = new Map<RequestId, object>()
  let isAsking = false
  return {
    ask(send) {
      // The SDK hands a request to the transport before it returns.
      isAsking = true
      try {
        return send()
      } finally {
        isAsking = false
      }
    },
    onSent(message) {
      if (!isAsking || !('method' in message) || !('id' in message)) return
      const empty = emptyResults[message.method]
      if (empty !== undefined) asked.set(message.id, empty)
    },
    onReceived(message) {
      if ('method' in message || message.id === undefined) return message
      const empty = asked.get(message.id)
      asked.delete(message.id)
      return empty === undefined ? message : wrapped(message, empty)
    },
  }
}

function wrapped(message: JSONRPCMessage, empty: object): JSONRPCMessage {
  if (!('result' in message) || !isObject(message.result)) return message
  const { resultType = 'complete', ...result } = message.result
  // A question of the server's, or a kind that is yet to come, is for the SDK to judge.
  return resultType === 'complete' ? { ...message, result: { ...empty, resultType, [unread]: result } } : message
}

const cached = { ttlMs: 0, cacheScope: 'private' }

const emptyResults: Readonly<Record<string, object>> = {
  'tools/call': { content: [] },
  'tools/list': { tools: [], ...cached },
  'prompts/get': { messages: [] },
  'prompts/list': { prompts: [], ...cached },
  'resources/list': { resources: [], ...cached },
  'resources/templates/list': { resourceTemplates: [], ...cached },
  'resources/read': { contents: [], ...cached },
  'completion/complete': { completion: { values: [] } },
}
