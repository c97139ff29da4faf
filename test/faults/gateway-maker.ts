import { defaultLimits, type HttpLimits } from '../../src/gateway/http/limits.ts'
import { openHttpBench, type EraName } from '../gateway/doors.ts'
import type { Maker } from '../hub/makers.ts'
import { hubThroughGateway } from './gateway-client.ts'

/** How much is let in at once is a matter of its own; here it must not stand before what a fault is about. */
const wideOpen: HttpLimits = {
  ...defaultLimits,
  connections: 4096,
  requests: 4096,
  requestsOfOne: 4096,
  requestsPerMinute: 10_000_000,
}

/**
 * A third way to a Hub, for the faults: an ordinary client of the given era, over HTTP, of a gateway in front of the hub.
 * Calls and lists go through it; what a client cannot ask (states, logs, a restart) is asked of the hub behind it.
 */
export function gatewayMaker(era: EraName): Maker {
  return async (servers, options) => {
    const bench = await openHttpBench(servers, {
      limits: wideOpen,
      ...(options === undefined ? {} : { hubOptions: options }),
    })
    const client = hubThroughGateway(bench.hub, { url: bench.url, era })
    return {
      ...client,
      home: bench.hub.home,
      async [Symbol.asyncDispose]() {
        await client[Symbol.asyncDispose]()
        await bench[Symbol.asyncDispose]()
        const bug = bench.notes.find((text) => text.startsWith('A bug'))
        if (bug !== undefined) throw new Error(bug)
      },
    }
  }
}
