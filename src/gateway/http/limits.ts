import type { Refusal } from './refusal.ts'

export interface HttpLimits {
  readonly bodyBytes: number
  readonly headerBytes: number
  readonly connections: number
  /** Requests under way, of all and of one caller. Streams that only listen do not count. */
  readonly requests: number
  readonly requestsOfOne: number
  /** Requests of one caller in a minute. */
  readonly requestsPerMinute: number
  /** Wrong tokens from one address in a minute. */
  readonly failuresPerMinute: number
  readonly sessions: number
  readonly sessionsOfOne: number
  readonly sessionIdleMs: number
  /** How deep JSON may nest. */
  readonly jsonDepth: number
  /** What is kept of answers that clients do not read, of all together. */
  readonly unreadBytes: number
  /** How long a client may read nothing of an answer that is there. */
  readonly unreadMs: number
}

export const defaultLimits: HttpLimits = {
  bodyBytes: 4 * 2 ** 20,
  headerBytes: 16 * 2 ** 10,
  connections: 1024,
  requests: 256,
  requestsOfOne: 64,
  requestsPerMinute: 6000,
  failuresPerMinute: 20,
  sessions: 1000,
  sessionsOfOne: 200,
  sessionIdleMs: 30 * 60_000,
  jsonDepth: 200,
  unreadBytes: 256 * 2 ** 20,
  unreadMs: 60_000,
}

/** Counts what is under way and how often somebody comes. */
export interface Turnstile {
  /** A place, to be disposed of at the end; or why there is none. */
  readonly enter: (caller: string) => Disposable | Refusal
  readonly underWay: () => number
  /** A wrong token; afterwards the address may have to wait. */
  readonly failed: (address: string) => void
  readonly mayTry: (address: string) => Refusal | undefined
}

/** The limits are those of the moment. */
export function turnstile(limitsNow: () => HttpLimits, now: () => number): Turnstile {
  const underWay = new Map<string, number>()
  const rates = buckets(() => limitsNow().requestsPerMinute, now)
  const failures = buckets(() => limitsNow().failuresPerMinute, now)
  let all = 0
  return {
    enter(caller) {
      const limits = limitsNow()
      const own = underWay.get(caller) ?? 0
      if (all >= limits.requests) return tooMany(503, 'The gateway is busy.', 1)
      if (own >= limits.requestsOfOne) return tooMany(429, `Only ${limits.requestsOfOne} requests at once.`, 1)
      const waitSeconds = rates.take(caller)
      if (waitSeconds > 0) {
        return tooMany(429, `Only ${limits.requestsPerMinute} requests in a minute.`, waitSeconds)
      }
      all += 1
      underWay.set(caller, own + 1)
      let isLeft = false
      return {
        [Symbol.dispose]() {
          if (isLeft) return
          isLeft = true
          all -= 1
          underWay.set(caller, (underWay.get(caller) ?? 1) - 1)
        },
      }
    },
    underWay: () => all,
    failed: (address) => void failures.take(address),
    mayTry(address) {
      const waitSeconds = failures.wait(address)
      return waitSeconds > 0 ? tooMany(429, 'Too many wrong tokens from this address.', waitSeconds) : undefined
    },
  }
}

function tooMany(status: 429 | 503, message: string, waitSeconds: number): Refusal {
  return { status, message, headers: { 'retry-after': String(Math.max(1, Math.ceil(waitSeconds))) } }
}

interface Buckets {
  /** Takes one; the seconds to wait when there is none. */
  readonly take: (name: string) => number
  /** The seconds to wait for the next one, without taking it. */
  readonly wait: (name: string) => number
}

const mostBuckets = 10_000

/** Buckets of tokens that fill up evenly; each holds what a minute allows. */
function buckets(perMinuteNow: () => number, now: () => number): Buckets {
  const levels = new Map<string, { level: number; atMs: number }>()
  const levelOf = (name: string) => {
    const known = levels.get(name)
    const nowMs = now()
    const perMinute = perMinuteNow()
    if (known === undefined) return { level: perMinute, atMs: nowMs }
    return { level: Math.min(perMinute, known.level + ((nowMs - known.atMs) * perMinute) / 60_000), atMs: nowMs }
  }
  const secondsTo = (level: number) => (level >= 1 ? 0 : ((1 - level) * 60) / perMinuteNow())
  return {
    take(name) {
      const bucket = levelOf(name)
      const seconds = secondsTo(bucket.level)
      if (seconds === 0) bucket.level -= 1
      levels.delete(name)
      levels.set(name, bucket)
      const [oldest] = levels.keys()
      // Addresses can be had without end: whoever was not seen for longest is forgotten.
      if (levels.size > mostBuckets && oldest !== undefined) levels.delete(oldest)
      return seconds
    },
    wait: (name) => secondsTo(levelOf(name).level),
  }
}
