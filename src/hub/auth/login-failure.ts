import {
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client'
import { CapstanError, type CapstanErrorCode } from '../../errors.ts'

/**
 * Says in our words why a login, or its renewal, failed. The original is not kept as the cause: `--debug` would print it, and
 * it may quote what was sent, which is secret.
 */
export function loginFailure(error: unknown, server: string): CapstanError {
  if (error instanceof CapstanError) return error
  const fail = (code: CapstanErrorCode, message: string, next: string) =>
    new CapstanError(code, `The login of server "${server}" failed: ${message}.`, { server, next })
  if (error instanceof IssuerMismatchError) {
    const message = 'the answer did not come from the authorization server that was asked'
    return fail('not_allowed', message, 'Do not try again, unless you know why: somebody may be in between.')
  }
  if (error instanceof InsecureTokenEndpointError) {
    return fail('not_allowed', 'its authorization server does not use https', 'Ask who runs the server to mend it.')
  }
  if (error instanceof RegistrationRejectedError) {
    const message = `its authorization server did not register us (HTTP ${error.status})`
    return fail('server_error', message, 'Register a client there by hand, and put its id into "oauth.clientId".')
  }
  if (error instanceof OAuthError && isPassing(error)) {
    return fail('transport_failed', `its authorization server is out of order (${error.code})`, 'Try again later.')
  }
  if (error instanceof OAuthError) {
    const code = error.code === 'access_denied' ? 'not_allowed' : 'server_error'
    return fail(code, `its authorization server says ${describe(error)}`, `Try again: capstan login ${server}`)
  }
  const message = 'its authorization server gave an answer that cannot be understood'
  return fail('server_error', message, 'Ask who runs the server to mend it, or put a token into "headers".')
}

/** Whether the same may go well the next time. An answer that is no OAuth error at all counts as `server_error` too. */
export function isPassing({ code }: OAuthError): boolean {
  return ['server_error', 'temporarily_unavailable', 'too_many_requests'].includes(code)
}

/** Whether the authorization server does not know as whom we come. */
export function isUnknownClient(error: unknown): boolean {
  return error instanceof OAuthError && ['invalid_client', 'unauthorized_client'].includes(error.code)
}

/** The code, and the explanation where there is one. Whatever is long enough to be a token in it is left out. */
function describe(error: OAuthError): string {
  if (error.message === '' || error.message === error.code) return error.code
  const words = error.message.replaceAll(/[\w.~+/=%-]{20,}/g, '…').replaceAll(/[^\p{L}\p{N}\p{P}\p{Zs}\p{S}]/gu, '')
  return `${error.code}: ${words.slice(0, 200).replace(/\.$/, '')}`
}
