import { selectClientAuthMethod, type FetchLike } from '@modelcontextprotocol/client'
import type { RemoteServer } from '../../config/types.ts'
import type { AuthStore, Login, Saved } from './auth-store.ts'
import { configuredClient } from './client-identity.ts'
import { readAuthorizationServer } from './discover.ts'
import { guardedFetch } from './guarded-fetch.ts'

export interface LogoutSetup {
  readonly name: string
  readonly server: RemoteServer
  readonly store: AuthStore
  readonly signal?: AbortSignal | undefined
  readonly onLog?: (text: string) => void
}

const revokeMs = 5000

/** Forgets the login of a server, and tells its authorization server, if that wants to know. Resolves to whether there was one. */
export async function logout(setup: LogoutSetup): Promise<boolean> {
  const { server } = setup
  const urls = [server.url, ...server.otherUrls]
  const outcomes = await Promise.all(urls.map((url) => logoutAt({ ...setup, server: { ...server, url } })))
  return outcomes.includes(true)
}

async function logoutAt({ name, server, store, signal, onLog }: LogoutSetup): Promise<boolean> {
  const saved = await store.read(server.url)
  await store.change(server.url, () => ({}))
  if (saved.login === undefined) return false
  const limit = AbortSignal.timeout(revokeMs)
  const until = signal === undefined ? limit : AbortSignal.any([signal, limit])
  const fetch = guardedFetch({ server: name, serverUrl: new URL(server.url), signal: until })
  try {
    await revoke(saved.login, { name, server, saved, fetch })
  } catch {
    // The tokens are gone from here either way, and they end by themselves.
    onLog?.(`The authorization server ${saved.login.issuer} could not be told of the logout.`)
  }
  return true
}

interface Revocation {
  readonly name: string
  readonly server: RemoteServer
  readonly saved: Saved
  readonly fetch: FetchLike
}

/** RFC 7009. With the refresh token go the access tokens that came of it; a server that does not think so gets both. */
async function revoke(login: Login, { name, server, saved, fetch }: Revocation): Promise<void> {
  const at = await readAuthorizationServer(login.authorizationServerUrl, fetch)
  const { metadata } = at
  const endpoint =
    metadata !== undefined && 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined
  if (typeof endpoint !== 'string') return
  const configured = configuredClient({ name, settings: server.oauth || undefined, at, known: saved.client })
  const client = configured ?? saved.client?.information ?? { client_id: login.clientId }
  const method = selectClientAuthMethod(client, [...(metadata?.token_endpoint_auth_methods_supported ?? [])])
  const { access_token: access, refresh_token: refresh } = login.tokens
  for (const [token, hint] of [
    [refresh, 'refresh_token'],
    [access, 'access_token'],
  ] as const) {
    if (token === undefined) continue
    const body = new URLSearchParams({ token, token_type_hint: hint })
    const headers = new Headers()
    if (method === 'client_secret_basic') headers.set('authorization', basic(client))
    else body.set('client_id', client.client_id)
    if (method === 'client_secret_post') body.set('client_secret', client.client_secret ?? '')
    await fetch(endpoint, { method: 'POST', headers, body })
  }
}

function basic({
  client_id: id,
  client_secret: secret = '',
}: {
  readonly client_id: string
  readonly client_secret?: string | undefined
}): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
}
