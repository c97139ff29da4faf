import { randomBytes } from 'node:crypto'
import {
  exchangeAuthorization,
  OAuthError,
  startAuthorization,
  validateAuthorizationResponseIssuer,
  type FetchLike,
  type OAuthClientInformationMixed,
  type OAuthTokens,
} from '@modelcontextprotocol/client'
import type { RemoteServer } from '../../config/types.ts'
import { CapstanError } from '../../errors.ts'
import type { OnAsk } from '../api.ts'
import { waitFor } from '../wait-for.ts'
import type { Challenge, Login, Saved } from './auth-store.ts'
import { callbackPath, openCallback, type Callback, type Returned } from './callback.ts'
import { clientProof, identifyClient, redirectsOf } from './client-identity.ts'
import { discover, type AuthorizationServer } from './discover.ts'
import { loginFrom } from './obtain-tokens.ts'
import { wantedScope } from './wanted-scope.ts'

export interface CodeLogin {
  readonly name: string
  readonly server: RemoteServer
  readonly onAsk: OnAsk
  readonly now: () => number
  readonly signal: AbortSignal
  readonly fetch: FetchLike
  readonly saved: Saved
  readonly challenge: Challenge
}

export interface LoggedIn {
  readonly login: Login
  /** As whom; absent where that stands in the entry. */
  readonly client?: OAuthClientInformationMixed
}

/** The login with a person: they say yes in a browser, which comes back with a code that is worth tokens. */
export async function codeLogin(setup: CodeLogin): Promise<LoggedIn> {
  const { name, server, saved, challenge, fetch, now } = setup
  const settings = server.oauth || undefined
  const at = await discover({ name, server, challenge, fetch })
  const state = randomBytes(32).toString('base64url')
  const port = settings?.callbackPort ?? registeredPort(saved)
  await using callback = await openCallback({ server: name, port, orAny: settings?.callbackPort === undefined, state })
  // Clients that share an entry's `callbackPort` with us are registered under this name of the machine.
  const host = settings?.callbackPort === undefined ? '127.0.0.1' : 'localhost'
  const redirectUrl = `http://${host}:${callback.port}${callbackPath}`
  const scope = wantedScope(settings, challenge, at)
  const client = await identifyClient({ name, settings, at, known: saved.client, redirectUrl, scope, fetch })
  const { authorizationUrl, codeVerifier } = await startAuthorization(at.url, {
    ...common(at),
    clientInformation: client,
    redirectUrl,
    state,
    ...(scope === undefined ? {} : { scope }),
  })
  refuseOddPage(authorizationUrl, name)

  const returned = await visit(authorizationUrl, callback, { ...setup, state })
  try {
    const tokens = await redeem(returned.parameters, { at, client, codeVerifier, redirectUrl, server, fetch })
    returned.answer({ isGood: true })
    return { login: loginFrom(tokens, { at, clientId: client.client_id, scope, nowMs: now() }), client }
  } catch (error) {
    returned.answer({ isGood: false })
    throw error
  }
}

/** Many authorization servers know only the very address that was registered: with its port, the registration holds. */
function registeredPort({ client }: Saved): number | undefined {
  const [redirect] = client === undefined ? [] : redirectsOf(client)
  const port = redirect === undefined ? undefined : Number(URL.parse(redirect)?.port)
  return port === undefined || Number.isNaN(port) || port === 0 ? undefined : port
}

/** Only pages: what else an address may start on somebody's machine is not for a server to choose. */
function refuseOddPage(url: URL, name: string): void {
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) return
  const message = `Server "${name}" wants its login at an address that begins with ${url.protocol}, which is refused.`
  throw new CapstanError('not_allowed', message, { server: name, next: 'Ask who runs the server to mend it.' })
}

/** Brings the person to the page, and waits until the browser comes back, or its address is brought by hand. */
async function visit(
  page: URL,
  callback: Callback,
  { name, onAsk, signal, state }: CodeLogin & { readonly state: string },
): Promise<Returned> {
  const answered = new AbortController()
  const asking = onAsk(
    { kind: 'url', server: name, message: `Log in to server "${name}".`, url: page.href, purpose: 'login' },
    { signal: AbortSignal.any([signal, answered.signal]) },
  )
  const byHand = asking.then((answer) => {
    if (answer.action !== 'accept')
      throw new CapstanError('cancelled', `The login of server "${name}" was cancelled.`, { server: name })
    const redirect = answer.content?.['redirect']
    return typeof redirect === 'string' ? pasted(redirect, state, name) : callback.returned
  })
  try {
    return await waitFor(Promise.race([callback.returned, byHand]), signal, `the login of server "${name}"`)
  } finally {
    // Whoever still asks the person may stop, and what comes of the question does not matter any more.
    answered.abort(new CapstanError('cancelled', 'The answer came another way.'))
    byHand.catch(() => {})
  }
}

function pasted(text: string, state: string, name: string): Returned {
  const parameters = URL.parse(text.trim())?.searchParams
  const fail = (message: string) =>
    new CapstanError('usage', message, { server: name, next: `Try again: capstan login ${name}` })
  if (parameters === undefined || !(parameters.has('code') || parameters.has('error')))
    throw fail('That is not the address that the browser was sent back to: it has no "code" in it.')
  if (parameters.get('state') !== state) throw fail('That address belongs to another login.')
  return { parameters, answer: () => undefined }
}

interface Redemption {
  readonly at: AuthorizationServer
  readonly client: OAuthClientInformationMixed
  readonly codeVerifier: string
  readonly redirectUrl: string
  readonly server: RemoteServer
  readonly fetch: FetchLike
}

/** Makes tokens of what came back, once it is sure from whom it came (RFC 9207): even an error is not believed before. */
async function redeem(parameters: URLSearchParams, redemption: Redemption): Promise<OAuthTokens> {
  const { at, client, codeVerifier, redirectUrl, server, fetch } = redemption
  const iss = parameters.get('iss') ?? undefined
  validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: at.metadata?.issuer,
    issParameterSupported: at.metadata?.authorization_response_iss_parameter_supported === true,
  })
  const refusal = parameters.get('error')
  if (refusal !== null) throw new OAuthError(refusal, parameters.get('error_description') ?? refusal)
  const proof = clientProof(server.oauth || undefined)
  return exchangeAuthorization(at.url, {
    ...common(at),
    clientInformation: client,
    authorizationCode: parameters.get('code') ?? '',
    ...(iss === undefined ? {} : { iss }),
    codeVerifier,
    redirectUri: redirectUrl,
    ...(proof === undefined ? {} : { addClientAuthentication: proof }),
    fetchFn: fetch,
  })
}

function common({ metadata, resource }: AuthorizationServer) {
  return { ...(metadata === undefined ? {} : { metadata }), ...(resource === undefined ? {} : { resource }) }
}
