import { inlineConfig } from '../../../src/config/load.ts'
import type { RemoteServer } from '../../../src/config/types.ts'
import type { Ask, Answer, OnAsk } from '../../../src/hub/api.ts'
import { authStore, type AuthStore } from '../../../src/hub/auth/auth-store.ts'
import { login } from '../../../src/hub/auth/login.ts'
import { serverAuth } from '../../../src/hub/auth/server-auth.ts'
import { scratchFolder } from '../scratch-folder.ts'

/** One server with an empty store of logins, and a person in front of a browser. */
export interface AuthBench {
  readonly server: RemoteServer
  readonly store: AuthStore
  readonly folder: string
  readonly log: readonly string[]
  readonly logIn: (onAsk?: OnAsk, signal?: AbortSignal) => Promise<void>
  /** Sends a tools/call as a connection would; resolves to the status. */
  readonly call: () => Promise<number>
  /** Another connection, with nothing in memory. */
  readonly connect: (now?: () => number) => () => Promise<number>
}

export async function authBench(url: string, entry: Record<string, never> | object = {}): Promise<AuthBench> {
  const folder = await scratchFolder()
  const server = remoteServer(url, entry)
  const log: string[] = []
  const onLog = (text: string) => void log.push(text)
  const store = authStore({ folder, onLog })
  const connect = (now: () => number = Date.now) => {
    const fetch = serverAuth({ name: 'guarded', server, store, onLog, now })
    return async () => {
      const response = await fetch(url, callRequest)
      await response.body?.cancel()
      return response.status
    }
  }
  return {
    server,
    store,
    folder,
    log,
    logIn: (onAsk = browse, signal) => login({ name: 'guarded', server, store, onAsk, signal }),
    call: connect(),
    connect,
  }
}

export function remoteServer(url: string, entry: object = {}): RemoteServer {
  const config = inlineConfig({ guarded: { url, ...entry } }, { env: { HOME: '/' }, cwd: '/' })
  const standing = config.servers[0]?.standing
  if (standing?.kind !== 'usable' || standing.server.transport !== 'remote') throw new Error('no remote server')
  return standing.server
}

/** What a connection sends for a call. */
export const callRequest = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'echo', arguments: { message: 'hi' } },
  }),
}

/** A browser: goes to the page, and where the page sends it. */
export async function browse(ask: Ask): Promise<Answer> {
  if (ask.kind !== 'url') return { action: 'decline' }
  const location = await redirectOf(ask.url)
  void fetch(location).then((response) => response.text())
  return { action: 'accept' }
}

/** A browser elsewhere: the person brings back the address that it could not open. */
export async function paste(ask: Ask): Promise<Answer> {
  return ask.kind === 'url'
    ? { action: 'accept', content: { redirect: await redirectOf(ask.url) } }
    : { action: 'decline' }
}

export async function redirectOf(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' })
  const location = response.headers.get('location')
  if (location === null) throw new Error(`the page answered ${response.status}: ${await response.text()}`)
  return location
}
