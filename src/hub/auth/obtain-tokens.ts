import {
  ClientCredentialsProvider,
  fetchToken,
  OAuthError,
  PrivateKeyJwtProvider,
  refreshAuthorization,
  type FetchLike,
  type OAuthClientProvider,
  type OAuthTokens,
} from '@modelcontextprotocol/client'
import type { OauthSettings, RemoteServer } from '../../config/types.ts'
import { CapstanError } from '../../errors.ts'
import type { Challenge, Login, Saved } from './auth-store.ts'
import { clientProof, configuredClient } from './client-identity.ts'
import { discover, hasMoved, isSameIssuer, readAuthorizationServer, type AuthorizationServer } from './discover.ts'
import { isPassing, isUnknownClient } from './login-failure.ts'
import { wantedScope } from './wanted-scope.ts'

/** One server, what is kept for it, and how to reach its authorization server. */
export interface TokenRequest {
  readonly name: string
  readonly server: RemoteServer
  readonly saved: Saved
  readonly fetch: FetchLike
  readonly now: () => number
}

export type Renewal =
  | { readonly kind: 'renewed'; readonly login: Login }
  /** The login is over; `client` when we are not even known there any more. */
  | { readonly kind: 'lost'; readonly what: 'login' | 'client' }

/** Exchanges the refresh token for new tokens. What may go better the next time is thrown. */
export async function refreshLogin(login: Login, request: TokenRequest): Promise<Renewal> {
  const { name, server, saved, fetch, now } = request
  const refreshToken = login.tokens.refresh_token
  if (refreshToken === undefined) return { kind: 'lost', what: 'login' }
  const settings = server.oauth || undefined
  const { resourceMetadataUrl } = login
  const challenge = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }
  if (await hasMoved(login, { server, challenge, fetch })) return { kind: 'lost', what: 'client' }
  const at = await readAuthorizationServer(login.authorizationServerUrl, fetch)
  const proof = clientProof(settings)
  try {
    const tokens = await refreshAuthorization(at.url, {
      ...(at.metadata === undefined ? {} : { metadata: at.metadata }),
      clientInformation: configuredClient({ name, settings, at, known: saved.client }) ?? clientOf(login, saved),
      refreshToken,
      ...(login.resource === undefined ? {} : { resource: login.resource }),
      ...(proof === undefined ? {} : { addClientAuthentication: proof }),
      fetchFn: fetch,
    })
    const scope = tokens.scope ?? login.tokens.scope
    return {
      kind: 'renewed',
      login: { ...login, ...kept({ ...tokens, ...(scope === undefined ? {} : { scope }) }, now()) },
    }
  } catch (error) {
    if (!(error instanceof OAuthError) || isPassing(error)) throw error
    return { kind: 'lost', what: isUnknownClient(error) ? 'client' : 'login' }
  }
}

function clientOf({ clientId, issuer }: Login, { client }: Saved) {
  const isKnown =
    client !== undefined && isSameIssuer(client.issuer, issuer) && client.information.client_id === clientId
  return isKnown ? client.information : { client_id: clientId }
}

/** A login that needs no person: the client proves who it is, by its secret or its key. */
export async function clientCredentialsLogin(challenge: Challenge, request: TokenRequest): Promise<Login> {
  const { name, server, saved, fetch, now } = request
  const settings = server.oauth || undefined
  const at = await discover({ name, server, challenge, fetch })
  const client = configuredClient({ name, settings, at, known: saved.client })
  if (settings === undefined || client === undefined) throw incomplete(name)
  const scope = wantedScope(settings, challenge, at)
  const tokens = await fetchToken(credentialsProvider(name, settings, at), at.url, {
    ...(at.metadata === undefined ? {} : { metadata: at.metadata }),
    ...(at.resource === undefined ? {} : { resource: at.resource }),
    ...(scope === undefined ? {} : { scope }),
    fetchFn: fetch,
  })
  return loginFrom(tokens, { at, clientId: client.client_id, scope, nowMs: now() })
}

function credentialsProvider(name: string, settings: OauthSettings, at: AuthorizationServer): OAuthClientProvider {
  const { clientId, clientSecret, privateKey, privateKeyAlgorithm = 'RS256' } = settings
  const expectedIssuer = at.issuer
  if (clientId !== undefined && privateKey !== undefined)
    return new PrivateKeyJwtProvider({ clientId, privateKey, algorithm: privateKeyAlgorithm, expectedIssuer })
  if (clientId !== undefined && clientSecret !== undefined)
    return new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer })
  throw incomplete(name)
}

function incomplete(name: string): CapstanError {
  const message = `Server "${name}" has "oauth.grant": "client_credentials", but not all that it needs.`
  return new CapstanError('config_missing_field', message, {
    server: name,
    next: 'Give "oauth.clientId", and "oauth.clientSecret" or "oauth.privateKey", in its entry.',
  })
}

interface Origin {
  readonly at: AuthorizationServer
  readonly clientId: string
  readonly scope: string | undefined
  readonly nowMs: number
}

export function loginFrom(tokens: OAuthTokens, { at, clientId, scope, nowMs }: Origin): Login {
  return {
    issuer: at.issuer,
    authorizationServerUrl: at.url,
    ...(at.resource === undefined ? {} : { resource: at.resource }),
    ...(at.resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: at.resourceMetadataUrl }),
    clientId,
    ...(scope === undefined ? {} : { requestedScope: scope }),
    ...kept(tokens, nowMs),
  }
}

function kept(tokens: OAuthTokens, nowMs: number): Pick<Login, 'tokens' | 'expiresAtMs'> {
  const { expires_in: seconds } = tokens
  return { tokens, ...(seconds === undefined ? {} : { expiresAtMs: nowMs + seconds * 1000 }) }
}
