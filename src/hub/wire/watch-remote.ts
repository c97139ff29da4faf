/** How often a remote connection is looked at, and by which clock. */
export interface RemoteWatch {
  readonly everyMs: number
  /** After so long without a word from the server it is asked whether it is still there. */
  readonly quietMs: number
  readonly answerMs: number
  /** The time of day: unlike a timer's it goes on while the machine sleeps. */
  readonly now: () => number
}

export const defaultRemoteWatch: RemoteWatch = { everyMs: 2000, quietMs: 60_000, answerMs: 5000, now: Date.now }

interface Watched {
  readonly watch: RemoteWatch
  /** Asks for any answer. */
  readonly ping: (signal: AbortSignal) => Promise<void>
  /** Requests are under way: a server that is at work may be deaf, and their own limits hold. */
  readonly isBusy: () => boolean
  readonly onDead: (reason: string) => void
  readonly ended: Promise<void>
}

/**
 * Finds connections that are open on our side only: behind a proxy that fell silent, or after this machine has slept. Nothing
 * would ever come over them, and no call would know before its own limit.
 */
export function watchRemote({ watch, ping, isBusy, onDead, ended }: Watched): { readonly heard: () => void } {
  let heardAtMs = watch.now()
  let lookedAtMs = watch.now()
  let isAsking = false
  const timer = setInterval(() => void look(), watch.everyMs)
  timer.unref()
  void ended.then(() => clearInterval(timer))

  return {
    heard() {
      heardAtMs = watch.now()
    },
  }

  async function look(): Promise<void> {
    const nowMs = watch.now()
    const hasSlept = nowMs - lookedAtMs > watch.everyMs * 5
    lookedAtMs = nowMs
    const isQuiet = nowMs - heardAtMs > watch.quietMs && !isBusy()
    if (isAsking || !(hasSlept || isQuiet)) return
    isAsking = true
    try {
      await ping(AbortSignal.timeout(watch.answerMs))
      heardAtMs = watch.now()
    } catch {
      clearInterval(timer)
      onDead(hasSlept ? 'it did not survive a sleep of this machine' : 'it has fallen silent')
    } finally {
      isAsking = false
    }
  }
}
