import type { Metrics } from '../metrics.ts'
import type { View } from '../view.ts'
import type { Page } from './listen.ts'

export interface PagesSetup {
  readonly view: () => View
  readonly metrics: Metrics
  readonly counts: () => { readonly requests: number; readonly sessions: number; readonly waitingCalls: number }
}

const readyMs = 3000

/** What monitors ask for. `/healthz`: this process answers. `/readyz`: the hub behind it does too. `/metrics`: how it goes. */
export function monitorPages({ view, metrics, counts }: PagesSetup): (path: string) => Promise<Page | undefined> {
  return async (path) => {
    if (path === '/healthz') return text(200, 'ok')
    if (path === '/readyz')
      return (await statuses()) === undefined ? text(503, 'the hub does not answer') : text(200, 'ok')
    if (path !== '/metrics') return undefined
    const known = (await statuses()) ?? []
    const body = metrics.render({ statuses: known, ...counts() })
    return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', text: body, isPublic: false }
  }

  async function statuses() {
    // Whoever asks wants to hear soon; why the hub does not answer is in the log.
    return view()
      .hub.servers({ signal: AbortSignal.timeout(readyMs) })
      .catch(() => undefined)
  }
}

function text(status: number, words: string): Page {
  return { status, type: 'text/plain; charset=utf-8', text: `${words}\n`, isPublic: true }
}
