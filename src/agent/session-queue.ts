import type { QueueEntry, SessionEvent, SessionInput, SessionQueue, TurnOutcome } from './session.ts'

export interface QueueSetup {
  readonly run: (input: SessionInput) => Promise<TurnOutcome>
  readonly emit: (event: SessionEvent) => void
}

export interface RunningQueue {
  send(input: SessionInput): Promise<TurnOutcome>
  /** Runs something of another kind in a turn of its own, before what is queued. */
  exclusively(work: () => Promise<TurnOutcome>): Promise<TurnOutcome>
  isBusy(): boolean
  /** Drops what waits, and resolves when the turn under way has ended. */
  close(): Promise<void>
  readonly operations: SessionQueue
}

interface Waiting extends QueueEntry {
  readonly settle: (outcome: TurnOutcome) => void
  readonly reject: (error: unknown) => void
}

/** One turn at a time, in the order of sending. After a stop or a failure the rest is held, so that nothing runs unwanted. */
export function makeQueue({ run, emit }: QueueSetup): RunningQueue {
  let waiting: readonly Waiting[] = []
  let isHeld = false
  let isClosed = false
  let current: Promise<unknown> | undefined
  let count = 0
  let told = '[false,[]]'

  return {
    send(input) {
      if (isClosed) return Promise.resolve({ kind: 'dropped' })
      count += 1
      const id = `queued-${count}`
      return new Promise<TurnOutcome>((settle, reject) => {
        waiting = [...waiting, { id, text: input.text, input, settle, reject }]
        isHeld = false
        if (current === undefined) next()
        else tell()
      })
    },
    async exclusively(work) {
      if (current !== undefined) return { kind: 'dropped' }
      return await occupy(work())
    },
    isBusy: () => current !== undefined,
    async close() {
      isClosed = true
      for (const entry of waiting) entry.settle({ kind: 'dropped' })
      waiting = []
      await current?.catch(() => undefined)
    },
    operations: {
      entries: () => waiting.map(viewOf),
      take(id) {
        const entry = waiting.find((candidate) => candidate.id === id)
        if (entry === undefined) return undefined
        waiting = waiting.filter((candidate) => candidate.id !== id)
        entry.settle({ kind: 'dropped' })
        tell()
        return viewOf(entry)
      },
      replace(id, input) {
        if (!waiting.some((entry) => entry.id === id)) return false
        waiting = waiting.map((entry) => (entry.id === id ? { ...entry, input, text: input.text } : entry))
        tell()
        return true
      },
      resume() {
        isHeld = false
        if (current === undefined) next()
      },
    },
  }

  function next(): void {
    const [entry, ...rest] = waiting
    if (entry === undefined || isHeld || isClosed || current !== undefined) return
    waiting = rest
    tell()
    void occupy(run(entry.input)).then(entry.settle, entry.reject)
  }

  async function occupy(turn: Promise<TurnOutcome>): Promise<TurnOutcome> {
    current = turn
    try {
      const outcome = await turn
      isHeld = outcome.kind === 'stopped' || outcome.kind === 'failed'
      return outcome
    } catch (error) {
      isHeld = true
      throw error
    } finally {
      current = undefined
      if (waiting.length > 0) tell()
      // After whoever waited for this turn has heard of its end.
      queueMicrotask(next)
    }
  }

  /** What goes through without waiting is no news. */
  function tell(): void {
    const state = JSON.stringify([isHeld && waiting.length > 0, waiting.map(({ id, text }) => [id, text])])
    if (state === told) return
    told = state
    emit({ kind: 'queue', entries: waiting.map(viewOf), isHeld })
  }
}

function viewOf({ id, text, input }: Waiting): QueueEntry {
  return { id, text, input }
}
