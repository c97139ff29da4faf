import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl,
  type AuthorizationServerMetadata,
  type FetchLike,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client'
import type { RemoteServer } from '../../config/types.ts'
import { CapstanError } from '../../errors.ts'
import type { Challenge, Login } from './auth-store.ts'

/** Where a server's logins are made. */
export interface AuthorizationServer {
  readonly url: string
  readonly issuer: string
  /** Absent for servers older than such metadata: then the addresses are the usual ones. */
  readonly metadata?: AuthorizationServerMetadata
  /** What tokens must be asked for. */
  readonly resource?: string
  /** Where the server's metadata is, if it is not where it usually is. */
  readonly resourceMetadataUrl?: string
  /** What the server offers, when it did not say what it wants. */
  readonly scopes?: readonly string[]
}

interface Discovery {
  readonly name: string
  readonly server: RemoteServer
  readonly challenge: Challenge
  readonly fetch: FetchLike
}

/** Finds the authorization server of a server, by its metadata and the way the specification gives. */
export async function discover({ name, server, challenge, fetch }: Discovery): Promise<AuthorizationServer> {
  const about = await resourceMetadata(server, challenge, fetch)
  if (about !== undefined) refuseOtherResource(about, name, server)
  const url = chooseServer(about?.authorization_servers ?? [], name, server)
  const found = await readAuthorizationServer(url, fetch)
  refuseOtherIssuer(found.issuer, name, server)
  return {
    ...found,
    ...(about === undefined ? {} : { resource: about.resource }),
    ...(challenge.resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: challenge.resourceMetadataUrl }),
    ...(about?.scopes_supported === undefined ? {} : { scopes: about.scopes_supported }),
  }
}

/** Whether a server now says that its logins are made elsewhere. One that says nothing has not moved. */
export async function hasMoved(login: Login, { server, challenge, fetch }: Omit<Discovery, 'name'>): Promise<boolean> {
  const about = await resourceMetadata(server, challenge, fetch)
  const offered = about?.authorization_servers ?? []
  return offered.length > 0 && !offered.some((url) => isSameIssuer(url, login.authorizationServerUrl))
}

export async function readAuthorizationServer(url: string, fetch: FetchLike): Promise<AuthorizationServer> {
  const metadata = await discoverAuthorizationServerMetadata(url, { fetchFn: fetch })
  return { url, issuer: metadata?.issuer ?? url, ...(metadata === undefined ? {} : { metadata }) }
}

/** Undefined for servers older than such metadata. */
async function resourceMetadata(
  server: RemoteServer,
  { resourceMetadataUrl }: Challenge,
  fetch: FetchLike,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  try {
    const where = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }
    return await discoverOAuthProtectedResourceMetadata(server.url, where, fetch)
  } catch (error) {
    // What our own guard refuses must not be passed over in silence.
    if (error instanceof CapstanError) throw error
    return undefined
  }
}

function refuseOtherResource({ resource }: OAuthProtectedResourceMetadata, name: string, server: RemoteServer): void {
  const requestedResource = resourceUrlFromServerUrl(server.url)
  if (URL.canParse(resource) && checkResourceAllowed({ requestedResource, configuredResource: resource })) return
  throw new CapstanError('not_allowed', `Server "${name}" says that its logins are for another server (${resource}).`, {
    server: name,
    next: 'Check "url" in its entry: a token for the other server must not be given to this one.',
  })
}

function chooseServer(offered: readonly string[], name: string, server: RemoteServer): string {
  const wanted = server.oauth ? server.oauth.issuer : undefined
  const [first] = offered
  // Before there was metadata, a server was its own authorization server.
  if (first === undefined) return wanted ?? new URL('/', server.url).href
  if (wanted === undefined) return first
  const chosen = offered.find((url) => isSameIssuer(url, wanted))
  if (chosen === undefined) throw otherIssuer(first, name)
  return chosen
}

function refuseOtherIssuer(issuer: string, name: string, { oauth }: RemoteServer): void {
  const wanted = oauth ? oauth.issuer : undefined
  if (wanted !== undefined && !isSameIssuer(issuer, wanted)) throw otherIssuer(issuer, name)
}

function otherIssuer(issuer: string, name: string): CapstanError {
  const message = `Server "${name}" sends its logins to ${issuer}, which is not the "oauth.issuer" of its entry.`
  return new CapstanError('not_allowed', message, {
    server: name,
    next: 'Change "oauth.issuer", if you know that this is right.',
  })
}

/** A slash at the end is the one difference that does not count: URL parsers add it. */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '')
}
