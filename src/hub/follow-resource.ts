import type { Client } from '@modelcontextprotocol/client'
import { CapstanError } from '../errors.ts'
import type { Era } from './api.ts'
import type { FollowOptions, Following } from './wire/connection.ts'

interface FollowSetup {
  readonly server: string
  readonly era: Era
  /** Of the connection. */
  readonly closed: Promise<void>
  readonly timeoutMs: number
}

/** Asks one server to tell of changes of resources: by subscriptions up to 2025-11-25, by a stream of its own for each since. */
export function resourceFollower(
  client: Client,
  { server, era, closed, timeoutMs }: FollowSetup,
): (uri: string, options: FollowOptions) => Promise<Following> {
  const listeners = new Map<string, Set<() => void>>()
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    for (const listener of listeners.get(params.uri) ?? []) listener()
  })

  return async (uri, { signal, onUpdate }) => {
    if (client.getServerCapabilities()?.resources?.subscribe !== true) throw cannotFollow(server)
    const own = () => onUpdate()
    const all = listeners.get(uri) ?? new Set()
    const isFirst = all.size === 0
    listeners.set(uri, all.add(own))
    const over = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    const forget = () => {
      all.delete(own)
      if (all.size === 0) listeners.delete(uri)
    }
    const leaveAfter = async (ended: Promise<void>, leave: Agreement['leave']) => {
      await ended
      forget()
      // The connection may have gone, and the server with it: then there is nothing to leave.
      await leave(all.size === 0).catch(() => undefined)
    }
    try {
      const { end, leave } = era === 'modern' ? await listen(uri) : await subscribe(uri, isFirst)
      const ended = Promise.race([over, closed, end])
      void leaveAfter(ended, leave)
      return { ended }
    } catch (error) {
      forget()
      throw error
    }
  }

  async function subscribe(uri: string, isFirst: boolean): Promise<Agreement> {
    if (isFirst) await client.subscribeResource({ uri }, { timeout: timeoutMs })
    return {
      end: new Promise(() => {}),
      leave: async (isLast) => {
        if (isLast) await client.unsubscribeResource({ uri }, { timeout: timeoutMs })
      },
    }
  }

  async function listen(uri: string): Promise<Agreement> {
    const subscription = await client.listen({ resourceSubscriptions: [uri] }, { timeout: timeoutMs })
    const end = async () => {
      await subscription.closed
    }
    return { end: end(), leave: () => subscription.close() }
  }
}

interface Agreement {
  /** Resolves when the server ends it. */
  readonly end: Promise<void>
  readonly leave: (isLast: boolean) => Promise<void>
}

export function cannotFollow(server: string): CapstanError {
  return new CapstanError('server_error', `Server "${server}" does not tell of changes of its resources.`, { server })
}
