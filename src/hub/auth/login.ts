import type { FetchLike } from '@modelcontextprotocol/client'
import type { RemoteServer } from '../../config/types.ts'
import { CapstanError, stopped } from '../../errors.ts'
import type { OnAsk } from '../api.ts'
import type { AuthStore, Challenge } from './auth-store.ts'
import { codeLogin, type LoggedIn } from './code-login.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { isUnknownClient, loginFailure } from './login-failure.ts'
import { clientCredentialsLogin } from './obtain-tokens.ts'
import { isUnattended, logsIn } from './logs-in.ts'
import { challengeOf } from './server-auth.ts'
import { recentStepUps } from './step-ups.ts'

export interface LoginSetup {
  readonly name: string
  /** After `${…}`. */
  readonly server: RemoteServer
  readonly store: AuthStore
  /** Brings a person to the page where they log in. */
  readonly onAsk: OnAsk
  readonly signal?: AbortSignal | undefined
  readonly now?: () => number
}

const loginMs = 5 * 60_000

/** Logs in to a server, with a person in front of a browser where the grant needs one, and keeps what that brings. */
export async function login(setup: LoginSetup): Promise<void> {
  const { name, server } = setup
  if (!logsIn(server)) throw notOurs(name, server)
  // A token is for one address, and each copy of a server has its own.
  for (const url of [server.url, ...server.otherUrls]) await loginAt({ ...setup, server: { ...server, url } })
}

async function loginAt({ now = Date.now, ...setup }: LoginSetup): Promise<void> {
  const { name, server, store } = setup
  const limit = AbortSignal.timeout(loginMs)
  const signal = setup.signal === undefined ? limit : AbortSignal.any([setup.signal, limit])
  const fetch = guardedFetch({ server: name, serverUrl: new URL(server.url), signal })
  try {
    const saved = await store.read(server.url)
    const challenge = withSaved(await firstChallenge(server, fetch), saved.challenge)
    const loggedIn = isUnattended(server)
      ? { login: await clientCredentialsLogin(challenge, { name, server, saved, fetch, now }) }
      : await codeLogin({ ...setup, now, signal, fetch, saved, challenge })
    await keep(loggedIn, { store, server, now, isStepUp: challenge.isStepUp === true })
  } catch (error) {
    if (limit.aborted) throw tookTooLong(name)
    if (signal.aborted) throw stopped(signal, `the login of server "${name}"`, name)
    if (isUnknownClient(error)) await forgetClient(store, server)
    throw loginFailure(error, name)
  }
}

/** Who is not known any more registers anew the next time. */
async function forgetClient(store: AuthStore, { url }: RemoteServer): Promise<void> {
  await store.change(url, ({ client: _client, ...rest }) => rest)
}

/** What the server says to somebody it does not know: where its metadata is, and which rights it wants. */
async function firstChallenge(server: RemoteServer, fetch: FetchLike): Promise<Challenge> {
  const headers = {
    ...server.headers,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' })
  try {
    return challengeOf(await fetch(server.url, { method: 'POST', headers, body }))
  } catch {
    // A server that does not even answer this says nothing; whether it can be reached shows in a moment.
    return {}
  }
}

/** What the server says now counts more than what it once said; only the rights it has asked for meanwhile are added. */
function withSaved(now: Challenge, saved: Challenge = {}): Challenge {
  if (saved.isStepUp === true) return { ...now, ...saved, ...pointer(now) }
  return Object.keys(now).length === 0 ? saved : now
}

function pointer({ resourceMetadataUrl }: Challenge): Challenge {
  return resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }
}

interface Keeping {
  readonly store: AuthStore
  readonly server: RemoteServer
  readonly now: () => number
  readonly isStepUp: boolean
}

async function keep({ login, client }: LoggedIn, { store, server, now, isStepUp }: Keeping): Promise<void> {
  const { issuer, clientId } = login
  // A secret of the entry stays in the entry.
  const isConfigured = server.oauth ? server.oauth.clientId === clientId : false
  const information = client === undefined || isConfigured ? { client_id: clientId } : client
  await store.change(server.url, (saved) => {
    const stepUpsAtMs = [...recentStepUps(saved, now()), ...(isStepUp ? [now()] : [])]
    return { login, client: { issuer, information }, ...(stepUpsAtMs.length === 0 ? {} : { stepUpsAtMs }) }
  })
}

function notOurs(name: string, { oauth }: RemoteServer): CapstanError {
  const [reason, next] =
    oauth === false
      ? ['its entry has "oauth": false', 'Remove that from its entry.']
      : ['its entry has an "Authorization" header of its own', 'Change that header, or remove it to log in.']
  return new CapstanError('usage', `Server "${name}" needs no login: ${reason}.`, { server: name, next })
}

function tookTooLong(name: string): CapstanError {
  const message = `The login of server "${name}" was not finished within ${loginMs / 60_000} minutes.`
  return new CapstanError('timed_out', message, { server: name, next: `Try again: capstan login ${name}` })
}
