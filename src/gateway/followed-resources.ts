import { mayUseServer } from '../policy/access.ts'
import type { View } from './view.ts'

/** The resources whose changes one client wants to hear of. */
export interface FollowedResources extends Disposable {
  /** Resolves when the server has agreed; as often as it was asked for it must be ended. */
  readonly follow: (uri: string) => Promise<void>
  readonly unfollow: (uri: string) => void
}

export interface FollowingSetup {
  readonly view: View
  readonly tell: (uri: string) => void
  readonly note: (text: string) => void
}

export function followedResources({ view, tell, note }: FollowingSetup): FollowedResources {
  const { hub } = view
  const followed: { readonly server: string; readonly uri: string }[] = []
  let isOver = false
  const listening = hub.on((event) => {
    if (event.kind !== 'resource' || !mayUseServer(view.caller.rules, event.server)) return
    if (followed.some(({ server, uri }) => server === event.server && uri === event.uri)) tell(event.uri)
  })
  const leave = (resource: (typeof followed)[number]) =>
    void hub.unsubscribe(resource).catch((error: unknown) => note(String(error)))
  return {
    async follow(uri) {
      const resource = { server: await view.serverOf(uri), uri }
      await hub.subscribe(resource)
      // The client may have gone while the server was asked.
      if (isOver) leave(resource)
      else followed.push(resource)
    },
    unfollow(uri) {
      const at = followed.findIndex((resource) => resource.uri === uri)
      const [resource] = at === -1 ? [] : followed.splice(at, 1)
      if (resource !== undefined) leave(resource)
    },
    [Symbol.dispose]() {
      isOver = true
      listening[Symbol.dispose]()
      followed.splice(0).forEach(leave)
    },
  }
}

/** The resources that a request of the modern era wants to follow; none when it is another request. */
export function urisWanted(message: unknown): readonly string[] {
  const { method, params } = fieldsOf(message)
  if (method !== 'subscriptions/listen') return []
  const uris = fieldsOf(fieldsOf(params)['notifications'])['resourceSubscriptions']
  return Array.isArray(uris) ? [...new Set(uris.filter((uri) => typeof uri === 'string'))].slice(0, mostUris) : []
}

/** One request must not have a server asked without end. */
const mostUris = 1000

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
