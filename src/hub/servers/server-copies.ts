import { CapstanError, messageOf } from '../../errors.ts'
import type { ListKind, LogLine, ServerState } from '../api.ts'
import type { Connection } from '../wire/connection.ts'
import { serverCopy, type OpenConnection, type Patience, type ServerCopy } from './server-copy.ts'
import { stateOfCopies } from './server-state.ts'

/** The copies of one server behind one face: each request goes to the one with the least to do. */
export interface ServerCopies {
  readonly state: () => ServerState
  readonly counts: () => CopyCounts
  readonly lastError: () => string | undefined
  readonly reach: (sender: Sender) => Promise<Reached>
  /** Sends over a copy. What did not run, or may run twice without harm, is sent once more when a connection breaks. */
  readonly send: <Value>(sender: Sender, work: (live: Connection) => Promise<Value>) => Promise<Value>
  readonly reset: () => void
  /** Ends them all; the next use starts them anew. */
  readonly close: () => Promise<void>
  /** Ends them all and connects anew, with a clean slate. */
  readonly restart: () => Promise<void>
}

export interface CopyCounts {
  readonly all: number
  readonly ready: number
  readonly restarts: number
}

/** Who sends, and what that means for the choice of a copy and for a second try. */
export interface Sender extends Patience {
  /** Whether the server may get the request twice. */
  readonly isHarmless: boolean
  /** The copy that holds this sender's session, by whatever the last request came back with. */
  readonly session: { copy: Copy | undefined }
}

/** A place at a copy, held until it is disposed of. */
interface Reached extends Disposable {
  readonly copy: Copy
  readonly connection: Connection
}

export interface CopiesSetup {
  readonly name: string
  readonly opens: readonly OpenConnection[]
  readonly startMs: number
  /** Whether a call that may have been received is sent again when its tool says that this does no harm. */
  readonly retry: 'safe' | 'never'
  readonly isWanted: () => boolean
  readonly assertOpen: () => void
  readonly onLog: (source: LogLine['source'], text: string) => void
  readonly onListChanged: (kind: ListKind) => void
  readonly stderrTail: () => readonly string[]
  /** A copy has another state than before. */
  readonly onChange: (copy: ServerCopy) => void
}

export interface Copy extends ServerCopy {
  /** Requests under way. */
  outstanding: number
  /** Calls in a row that got no answer. */
  silent: number
}

/** A server that gives no answer to so many calls in a row is given up and started anew. */
const silentCalls = 5

export function serverCopies(setup: CopiesSetup): ServerCopies {
  const { name, opens, retry, onLog, stderrTail } = setup
  let lastError: string | undefined
  const copies: readonly Copy[] = opens.map((open) => {
    const copy = serverCopy({ ...setup, open, onChange: () => hasChanged(copy) })
    return { ...copy, outstanding: 0, silent: 0 }
  })

  return {
    state: () => stateOfCopies(copies, stderrTail()),
    counts: () => countsOf(copies),
    lastError: () => lastError,
    reach,
    send,
    reset: () => copies.forEach((copy) => copy.reset()),
    close,
    async restart() {
      await close()
      copies.forEach((copy) => copy.reset())
      await Promise.all(copies.map((copy) => copy.use({ patienceMs: 0 })))
    },
  }

  async function close(): Promise<void> {
    await Promise.all(copies.map((copy) => copy.close()))
  }

  function hasChanged(copy: ServerCopy): void {
    const life = copy.life()
    if ('error' in life) lastError = life.error.message
    setup.onChange(copy)
  }

  async function send<Value>(sender: Sender, work: (live: Connection) => Promise<Value>): Promise<Value> {
    const first = await sendOnce(sender, work)
    if (first.kind === 'answered') return first.value
    const mayRepeat = first.wasNotRun || (sender.isHarmless && retry === 'safe')
    if (!mayRepeat || sender.signal?.aborted) throw first.error
    onLog('hub', `Sent once more, because ${first.wasNotRun ? 'it was not run' : 'that does no harm'}.`)
    const second = await sendOnce(sender, work)
    if (second.kind === 'answered') return second.value
    throw second.error
  }

  async function sendOnce<Value>(sender: Sender, work: (live: Connection) => Promise<Value>): Promise<Sent<Value>> {
    using reached = await reach(sender)
    const { copy, connection } = reached
    try {
      const value = await work(connection)
      copy.silent = 0
      return { kind: 'answered', value }
    } catch (error) {
      noteFailure(copy, error)
      const isLost = error instanceof CapstanError && ['outcome_unknown', 'transport_failed'].includes(error.code)
      if (isLost) return { kind: 'broken', error, wasNotRun: connection.wasNotRun(error) }
      throw error
    }
  }

  /** A copy that cannot be reached has got nothing, so the next one is tried. */
  async function reach(sender: Sender): Promise<Reached> {
    const [first, ...others] = inOrderOfChoice(copies, sender.session.copy)
    if (first === undefined) throw new Error(`server "${name}" has no copies`)
    try {
      return await reachCopy(first, sender)
    } catch (error) {
      for (const copy of others) {
        if (sender.signal?.aborted) break
        const reached = await reachCopy(copy, { ...sender, patienceMs: 0 }).catch(() => undefined)
        if (reached !== undefined) return reached
      }
      throw error
    }
  }

  async function reachCopy(copy: Copy, { session, ...patience }: Sender): Promise<Reached> {
    const leave = () => void (copy.outstanding -= 1)
    // Counted before the first wait: requests of the same moment must not all choose the same copy.
    copy.outstanding += 1
    try {
      const connection = await copy.use(patience)
      if (!connection.hasSession) session.copy = undefined
      else if (session.copy === undefined || isDown(session.copy)) session.copy = copy
      return { copy, connection, [Symbol.dispose]: leave }
    } catch (error) {
      leave()
      throw error
    }
  }

  function noteFailure(copy: Copy, error: unknown): void {
    // Who gives up says nothing about the server.
    if (error instanceof CapstanError && error.code === 'cancelled') return
    lastError = messageOf(error)
    if (error instanceof CapstanError && error.code === 'login_needed') return void copy.giveUp('locked', error)
    copy.silent = error instanceof CapstanError && error.code === 'timed_out' ? copy.silent + 1 : 0
    if (copy.silent < silentCalls) return
    copy.silent = 0
    const message = `Server "${name}" gave no answer to ${silentCalls} calls in a row, so it was ended.`
    onLog('hub', message)
    void copy.giveUp('silent', new CapstanError('timed_out', message, { server: name, cause: error }))
  }
}

type Sent<Value> =
  | { readonly kind: 'answered'; readonly value: Value }
  | { readonly kind: 'broken'; readonly error: CapstanError; readonly wasNotRun: boolean }

/** A session stays where it is. Else: not one that is known to be down, then the least to do, then one that is ready. */
export function inOrderOfChoice(copies: readonly Copy[], own: Copy | undefined): readonly Copy[] {
  if (copies.length === 1) return copies
  const rank = (copy: Copy) => [
    isDown(copy) ? 1 : 0,
    copy === own ? 0 : 1,
    copy.outstanding,
    copy.life().kind === 'ready' ? 0 : 1,
  ]
  return copies.toSorted((a, b) => {
    const [ranksA, ranksB] = [rank(a), rank(b)]
    const differs = ranksA.findIndex((value, index) => value !== ranksB[index])
    return differs === -1 ? 0 : (ranksA[differs] ?? 0) - (ranksB[differs] ?? 0)
  })
}

function isDown(copy: Copy): boolean {
  const { kind } = copy.life()
  return kind === 'backing_off' || kind === 'failed' || kind === 'needs_login'
}

function countsOf(copies: readonly Copy[]): CopyCounts {
  const starts = copies.map((copy) => copy.starts())
  return {
    all: copies.length,
    ready: copies.filter((copy) => copy.ready() !== undefined).length,
    restarts: starts.reduce((sum, count) => sum + Math.max(0, count - 1), 0),
  }
}
