import type { Gateway } from '../gateway/gateway.ts'
import { readAddress } from '../gateway/http/address.ts'
import { makeIdentify } from '../gateway/http/keys.ts'
import { defaultLimits, type HttpLimits } from '../gateway/http/limits.ts'
import { listenHttp, type DoorRules, type HttpDoor } from '../gateway/http/listen.ts'
import { monitorPages } from '../gateway/http/pages.ts'
import type { Metrics } from '../gateway/metrics.ts'
import type { CommandContext } from './command.ts'
import type { GatewayHubs } from './gateway-hubs.ts'
import { allCallers, endedCallers, type GatewayRules } from './gateway-rules.ts'
import type { ServeWishes } from './serve-wishes.ts'

/** How clients get to the gateway. */
export interface Entry extends AsyncDisposable {
  /** Other rules, for the next request. */
  readonly take: (next: GatewayRules, before: GatewayRules) => Promise<void>
  /** Serves until the client hangs up, or the signal comes. */
  readonly served: () => Promise<void>
}

export interface Serving {
  readonly gateway: Gateway
  readonly context: CommandContext
  readonly rules: GatewayRules
  readonly note: (text: string) => void
}

export interface ServingHttp extends Serving {
  readonly http: string
  readonly wishes: ServeWishes
  readonly hubs: GatewayHubs
  readonly metrics: Metrics
}

const drainMs = 10_000

/** Listens for clients. Once it has asked for a key it never goes without. */
export async function openHttpEntry(serving: ServingHttp): Promise<Entry> {
  const { gateway, context, rules, http, wishes, hubs, metrics, note } = serving
  const { io, signal } = context
  let wantsKey = rules.callers.keys.length > 0
  let opened: HttpDoor | undefined
  const counts = () => ({ ...(opened?.counts() ?? { requests: 0, sessions: 0 }), waitingCalls: gateway.waitingCount() })
  const door = await listenHttp(gateway, {
    ...doorRules(rules),
    address: readAddress(http),
    hasKeys: wantsKey,
    page: monitorPages({ view: () => gateway.viewFor(rules.callers.anybody), metrics, counts }),
    note,
  })
  opened = door
  await io.out(`${door.url}/mcp\n`)
  return {
    async take(next, before) {
      wantsKey ||= next.callers.keys.length > 0
      door.take(doorRules(next))
      allCallers(next).forEach(gateway.takeCaller)
      if (wantsKey && next.callers.keys.length === 0)
        note('No key is left, so nobody can come in. To serve whoever can reach this address: restart needed.')
      await Promise.all(endedCallers(before, next).map(endCaller))
    },
    async served() {
      await aborted(signal)
      note('The gateway ends: no new requests are taken.')
      await door.drain(drainMs)
    },
    [Symbol.asyncDispose]: () => door[Symbol.asyncDispose](),
  }

  async function endCaller(name: string): Promise<void> {
    await door.end(name)
    gateway.endCaller(name)
    await hubs.end(name)
  }

  function doorRules({ settings, callers }: GatewayRules): DoorRules {
    return {
      identify: makeIdentify(callers.keys, wantsKey ? undefined : callers.anybody),
      hosts: [...wishes.hosts, ...(settings.hosts ?? [])],
      origins: [...wishes.origins, ...(settings.origins ?? [])],
      limits: limitsOf({ settings, callers }),
    }
  }
}

/** All clients of one's own machine are one caller. */
const localRequestsPerMinute = 60_000

function limitsOf({ settings: { requestsPerMinute, bodyBytes }, callers }: GatewayRules): HttpLimits {
  return {
    ...defaultLimits,
    ...(callers.keys.length === 0 ? { requestsPerMinute: localRequestsPerMinute } : {}),
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(bodyBytes === undefined ? {} : { bodyBytes }),
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
