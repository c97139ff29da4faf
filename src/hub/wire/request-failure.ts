import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { CapstanError, messageOf, stopped, type CapstanErrorCode } from '../../errors.ts'
import type { RequestOptions } from './connection.ts'

interface FailedRequest {
  readonly server: string
  readonly method: string
  readonly options: RequestOptions
  /** Which of its limits is over, if one is. */
  readonly passed?: 'idle' | 'max' | undefined
}

/** Says in our words why a request over a live connection failed. Only what may have run is told as of unknown outcome. */
export function requestFailure(error: unknown, request: FailedRequest): CapstanError {
  const { server, method, options } = request
  if (options.signal?.aborted) return stopped(options.signal, `${method} at server "${server}"`, server)
  if (request.passed !== undefined) return tookTooLong(error, request)
  if (error instanceof CapstanError) return error
  if (error instanceof ProtocolError) return refused(error, request)
  if (error instanceof SdkHttpError) return refusedByHttp(error, request)
  return error instanceof SdkError ? brokenOff(error, request) : lost(error, request)
}

function refused(error: ProtocolError, { server, method }: FailedRequest): CapstanError {
  // An answer that we did not take: no server can send one of these.
  if (error.data instanceof CapstanError) return error.data
  if (error.code === missingCapability) return askedInVain(error, server)
  const message = `Server "${server}" refused ${method}: ${error.message} (code ${error.code})`
  return new CapstanError(refusal(method, error.code), message, { server, cause: error })
}

/** What a JSON-RPC error means, given that the name was found in the catalogue before anything was sent. */
function refusal(method: string, code: number): CapstanErrorCode {
  if (method === 'resources/read') {
    return code === invalidParams || code === resourceNotFound ? 'resource_unknown' : 'resource_unreadable'
  }
  return code === invalidParams ? 'arguments_invalid' : 'server_error'
}

const invalidParams = -32602
const resourceNotFound = -32002
const missingCapability = -32021

function refusedByHttp(error: SdkHttpError, request: FailedRequest): CapstanError {
  const { server, method } = request
  const tell = (code: CapstanErrorCode, message: string, next: string) =>
    new CapstanError(code, message, { server, cause: error, next })
  if (isSessionLost(error)) {
    const message = `Server "${server}" no longer knows our session; ${method} was not run.`
    return tell('transport_failed', message, 'Try again: the next use connects anew.')
  }
  if (error.status === 401 || error.status === 403) {
    const message = `Server "${server}" wants a login for ${method} (HTTP ${error.status}).`
    return tell('login_needed', message, `Run: capstan login ${server}`)
  }
  const isRefusal = error.status >= 400 && error.status < 500
  if (!isRefusal) return lost(error, request)
  return tell(
    'server_error',
    `Server "${server}" refused ${method} with HTTP ${error.status}.`,
    `Run: capstan doctor ${server}`,
  )
}

/** Whether the server has forgotten our session, as it does when it is restarted: then it did nothing with the request. */
export function isSessionLost(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false
  return error.status === 404 || (error.status === 400 && lostSessionCodes.has(rpcCode(error.data.text)))
}

/** Servers that answer 400 for a session they do not know say one of these in the body. */
const lostSessionCodes = new Set<unknown>([-32_001, -32_000])

function rpcCode(body: unknown): unknown {
  try {
    const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
    const { error } = Object(message) as { readonly error?: unknown }
    return (Object(error) as { readonly code?: unknown }).code
  } catch {
    return undefined
  }
}

function brokenOff(error: SdkError, request: FailedRequest): CapstanError {
  const { server, method } = request
  if (error.code === SdkErrorCode.CapabilityNotSupported) return askedInVain(error, server)
  const isBadAnswer = error.code === SdkErrorCode.InvalidResult || error.code === SdkErrorCode.UnsupportedResultType
  if (!isBadAnswer) return lost(error, request)
  const message = `Server "${server}" answered ${method} with something that is no valid answer: ${error.message}`
  return new CapstanError('server_error', message, { server, cause: error, next: `Run: capstan doctor ${server}` })
}

function tookTooLong(error: unknown, { server, method, options, passed }: FailedRequest): CapstanError {
  const limit =
    passed === 'max'
      ? `did not finish in ${options.maxMs / 1000} s`
      : `gave no sign of life for ${options.idleMs / 1000} s`
  return new CapstanError('timed_out', `Server "${server}" ${limit} on ${method}.`, {
    server,
    cause: error,
    next: `Raise "${passed === 'max' ? 'maxTimeout' : 'timeout'}" (seconds) of the server, or pass --timeout.`,
  })
}

function askedInVain(error: Error, server: string): CapstanError {
  const message = `Server "${server}" asked for something that it cannot get here: ${error.message}`
  return new CapstanError('server_error', message, { server, cause: error })
}

function lost(error: unknown, { server, method }: FailedRequest): CapstanError {
  const isCall = method === 'tools/call'
  const outcome = isCall ? ' Whether the tool ran is unknown; it was not repeated.' : ''
  const message = `The connection to server "${server}" was lost during ${method}: ${messageOf(error)}.${outcome}`
  return new CapstanError(isCall ? 'outcome_unknown' : 'transport_failed', message, {
    server,
    cause: error,
    next: `Run: capstan doctor ${server}`,
  })
}

/** The JSON-RPC code a server refused with, if it did. */
export function protocolCode(error: unknown): number | undefined {
  return error instanceof ProtocolError ? error.code : undefined
}
