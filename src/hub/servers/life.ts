import { unreachable, type CapstanError } from '../../errors.ts'

/** Where one copy of a server stands. */
export type Life =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting'; readonly sinceMs: number }
  | { readonly kind: 'ready'; readonly sinceMs: number }
  | { readonly kind: 'backing_off'; readonly error: CapstanError; readonly nextTryAtMs: number }
  | { readonly kind: 'needs_login'; readonly error: CapstanError; readonly sinceMs: number }
  | { readonly kind: 'failed'; readonly error: CapstanError; readonly sinceMs: number }

/** What can happen to it. */
export type LifeEvent =
  /** Somebody wants to use it. */
  | { readonly kind: 'needed' }
  | { readonly kind: 'opened' }
  /** An attempt to connect failed. */
  | { readonly kind: 'refused'; readonly error: CapstanError; readonly blame: Blame }
  /** A connection that was ready has ended, by nobody's wish. */
  | { readonly kind: 'lost'; readonly error: CapstanError }
  /** A request was refused because nobody is logged in any more. */
  | { readonly kind: 'locked'; readonly error: CapstanError }
  /** Five calls in a row got no answer at all. */
  | { readonly kind: 'silent'; readonly error: CapstanError }
  /** The time of the next try has come. */
  | { readonly kind: 'due' }
  /** We closed it. */
  | { readonly kind: 'closed' }
  /** A person restarted it or logged in. */
  | { readonly kind: 'reset' }

/** Whose turn it is after a refusal: time's, a person's who logs in, or a person's who mends the entry. */
export type Blame = 'passing' | 'login' | 'for-good'

/** The life of one copy with what the next step depends on. */
export interface LifeRecord {
  readonly life: Life
  /** In a row: a connection that lasts starts the count anew. */
  readonly failures: number
  /** The restarts of the last minute. */
  readonly restartsAtMs: readonly number[]
  /** Since when it is wanted and not there, however many tries that took. */
  readonly wantedSinceMs?: number | undefined
}

/** One object for all, because who compares lives takes another object for a change. */
const idle: Life = { kind: 'idle' }
export const unborn: LifeRecord = { life: idle, failures: 0, restartsAtMs: [] }

export interface Chance {
  readonly nowMs: number
  /** From 0 to 1: servers that died together are not started together. */
  readonly random: number
}

const minuteMs = 60_000
const firstDelayMs = 1000
const longestDelayMs = minuteMs
const restartsPerMinute = 5
/** A connection that ended earlier than this is one more failure, not a new beginning. */
const steadyMs = 10_000
const silenceMs = 30_000
const scatterMs = 50
/** How soon a permanent failure is looked at again for somebody who asks. */
const cooldownMs = 5000

/** The state machine; docs/reliability.md has it as a table. Events that mean nothing in a state leave it as it is. */
export function nextLife(record: LifeRecord, event: LifeEvent, chance: Chance): LifeRecord {
  switch (event.kind) {
    case 'needed':
      return isWorthATry(record, chance) ? trying(record, chance) : record
    case 'due':
      return record.life.kind === 'backing_off' ? trying(record, chance) : record
    case 'opened':
      return record.life.kind === 'connecting' ? opened(record, chance) : record
    case 'refused':
      return record.life.kind === 'connecting' ? refused(record, event, chance) : record
    case 'lost':
      return record.life.kind === 'ready' ? lost(record, event.error, chance) : record
    case 'locked':
      return record.life.kind === 'ready' ? locked(record, event.error, chance) : record
    case 'silent':
      return record.life.kind === 'ready' ? silent(record, event.error, chance) : record
    case 'closed':
      return { ...record, life: idle, wantedSinceMs: undefined }
    case 'reset':
      return record.life.kind === 'ready' || record.life.kind === 'connecting' ? record : unborn
    default:
      return unreachable(event)
  }
}

function isWorthATry({ life }: LifeRecord, { nowMs }: Chance): boolean {
  switch (life.kind) {
    case 'idle':
    case 'needs_login':
      return true
    case 'failed':
      return nowMs - life.sinceMs >= cooldownMs
    case 'backing_off':
      // Nobody who asks waits for a delay that only keeps restarts of the same moment apart.
      return life.nextTryAtMs - nowMs <= scatterMs
    case 'connecting':
    case 'ready':
      return false
    default:
      return unreachable(life)
  }
}

function trying(record: LifeRecord, { nowMs }: Chance): LifeRecord {
  const isRestart = record.life.kind === 'backing_off'
  const recent = record.restartsAtMs.filter((atMs) => nowMs - atMs < minuteMs)
  const sinceMs = record.wantedSinceMs ?? nowMs
  return {
    ...record,
    life: { kind: 'connecting', sinceMs },
    restartsAtMs: isRestart ? [...recent, nowMs] : recent,
    wantedSinceMs: sinceMs,
  }
}

function opened(record: LifeRecord, { nowMs }: Chance): LifeRecord {
  return { ...record, life: { kind: 'ready', sinceMs: nowMs }, wantedSinceMs: undefined }
}

function refused(record: LifeRecord, { error, blame }: LifeEvent & { kind: 'refused' }, chance: Chance): LifeRecord {
  const { nowMs } = chance
  if (blame === 'login') return locked(record, error, chance)
  if (blame === 'for-good') return { ...record, life: { kind: 'failed', error, sinceMs: nowMs } }
  const failed = { ...record, failures: record.failures + 1 }
  return waiting(failed, error, nowMs + delayMs(failed, chance))
}

function locked(record: LifeRecord, error: CapstanError, { nowMs }: Chance): LifeRecord {
  return { ...record, life: { kind: 'needs_login', error, sinceMs: nowMs } }
}

/** One that had been well is back almost at once; one that keeps dying waits longer each time. */
function lost(record: LifeRecord, error: CapstanError, chance: Chance): LifeRecord {
  const { nowMs } = chance
  const livedMs = record.life.kind === 'ready' ? nowMs - record.life.sinceMs : 0
  const after = { ...record, failures: livedMs >= steadyMs || isFirst(record) ? 0 : record.failures + 1 }
  return waiting(after, error, nowMs + delayMs(after, chance))
}

/** The first loss tells nothing yet, however soon it comes: most often somebody killed it, or its host was restarted. */
function isFirst({ failures, restartsAtMs }: LifeRecord): boolean {
  return failures === 0 && restartsAtMs.length === 0
}

/** Longer than after a loss, because it was ended by us; but never against the budget of restarts. */
function silent(record: LifeRecord, error: CapstanError, chance: Chance): LifeRecord {
  return waiting(record, error, chance.nowMs + Math.max(silenceMs, delayMs(record, chance)))
}

function waiting(record: LifeRecord, error: CapstanError, nextTryAtMs: number): LifeRecord {
  return { ...record, life: { kind: 'backing_off', error, nextTryAtMs } }
}

function delayMs({ failures, restartsAtMs }: LifeRecord, { nowMs, random }: Chance): number {
  const recent = restartsAtMs.filter((atMs) => nowMs - atMs < minuteMs)
  if (recent.length >= restartsPerMinute) return longestDelayMs * (1 + random / 10)
  if (failures === 0) return random * scatterMs
  const base = Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1))
  return base * (0.8 + random * 0.4)
}
