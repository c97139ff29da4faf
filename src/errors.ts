/** Every expected failure of Capstan, by family. Code decides on these, never on message text. */
export const errorFamilies = {
  usage: 'usage',

  config_invalid: 'configuration',
  config_missing_field: 'configuration',
  config_bad_type: 'configuration',
  server_unknown: 'configuration',
  server_disabled: 'configuration',
  model_unknown: 'configuration',

  start_failed: 'connection',
  connection_refused: 'connection',
  connect_timed_out: 'connection',
  transport_failed: 'connection',
  login_needed: 'connection',
  model_unavailable: 'connection',
  model_refused: 'connection',

  tool_unknown: 'execution',
  prompt_unknown: 'execution',
  prompt_invalid: 'execution',
  prompt_conflict: 'execution',
  resource_unknown: 'execution',
  resource_unreadable: 'execution',
  arguments_invalid: 'execution',
  timed_out: 'execution',
  limit_exceeded: 'execution',
  context_full: 'execution',
  server_error: 'execution',
  storage_failed: 'execution',
  ask_declined: 'execution',
  not_allowed: 'execution',
  not_trusted: 'execution',
  cancelled: 'execution',
  outcome_unknown: 'execution',
} as const

export type CapstanErrorCode = keyof typeof errorFamilies

export interface CapstanErrorDetails extends ErrorOptions {
  /** The server it happened at. */
  readonly server?: string | undefined
  /** What the person can do about it, as a full sentence or a command. */
  readonly next?: string | undefined
}

/** The plain-JSON form of an error: what `--json` prints and what crosses the daemon's socket. */
export interface ErrorJson {
  readonly code: CapstanErrorCode
  readonly message: string
  readonly server?: string
  readonly next?: string
}

const brand = Symbol.for('capstan.error')

/** The one error class: an expected failure, with a closed code, the server it concerns and the next step. */
export class CapstanError extends Error {
  override readonly name = 'CapstanError'
  readonly code: CapstanErrorCode
  readonly server: string | undefined
  readonly next: string | undefined

  readonly [brand] = true

  constructor(code: CapstanErrorCode, message: string, details: CapstanErrorDetails = {}) {
    super(message, details)
    this.code = code
    this.server = details.server
    this.next = details.next
  }

  /** By brand, not by class: a program may hold two copies of this module, as the bundled command line does. */
  static override [Symbol.hasInstance](value: unknown): value is CapstanError {
    return typeof value === 'object' && value !== null && brand in value
  }

  toJSON(): ErrorJson {
    const { code, message, server, next } = this
    return { code, message, ...(server === undefined ? {} : { server }), ...(next === undefined ? {} : { next }) }
  }

  static fromJSON(json: ErrorJson): CapstanError {
    return new CapstanError(json.code, json.message, { server: json.server, next: json.next })
  }
}

/** What a stopped wait means to the person: their own Ctrl-C, or a limit that ran out. */
export function stopped(signal: AbortSignal, what: string, server?: string): CapstanError {
  const reason: unknown = signal.reason
  if (reason instanceof CapstanError) return reason
  const isTimeout = reason instanceof DOMException && reason.name === 'TimeoutError'
  return isTimeout
    ? new CapstanError('timed_out', `Time ran out for ${what}.`, {
        server,
        cause: reason,
        next: 'Allow more time with --timeout SECONDS.',
      })
    : new CapstanError('cancelled', `Cancelled: ${what}.`, { server, cause: reason })
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Closes a `switch` over a tagged union. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`)
}
