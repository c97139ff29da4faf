import { once } from 'node:events'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CapstanError } from '../../errors.ts'

export interface CallbackSetup {
  readonly server: string
  /** The port to listen at; any free one when absent. */
  readonly port?: number | undefined
  /** When the wanted port is taken, take any other. */
  readonly orAny: boolean
  /** Only a request that bears this came from our own question. */
  readonly state: string
}

/** What came back from the browser, and how to answer it. */
export interface Returned {
  readonly parameters: URLSearchParams
  readonly answer: (outcome: { readonly isGood: boolean }) => void
}

export interface Callback extends AsyncDisposable {
  readonly port: number
  readonly returned: Promise<Returned>
}

/** Listens on this machine alone for the browser to come back from the login. */
export async function openCallback({ server, port, orAny, state }: CallbackSetup): Promise<Callback> {
  const { promise: returned, resolve } = Promise.withResolvers<Returned>()
  const answer: RequestListener = (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (request.method !== 'GET' || url.pathname !== callbackPath) return answerWith(response, 404, pages.lost)
    // Any page that a browser shows can send it here; it must not be able to end a login that is under way.
    if (url.searchParams.get('state') !== state) return answerWith(response, 400, pages.lost)
    resolve({
      parameters: url.searchParams,
      answer: ({ isGood }) => answerWith(response, isGood ? 200 : 400, isGood ? pages.good : pages.bad),
    })
  }
  // Loaded with the client for every remote server; few wait for a browser.
  const { createServer } = await import('node:http')
  const listener = createServer(answer)
  const taken = await listen(listener, port ?? 0)
  if (taken !== undefined && !orAny) throw portTaken(server, port ?? 0, taken)
  if (taken !== undefined) await listen(listener, 0)
  return {
    port: (listener.address() as AddressInfo).port,
    returned,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => listener.close(resolve))
      listener.closeIdleConnections()
      await closed
    },
  }
}

export const callbackPath = '/callback'

/** Resolves to what went wrong, if anything did. */
async function listen(listener: Server, port: number): Promise<string | undefined> {
  try {
    listener.listen(port, '127.0.0.1')
    await once(listener, 'listening')
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

function portTaken(server: string, port: number, code: string): CapstanError {
  const message = `The login of server "${server}" cannot listen at port ${port}, its "oauth.callbackPort" (${code}).`
  return new CapstanError('start_failed', message, { server, next: 'End what uses the port, and try again.' })
}

const pages = {
  good: ['You are logged in', 'You can close this page and go back to Capstan.'],
  bad: ['The login failed', 'Go back to Capstan: it says why.'],
  lost: ['Nothing to see here', 'This address only takes part in a login of Capstan.'],
} as const

function answerWith(response: ServerResponse, status: number, [title, text]: readonly [string, string]): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  })
  response.end(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${title}</title>
<body style="font: 1.1rem/1.5 system-ui; margin: 20vh auto; max-width: 32rem; padding: 0 1rem; color-scheme: light dark">
<h1>${title}</h1><p>${text}</p></body></html>
`)
}
