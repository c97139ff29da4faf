import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

/** Sees every protocol message; for `--debug`. */
export type Tap = (server: string, direction: 'sent' | 'received', message: JSONRPCMessage) => void

/** Shows each message to the tap on its way. Changes the transport in place, because the SDK tells transports apart by their members. */
export function tapTransport(transport: Transport, server: string, tap: Tap): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    tap(server, 'sent', message)
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
          tap(server, 'received', message)
          handler(message, extra)
        })
    },
  })
}
