import { CapstanError, messageOf, stopped } from '../../errors.ts'
import type { ListKind, LogLine } from '../api.ts'
import type { Connection } from '../wire/connection.ts'
import { isForGood } from '../wire/http-failure.ts'
import { nextLife, unborn, type Life, type LifeEvent, type LifeRecord } from './life.ts'
import { waitFor } from '../wait-for.ts'

/** What whoever opens a connection is told and tells. */
export interface OpenHooks {
  /** The start deadline, and the end of the copy. */
  readonly signal: AbortSignal
  readonly onLog: (source: LogLine['source'], text: string) => void
  readonly onListChanged: (kind: ListKind) => void
  readonly stderrTail: () => readonly string[]
}

export type OpenConnection = (hooks: OpenHooks) => Promise<Connection>

export interface CopySetup extends Omit<OpenHooks, 'signal'> {
  readonly name: string
  readonly startMs: number
  readonly open: OpenConnection
  /** Whether it is to be started again when it has ended by itself. */
  readonly isWanted: () => boolean
  /** Throws once it was closed for good: nobody who still waits may start it again. */
  readonly assertOpen: () => void
  readonly onChange: () => void
}

export interface Patience {
  readonly signal?: AbortSignal | undefined
  /** How long the next try may be away for the caller to wait for it. */
  readonly patienceMs: number
}

/** One copy of a server under supervision: connected when needed, noticed when it ends, started again with growing delays. */
export interface ServerCopy {
  readonly life: () => Life
  readonly failures: () => number
  /** What is at hand, and how long it took to connect. */
  readonly ready: () => { readonly connection: Connection; readonly connectMs: number } | undefined
  readonly starts: () => number
  readonly use: (patience: Patience) => Promise<Connection>
  /** Gives up on a connection that no longer answers, or that is of no use before somebody logs in. */
  readonly giveUp: (kind: 'silent' | 'locked', reason: CapstanError) => Promise<void>
  /** Forgets the failures of before: a person has done something about them. */
  readonly reset: () => void
  /** Ends what runs; the next use starts it anew. */
  readonly close: () => Promise<void>
}

const maxWaiting = 16

export function serverCopy(setup: CopySetup): ServerCopy {
  const { name } = setup
  /** The one in use, and those that only finish what is under way. */
  const connections = new Set<Connection>()
  let record: LifeRecord = unborn
  let ready: { readonly connection: Connection; readonly connectMs: number } | undefined
  let attempt: Promise<Connection> | undefined
  let ending = new AbortController()
  let changed = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  let gone: Promise<unknown> | undefined
  let waiting = 0
  let starts = 0

  return {
    life: () => record.life,
    failures: () => record.failures,
    ready: () => ready,
    starts: () => starts,
    use,
    giveUp,
    reset: () => step({ kind: 'reset' }),
    close,
  }

  async function giveUp(kind: 'silent' | 'locked', reason: CapstanError): Promise<void> {
    const closing = ready?.connection.close()
    ready = undefined
    gone = closing?.catch(() => {})
    step({ kind, error: reason })
    await closing
  }

  async function use(patience: Patience): Promise<Connection> {
    setup.assertOpen()
    step({ kind: 'needed' })
    // Not `attempt`: a connection may have come and gone while somebody waits for it.
    for (;;) {
      const { life } = record
      if (ready !== undefined) return ready.connection
      if (life.kind === 'connecting' && attempt !== undefined) {
        return waitFor(attempt, patience.signal, `server "${name}" to connect`)
      }
      if (life.kind === 'failed' || life.kind === 'needs_login') throw life.error
      if (life.kind === 'backing_off') await waitForTry(life, patience)
      setup.assertOpen()
      if (record.life.kind === 'idle') step({ kind: 'needed' })
    }
  }

  async function waitForTry(life: Life & { kind: 'backing_off' }, { signal, patienceMs }: Patience): Promise<void> {
    const waitMs = life.nextTryAtMs - Date.now()
    if (waitMs > patienceMs || waiting >= maxWaiting) throw isDown(life.error, waitMs)
    waiting += 1
    holdTimer()
    try {
      await waitFor(changed.promise, signal, `server "${name}" to come back`)
    } finally {
      waiting -= 1
      holdTimer()
    }
  }

  /** A program must not end while somebody waits for the next try, and need not stay for the sake of one that nobody waits for. */
  function holdTimer(): void {
    if (waiting > 0) timer?.ref()
    else timer?.unref()
  }

  function isDown(error: CapstanError, waitMs: number): CapstanError {
    const when = waitMs <= 1000 ? 'within a second' : `in ${Math.round(waitMs / 1000)} s`
    return new CapstanError(error.code, `${error.message} It is tried again ${when}.`, {
      server: name,
      cause: error,
      next: error.next ?? `Run: capstan doctor ${name}`,
    })
  }

  /** Takes a step and does what the new state calls for. */
  function step(event: LifeEvent): void {
    const before = record.life
    record = nextLife(record, event, { nowMs: Date.now(), random: Math.random() })
    if (record.life === before) return
    clearTimeout(timer)
    if (record.life.kind === 'connecting') {
      attempt = connect()
      // Who waits for it hears of its failure; perhaps nobody does.
      attempt.catch(() => {})
    }
    if (record.life.kind === 'backing_off') {
      timer = setTimeout(() => step({ kind: 'due' }), Math.max(0, record.life.nextTryAtMs - Date.now()))
      holdTimer()
    }
    setup.onChange()
    changed.resolve()
    changed = Promise.withResolvers()
  }

  async function connect(): Promise<Connection> {
    starts += 1
    const startedAt = performance.now()
    const { signal } = ending
    const { onLog, onListChanged, stderrTail } = setup
    try {
      // Two at once would fight over the same files and ports.
      await gone
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(setup.startMs)])
      const connection = await setup.open({ signal: deadline, onLog, onListChanged, stderrTail })
      connections.add(connection)
      void connection.ended.then(() => connections.delete(connection))
      void connection.closed.then(() => hasEnded(connection))
      ready = { connection, connectMs: performance.now() - startedAt }
      step({ kind: 'opened' })
      return connection
    } catch (error) {
      const failure = signal.aborted ? stopped(signal, `server "${name}"`, name) : asExpected(error)
      step(signal.aborted ? { kind: 'closed' } : { kind: 'refused', error: failure, blame: blameFor(failure) })
      throw failure
    }
  }

  function hasEnded(connection: Connection): void {
    // Already replaced, or given up by us.
    if (ready?.connection !== connection) return
    ready = undefined
    const { transport, pid } = connection
    setup.onLog('hub', `The connection (${transport}${pid === undefined ? '' : `, pid ${pid}`}) has ended.`)
    step(setup.isWanted() ? { kind: 'lost', error: endedByItself(connection) } : { kind: 'closed' })
  }

  function endedByItself({ transport }: Connection): CapstanError {
    const what = transport === 'stdio' ? `Server "${name}" ended by itself.` : `Server "${name}" broke off.`
    const words = setup.stderrTail().at(-1)
    const message = words === undefined ? what : `${what} Its last words: ${words.replace(/\.?$/, '.')}`
    return new CapstanError('transport_failed', message, { server: name, next: `Run: capstan logs ${name}` })
  }

  async function close(): Promise<void> {
    ready = undefined
    ending.abort(new CapstanError('cancelled', `Server "${name}" was stopped.`, { server: name }))
    ending = new AbortController()
    const closing = endAll(attempt)
    gone = closing
    step({ kind: 'closed' })
    await closing
  }

  async function endAll(underWay: Promise<Connection> | undefined): Promise<void> {
    await underWay?.catch(() => undefined)
    const closings = await Promise.allSettled([...connections].map((connection) => connection.close()))
    for (const closed of closings) {
      if (closed.status === 'rejected')
        setup.onLog('hub', `A connection did not close cleanly: ${messageOf(closed.reason)}`)
    }
  }

  function asExpected(error: unknown): CapstanError {
    if (error instanceof CapstanError) return error
    const message = `Server "${name}" failed: ${messageOf(error)}`
    return new CapstanError('transport_failed', message, { server: name, cause: error })
  }
}

function blameFor(error: CapstanError): (LifeEvent & { kind: 'refused' })['blame'] {
  if (error.code === 'login_needed') return 'login'
  return isForGood(error) ? 'for-good' : 'passing'
}
