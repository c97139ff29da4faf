import type { RemoteServer } from '../../config/types.ts'
import { messageOf } from '../../errors.ts'
import type { AuthStore, Challenge, Login, Saved } from './auth-store.ts'
import { isSameIssuer } from './discover.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { loginFailure } from './login-failure.ts'
import { clientCredentialsLogin, refreshLogin, type TokenRequest } from './obtain-tokens.ts'

export interface LoginHolderSetup {
  readonly name: string
  readonly server: RemoteServer
  readonly store: AuthStore
  readonly now: () => number
  readonly onLog: (text: string) => void
}

/** The login of one server as a connection uses it: at hand, renewed in time, and never by two at once. */
export interface LoginHolder {
  /** The access token to send, if there is one. */
  readonly token: () => Promise<string | undefined>
  /** Another token in place of one that was refused; undefined when a person is needed. */
  readonly renew: (refused: string | undefined, challenge: Challenge) => Promise<string | undefined>
  /** A token that somebody else has got meanwhile. */
  readonly adopt: (refused: string | undefined) => Promise<string | undefined>
  readonly saved: () => Promise<Saved>
  /** Keeps what the server wants for the next login. */
  readonly note: (challenge: Challenge) => Promise<void>
}

const lockMs = 60_000
/** A token must outlast the request that it is sent with. */
const marginMs = 30_000

export function loginHolder(setup: LoginHolderSetup): LoginHolder {
  const { name, server, store, now, onLog } = setup
  const settings = server.oauth || undefined
  let current: Login | undefined
  let renewing: Promise<string | undefined> | undefined

  return {
    token,
    renew,
    adopt,
    saved: () => store.read(server.url),
    note,
  }

  async function token(): Promise<string | undefined> {
    current ??= usable(await store.read(server.url))
    const held = current
    if (held === undefined || !endsWithin(held, marginMs)) return held?.tokens.access_token
    const isRenewable = held.tokens.refresh_token !== undefined || settings?.grant === 'client_credentials'
    if (!isRenewable) return endsWithin(held, 0) ? adopt(held.tokens.access_token) : held.tokens.access_token
    try {
      return await renew(held.tokens.access_token, {})
    } catch (error) {
      // It can still be used for a moment, and the next request tries again.
      if (endsWithin(held, 0)) throw error
      return held.tokens.access_token
    }
  }

  async function adopt(refused: string | undefined): Promise<string | undefined> {
    const stored = usable(await store.read(server.url))
    if (stored === undefined || stored.tokens.access_token === refused || endsWithin(stored, 0)) return undefined
    current = stored
    return stored.tokens.access_token
  }

  /** All requests that come meanwhile wait for the same renewal. */
  function renew(refused: string | undefined, challenge: Challenge): Promise<string | undefined> {
    renewing ??= renewOnce(refused, challenge).finally(() => {
      renewing = undefined
    })
    return renewing
  }

  async function renewOnce(refused: string | undefined, challenge: Challenge): Promise<string | undefined> {
    const held = current
    if (held !== undefined && held.tokens.access_token !== refused && !endsWithin(held, 0))
      return held.tokens.access_token
    const adopted = await adopt(refused)
    if (adopted !== undefined) return adopted
    const isAlone = settings?.grant === 'client_credentials'
    if (!isAlone && usable(await store.read(server.url))?.tokens.refresh_token === undefined) return undefined
    try {
      // Another process may be at it: who comes second takes what the first one got.
      return await store.exclusively(
        server.url,
        async () => (await adopt(refused)) ?? (isAlone ? await grantAnew(challenge) : await refresh()),
        { waitMs: lockMs },
      )
    } catch (error) {
      throw loginFailure(error, name)
    }
  }

  async function refresh(): Promise<string | undefined> {
    const saved = await store.read(server.url)
    const login = usable(saved)
    if (login === undefined) return undefined
    const renewal = await refreshLogin(login, request(saved))
    if (renewal.kind === 'lost') onLog(`The login is over: ${login.issuer} no longer renews it.`)
    current = renewal.kind === 'renewed' ? renewal.login : undefined
    await keep((now) => {
      // Somebody may have logged in anew meanwhile, and that counts for more.
      if (now.login?.tokens.access_token !== login.tokens.access_token) return now
      return renewal.kind === 'renewed' ? { ...now, login: renewal.login } : withoutLogin(now, renewal.what)
    })
    return current?.tokens.access_token
  }

  async function grantAnew(challenge: Challenge): Promise<string> {
    const login = await clientCredentialsLogin(challenge, request(await store.read(server.url)))
    const { issuer, clientId } = login
    current = login
    await keep((now) => ({ ...now, login, client: { issuer, information: { client_id: clientId } } }))
    return login.tokens.access_token
  }

  /** What cannot be kept is still good for this connection. */
  async function keep(change: (saved: Saved) => Saved): Promise<void> {
    try {
      await store.change(server.url, change)
    } catch (error) {
      onLog(messageOf(error))
    }
  }

  function request(saved: Saved): TokenRequest {
    const signal = AbortSignal.timeout(lockMs)
    const fetch = guardedFetch({ server: name, serverUrl: new URL(server.url), signal })
    return { name, server, saved, fetch, now }
  }

  /** A login as somebody else than the entry says now is none. */
  function usable({ login }: Saved): Login | undefined {
    if (login === undefined) return undefined
    const isOurs = settings?.clientId === undefined || settings.clientId === login.clientId
    const isThere = settings?.issuer === undefined || isSameIssuer(settings.issuer, login.issuer)
    return isOurs && isThere ? login : undefined
  }

  function endsWithin({ expiresAtMs }: Login, ms: number): boolean {
    return expiresAtMs !== undefined && expiresAtMs - now() <= ms
  }

  async function note(challenge: Challenge): Promise<void> {
    const { challenge: known } = await store.read(server.url)
    if (JSON.stringify(known ?? {}) === JSON.stringify(challenge)) return
    await keep((saved) => ({ ...saved, challenge }))
  }
}

function withoutLogin(saved: Saved, what: 'login' | 'client'): Saved {
  const { login: _login, client, ...rest } = saved
  return what === 'client' || client === undefined ? rest : { ...rest, client }
}
