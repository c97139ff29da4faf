import { setTimeout as delay } from 'node:timers/promises'
import type { HubEvent, ResourceRef } from './api.ts'
import type { Connection, Following } from './wire/connection.ts'
import { cannotFollow } from './follow-resource.ts'
import type { LiveServer } from './servers/server.ts'

/** Which resources a hub follows, for as many as have asked. */
export interface Subscriptions {
  readonly subscribe: (resource: ResourceRef) => Promise<void>
  readonly unsubscribe: (resource: ResourceRef) => void
  readonly close: () => void
}

interface Followed {
  readonly controller: AbortController
  readonly agreed: Promise<void>
  users: number
}

const againMs = 1000

export function subscriptions(
  serverNamed: (name: string) => LiveServer,
  emit: (event: HubEvent) => void,
): Subscriptions {
  const followed = new Map<string, Followed>()
  const keyOf = ({ server, uri }: ResourceRef) => `${server}\n${uri}`
  return {
    async subscribe(resource) {
      const key = keyOf(resource)
      const known = followed.get(key)
      if (known !== undefined) {
        known.users += 1
        return known.agreed
      }
      const controller = new AbortController()
      const agreed = follow(resource, controller.signal)
      followed.set(key, { controller, agreed, users: 1 })
      try {
        await agreed
      } catch (error) {
        followed.delete(key)
        throw error
      }
    },
    unsubscribe(resource) {
      const key = keyOf(resource)
      const known = followed.get(key)
      if (known === undefined) return
      known.users -= 1
      if (known.users > 0) return
      followed.delete(key)
      known.controller.abort()
    },
    close() {
      for (const { controller } of followed.values()) controller.abort()
      followed.clear()
    },
  }

  /** Resolves when the server has agreed; then it goes on until the signal comes. */
  async function follow({ server: name, uri }: ResourceRef, signal: AbortSignal): Promise<void> {
    const server = serverNamed(name)
    const onUpdate = () => emit({ kind: 'resource', server: name, uri })
    const once = async (): Promise<Following> => {
      const connection: Connection = await server.connection(signal)
      if (connection.follow === undefined) throw cannotFollow(name)
      return connection.follow(uri, { signal, onUpdate })
    }
    void goOn(await once())

    async function goOn(first: Following): Promise<void> {
      let following: Following | undefined = first
      while (!signal.aborted) {
        await following?.ended
        if (signal.aborted) return
        // A server that cannot be reached is waited for: its life is led elsewhere.
        following = await once().catch(() => undefined)
        if (following === undefined) await delay(againMs, undefined, { ref: false })
        // It may have changed while nobody was told.
        else onUpdate()
      }
    }
  }
}
