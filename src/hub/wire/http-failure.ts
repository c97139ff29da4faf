import { CapstanError, errorFamilies, messageOf } from '../../errors.ts'

interface RemoteContext {
  readonly server: string
  readonly url: string
  /** The start deadline has passed. */
  readonly isLate: boolean
  /** `capstan login` can help; else the entry has a token of its own. */
  readonly canLogIn: boolean
}

/** Says in our words why a remote server could not be reached. */
export function remoteFailure(error: unknown, { server, url, isLate, canLogIn }: RemoteContext): CapstanError {
  // The SDK wraps what our own fetch throws.
  const ours = causes(error).find((link) => link instanceof CapstanError)
  if (ours !== undefined) return ours
  const origin = URL.parse(url)?.origin ?? url
  const fail = (code: CapstanError['code'], message: string, next: string) =>
    new CapstanError(code, message, { server, cause: error, next })
  if (isLate)
    return fail(
      'connect_timed_out',
      `Server "${server}" at ${origin} did not answer in time.`,
      'Raise its "startTimeout" (seconds), or check the address.',
    )

  const status = statusOf(error)
  if (status === 401)
    return fail(
      'login_needed',
      `Server "${server}" at ${origin} wants a login (HTTP 401).`,
      canLogIn ? `Run: capstan login ${server}` : 'Check the token in "headers" of its entry.',
    )
  if (status === 403)
    return fail(
      'login_needed',
      `Server "${server}" at ${origin} denies access (HTTP 403).`,
      canLogIn ? `Run: capstan login ${server}` : 'Check the token in "headers" of its entry.',
    )
  if (status !== undefined) {
    return fail(
      'transport_failed',
      `Server "${server}" answered with HTTP ${status} at ${url.split('?')[0]}.`,
      'Check "url" in its entry; many servers want a path such as /mcp or /sse.',
    )
  }
  const code = systemCodeOf(error)
  if (code === 'ECONNREFUSED')
    return fail(
      'connection_refused',
      `Nothing listens at ${origin} (server "${server}").`,
      'Start the server, or correct "url" in its entry.',
    )
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return fail(
      'connection_refused',
      `The host of ${origin} (server "${server}") cannot be found.`,
      'Check "url" in its entry and the network.',
    )
  return fail(
    'transport_failed',
    `Server "${server}" at ${origin} cannot be reached: ${code ?? withoutSecrets(messageOf(causes(error).at(-1) ?? error))}.`,
    'Check "url" in its entry, and whether the server runs.',
  )
}

/** Some messages of `fetch` quote the whole address, with passwords and keys in it. */
function withoutSecrets(message: string): string {
  return message.replace(/https?:\/\/\S+/gi, (address) => URL.parse(address)?.origin ?? 'the address')
}

/** Whether trying again is of no use until somebody mends something: no such command, no such address, a bad entry. */
export function isForGood(error: CapstanError): boolean {
  if (errorFamilies[error.code] === 'configuration') return true
  if (error.code === 'start_failed') return ['ENOENT', 'EACCES', 'ENOTDIR', 'E2BIG'].includes(systemCodeOf(error) ?? '')
  return error.code === 'transport_failed' && [404, 405, 410].includes(statusOf(error) ?? 0)
}

/** Whether a refusal looks like a server that only knows the old two-endpoint transport (specification, backwards compatibility). */
export function saysOldTransport(error: unknown): boolean {
  return [400, 404, 405].includes(statusOf(error) ?? 0)
}

/** Whether no connection to the server came about, or the one that was there broke. */
export function saysUnreachable(error: unknown): boolean {
  // What `fetch` throws when it gets no answer.
  return systemCodeOf(error) !== undefined || error instanceof TypeError
}

/** The HTTP status behind an SDK error, wherever its different classes keep it. */
function statusOf(error: unknown): number | undefined {
  for (const link of causes(error)) {
    if (link.name === 'UnauthorizedError' || link.constructor.name === 'UnauthorizedError') return 401
    const data: unknown = 'data' in link ? link.data : undefined
    const candidates = [data, link].map((holder) =>
      typeof holder === 'object' && holder !== null ? Reflect.get(holder, 'status') : undefined,
    )
    const status = [...candidates, 'code' in link ? link.code : undefined].find(
      (value) => typeof value === 'number' && value >= 100 && value < 600,
    )
    if (typeof status === 'number') return status
  }
  return undefined
}

function systemCodeOf(error: unknown): string | undefined {
  for (const link of causes(error)) {
    // Only errors of the system have a system call; the SDK's own codes are strings as well.
    if ('syscall' in link && 'code' in link && typeof link.code === 'string') return link.code
  }
  return undefined
}

function causes(error: unknown): readonly Error[] {
  const chain: Error[] = []
  for (let link = error; link instanceof Error && chain.length < 10; link = link.cause) {
    chain.push(link)
    if (link instanceof AggregateError) chain.push(...link.errors.filter((inner) => inner instanceof Error))
  }
  return chain
}
