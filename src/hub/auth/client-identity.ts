import {
  createPrivateKeyJwtAuth,
  registerClient,
  RegistrationRejectedError,
  type AddClientAuthentication,
  type FetchLike,
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
} from '@modelcontextprotocol/client'
import type { OauthSettings } from '../../config/types.ts'
import { CapstanError } from '../../errors.ts'
import type { KnownClient } from './auth-store.ts'
import { isSameIssuer, type AuthorizationServer } from './discover.ts'

interface Identification {
  readonly name: string
  readonly settings: OauthSettings | undefined
  readonly at: AuthorizationServer
  /** As whom we came the last time. */
  readonly known: KnownClient | undefined
  readonly redirectUrl: string
  readonly scope: string | undefined
  readonly fetch: FetchLike
}

/** As whom we come: a client of the person's own, a metadata document, who we were last time, or somebody newly registered. */
export async function identifyClient(identification: Identification): Promise<OAuthClientInformationMixed> {
  const { settings, at, known, redirectUrl } = identification
  const configured = configuredClient(identification)
  if (configured !== undefined) return configured
  const { clientMetadataUrl } = settings ?? {}
  if (clientMetadataUrl !== undefined && at.metadata?.client_id_metadata_document_supported === true) {
    return { client_id: clientMetadataUrl }
  }
  if (known !== undefined && isSameIssuer(known.issuer, at.issuer) && isStillGood(known, redirectUrl)) {
    return known.information
  }
  if (at.metadata !== undefined && at.metadata.registration_endpoint === undefined) throw cannotRegister(identification)
  return register(identification)
}

/** The client that the entry names, if it does. */
export function configuredClient({
  name,
  settings,
  at,
  known,
}: Pick<Identification, 'name' | 'settings' | 'at' | 'known'>): OAuthClientInformationMixed | undefined {
  if (settings?.clientId === undefined) return undefined
  const isElsewhere =
    known !== undefined &&
    known.information.client_id === settings.clientId &&
    !isSameIssuer(known.issuer, at.issuer) &&
    settings.issuer === undefined
  // The server alone decides where its logins are made, and it may have been taken over: a secret must not follow it.
  if (isElsewhere) throw movedAway(name, known.issuer, at.issuer)
  const { clientId, clientSecret } = settings
  return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) }
}

function isStillGood(known: KnownClient, redirectUrl: string): boolean {
  const { information } = known
  const endsAt = 'client_secret_expires_at' in information ? (information.client_secret_expires_at ?? 0) : 0
  // By RFC 7591, 0 is never.
  return redirectsOf(known).includes(redirectUrl) && (endsAt === 0 || endsAt * 1000 > Date.now())
}

/** How the client proves who it is, where a key does it. */
export function clientProof(settings: OauthSettings | undefined): AddClientAuthentication | undefined {
  if (settings?.clientId === undefined || settings.privateKey === undefined) return undefined
  const { clientId, privateKey, privateKeyAlgorithm = 'RS256' } = settings
  return createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, privateKey, alg: privateKeyAlgorithm })
}

/** The addresses that a registered client may be sent back to. */
export function redirectsOf({ information }: KnownClient): readonly string[] {
  return 'redirect_uris' in information ? information.redirect_uris : []
}

async function register({ name, at, redirectUrl, scope, fetch }: Identification): Promise<OAuthClientInformationMixed> {
  const { url, metadata } = at
  const clientMetadata: OAuthClientMetadata = {
    client_name: 'Capstan',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: authMethod(metadata?.token_endpoint_auth_methods_supported),
    application_type: 'native',
  }
  try {
    return await registerClient(url, {
      clientMetadata,
      fetchFn: fetch,
      ...(metadata === undefined ? {} : { metadata }),
      ...(scope === undefined ? {} : { scope }),
    })
  } catch (error) {
    if (metadata === undefined && error instanceof RegistrationRejectedError) throw offersNoLogin(name)
    throw error
  }
}

/** A program on somebody's machine keeps no secret well, so it wants none, unless it must. */
function authMethod(supported: readonly string[] | undefined): string {
  if (supported === undefined || supported.includes('none')) return 'none'
  return ['client_secret_basic', 'client_secret_post'].find((method) => supported.includes(method)) ?? 'none'
}

function cannotRegister({ name, at }: Identification): CapstanError {
  const message = `The authorization server ${at.issuer} of server "${name}" takes only clients that are registered by hand.`
  return new CapstanError('config_missing_field', message, {
    server: name,
    next: 'Register one there, and put its id into "oauth.clientId" of the entry.',
  })
}

function movedAway(name: string, before: string, now: string): CapstanError {
  const message = `Server "${name}" now sends its logins to ${now} instead of ${before}, and your client was registered there.`
  return new CapstanError('not_allowed', message, {
    server: name,
    next: `If that is right, say so with "oauth.issuer": "${now}" in its entry.`,
  })
}

/** It has no metadata, and nothing at the addresses that were usual before there was any. */
function offersNoLogin(name: string): CapstanError {
  return new CapstanError('server_error', `Server "${name}" offers no way to log in (OAuth).`, {
    server: name,
    next: 'If it wants a token, put it into "headers" of its entry.',
  })
}
