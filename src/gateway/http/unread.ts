import type { ServerResponse } from 'node:http'
import type { HttpLimits } from './limits.ts'

/** Answers that wait for their clients to read them. What nobody reads would be kept for ever, so those clients are cut off. */
export interface UnreadAnswers {
  /** Waits until the client has read what was written, or has gone. */
  readonly drained: (response: ServerResponse) => Promise<void>
}

export interface UnreadSetup {
  readonly limits: Pick<HttpLimits, 'unreadBytes' | 'unreadMs'>
  readonly note: (text: string) => void
}

export function unreadAnswers({ limits: { unreadBytes, unreadMs }, note }: UnreadSetup): UnreadAnswers {
  /** With what is left of each; who waits longest comes first. */
  const waiting = new Map<ServerResponse, number>()
  return {
    async drained(response) {
      const isKnown = waiting.has(response)
      waiting.set(response, response.writableLength)
      makeRoom()
      if (isKnown) return drainedOrClosed(response)
      const { socket } = response
      const tooLong = () => cutOff(response, `nothing of it for ${unreadMs / 1000} s`)
      // Node begins anew as long as some of it gets through.
      socket?.setTimeout(unreadMs).once('timeout', tooLong)
      await drainedOrClosed(response)
      socket?.setTimeout(0).off('timeout', tooLong)
      waiting.delete(response)
    },
  }

  function makeRoom(): void {
    let kept = [...waiting.values()].reduce((sum, bytes) => sum + bytes, 0)
    for (const [response, bytes] of waiting) {
      if (kept <= unreadBytes) return
      kept -= bytes
      cutOff(response, 'it too slowly while much was kept')
    }
  }

  function cutOff(response: ServerResponse, how: string): void {
    waiting.delete(response)
    note(`A client was cut off: an answer was there, and it read ${how}.`)
    response.destroy()
  }
}

function drainedOrClosed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve()
    const go = () => {
      response.off('drain', go)
      response.off('close', go)
      resolve()
    }
    response.on('drain', go)
    response.on('close', go)
  })
}
