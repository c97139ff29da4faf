import { messageOf } from '../errors.ts'
import type { StepFailure } from './model.ts'

/**
 * What a failure of a provider means for the loop. Providers have no common codes for a full context and for missing tools, so
 * those are known by the words that their servers use.
 */
export function stepFailure(error: unknown): StepFailure {
  const { status, body, retryAfter } = factsOf(error)
  const message = shortMessage(error, status)
  const words = `${messageOf(error)} ${body}`
  if (status === undefined) {
    return isUnreachable(error) ? { kind: 'unavailable', message, isUnreachable: true } : { kind: 'cut', message }
  }
  if (status < 400) return { kind: 'cut', message }
  if (status < 500 && status !== 429 && contextIsFull.test(words)) return { kind: 'overflow', message }
  if (status < 500 && status !== 429 && toolsAreRefused.test(words)) return { kind: 'no_tools', message }
  const isQuota = /insufficient_quota|billing/i.test(words)
  const isPassing = status === 408 || status === 409 || status === 429 || status >= 500
  if (!isPassing || isQuota) return { kind: 'rejected', message, status }
  const retryAfterMs = milliseconds(retryAfter)
  return { kind: 'unavailable', message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

const contextIsFull =
  /context[_ ](?:length|size|window)|maximum context|prompt is too long|too many (?:input )?tokens|exceeds? the (?:maximum|available|context)|input is too long|reduce the length/i

const toolsAreRefused =
  /(?:does not|doesn't|do not|not) support (?:tools?|function)|support(?:s|ing)? tool use|tool[ _-]choice requires|tools? (?:param|is not|are not|not supported|unsupported)|unsupported.{0,20}tools|unknown (?:field|parameter).{0,20}tools/i

interface Facts {
  readonly status: number | undefined
  readonly body: string
  readonly retryAfter: string | undefined
}

function factsOf(error: unknown): Facts {
  const fields = typeof error === 'object' && error !== null ? error : {}
  const status = 'statusCode' in fields && typeof fields.statusCode === 'number' ? fields.statusCode : undefined
  const body = 'responseBody' in fields && typeof fields.responseBody === 'string' ? fields.responseBody : ''
  const headers = 'responseHeaders' in fields ? fields.responseHeaders : undefined
  const isHeaders = typeof headers === 'object' && headers !== null
  const after = isHeaders && 'retry-after' in headers ? headers['retry-after'] : undefined
  return { status, body, retryAfter: typeof after === 'string' ? after : undefined }
}

/** No connection could be made at all. A stream that breaks off later is another matter. */
function isUnreachable(error: unknown): boolean {
  return error instanceof Error && 'isRetryable' in error && error.isRetryable === true
}

function milliseconds(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined
  const seconds = Number(retryAfter)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

function shortMessage(error: unknown, status: number | undefined): string {
  const [line = ''] = messageOf(error).split('\n')
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  const code = status === undefined || status < 400 ? '' : `${status}: `
  return `${code}${line.slice(0, 300)}${cause}`
}
