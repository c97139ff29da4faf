import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

/** Sees every protocol message; for `--debug`. */
export type Tap = (server: string, direction: 'sent' | 'received', message: JSONRPCMessage) => void

export interface Onlooker {
  readonly onSent: (message: JSONRPCMessage) => void
  /** What is handed on in place of the message; nothing when undefined. */
  readonly onReceived: (message: JSONRPCMessage) => JSONRPCMessage | undefined
}

/** Lets an onlooker see each message on its way. Changes the transport in place, because the SDK tells transports apart by their members. */
export function tapTransport(transport: Transport, { onSent, onReceived }: Onlooker): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    onSent(message)
    return send(message, options)
  }
  let receive = transport.onmessage
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => receive,
    set: (handler: Transport['onmessage']) => {
      receive =
        handler &&
        ((message, extra) => {
          const passed = onReceived(message)
          if (passed !== undefined) handler(passed, extra)
        })
    },
  })
}
