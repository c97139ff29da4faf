import { computeScopeUnion, extractWWWAuthenticateParams, type FetchLike } from '@modelcontextprotocol/client'
import type { RemoteServer } from '../../config/types.ts'
import { CapstanError } from '../../errors.ts'
import type { AuthStore, Challenge, Saved } from './auth-store.ts'
import { loginHolder, type LoginHolder } from './login-holder.ts'
import { isUnattended, logsIn } from './logs-in.ts'
import { isStepUpInVain, maxStepUps } from './step-ups.ts'

export interface ServerAuthSetup {
  readonly name: string
  /** After `${…}`. */
  readonly server: RemoteServer
  readonly store: AuthStore
  readonly onLog: (text: string) => void
  readonly now?: () => number
  readonly fetch?: FetchLike
}

/**
 * A fetch for the connections of one server, which sends the token of its login. It renews what can be renewed without a
 * person. Where one is needed, the server's own 401 comes back; where more rights are, `login_needed` is thrown.
 */
export function serverAuth({ now = Date.now, fetch = globalThis.fetch, ...setup }: ServerAuthSetup): FetchLike {
  const { name, server } = setup
  if (!logsIn(server)) return fetch
  const { origin } = new URL(server.url)
  const holder = loginHolder({ ...setup, now })

  return async (url, init) => {
    // A token is for this server alone, wherever it may send us.
    if (new URL(url).origin !== origin) return fetch(url, init)
    const send = (token: string | undefined) => fetch(url, token === undefined ? init : withToken(init, token))
    const token = await holder.token()
    const response = await send(token)
    const [answer, sent] =
      response.status === 401 ? await answerTo401(response, token, { holder, send }) : [response, token]
    return answer.status === 403 ? answerTo403(answer, sent, { holder, send, name, server, now }) : answer
  }
}

interface Retry {
  readonly holder: LoginHolder
  readonly send: (token: string | undefined) => Promise<Response>
}

async function answerTo401(
  response: Response,
  refused: string | undefined,
  { holder, send }: Retry,
): Promise<readonly [Response, string | undefined]> {
  const challenge = challengeOf(response)
  const token = await holder.renew(refused, challenge)
  if (token === undefined) {
    await holder.note(challenge)
    return [response, refused]
  }
  await discard(response)
  const again = await send(token)
  if (again.status === 401) await holder.note(challengeOf(again))
  return [again, token]
}

/** A 403 that asks for more rights. Nobody is asked here for them; only a client that logs in by itself gets them at once. */
async function answerTo403(
  response: Response,
  refused: string | undefined,
  retry: Retry & Pick<ServerAuthSetup, 'name' | 'server'> & { readonly now: () => number },
): Promise<Response> {
  const { holder, send, name, server, now } = retry
  let answer = response
  let token = refused
  for (let tries = 0; asksForMore(answer); tries++) {
    const saved = await holder.saved()
    const challenge = stepUp(answer, saved)
    const { scope } = challenge
    const isOver = tries >= maxStepUps || isStepUpInVain(saved, scope, now())
    const more = isOver || !isUnattended(server) ? holder.adopt(token) : holder.renew(token, challenge)
    const next = await more
    if (next === undefined && isOver) throw askedTooOften(name, scope)
    if (next === undefined) {
      await holder.note(challenge)
      throw moreRightsNeeded(name, scope)
    }
    await discard(answer)
    token = next
    answer = await send(token)
  }
  return answer
}

/** What to ask for next: all that was asked for so far, and what is wanted now. */
function stepUp(response: Response, { login, challenge }: Saved): Challenge {
  const wanted = challengeOf(response)
  const scope = computeScopeUnion(login?.requestedScope, login?.tokens.scope, challenge?.scope, wanted.scope)
  return { ...wanted, ...(scope === undefined ? {} : { scope }), isStepUp: true }
}

function asksForMore(response: Response): boolean {
  return response.status === 403 && extractWWWAuthenticateParams(response).error === 'insufficient_scope'
}

/** What a refusal says about how to get in. */
export function challengeOf(response: Response): Challenge {
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
  return {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: resourceMetadataUrl.href }),
    ...(scope === undefined ? {} : { scope }),
  }
}

function withToken(init: RequestInit | undefined, token: string): RequestInit {
  const headers = new Headers(init?.headers)
  headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}

/** An answer that nobody reads keeps its connection open. */
async function discard(response: Response): Promise<void> {
  await response.body?.cancel()
}

function moreRightsNeeded(name: string, scope: string | undefined): CapstanError {
  const what = scope === undefined ? '' : ` (scope "${scope}")`
  return new CapstanError('login_needed', `Server "${name}" wants more rights than your login has given it${what}.`, {
    server: name,
    next: `Run: capstan login ${name}`,
  })
}

function askedTooOften(name: string, scope: string | undefined): CapstanError {
  const what = scope === undefined ? '' : ` (scope "${scope}")`
  const message = `Server "${name}" wants more rights${what}, although logins for them were made within the last hour.`
  return new CapstanError('not_allowed', message, {
    server: name,
    next: `Try later, or start afresh: capstan logout ${name}, then capstan login ${name}`,
  })
}
