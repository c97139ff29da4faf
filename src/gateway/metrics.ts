import type { ServerStatus } from '../hub/api.ts'
import type { AuditRecord } from './audit.ts'

/** What a monitor wants to know, in the text format of Prometheus. */
export interface Metrics {
  readonly count: (record: AuditRecord) => void
  readonly render: (now: Gauges) => string
}

/** What is true at the moment of looking. */
export interface Gauges {
  readonly statuses: readonly ServerStatus[]
  readonly requests: number
  readonly sessions: number
  readonly waitingCalls: number
}

const boundsSeconds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60] as const

interface Durations {
  /** How many calls took at most each bound. */
  readonly within: number[]
  seconds: number
  calls: number
}

export function makeMetrics(): Metrics {
  const calls = new Map<string, number>()
  const durations = new Map<string, Durations>()
  return {
    count({ server, via, outcome, ms }) {
      const labels = labelled({ server, via, outcome })
      calls.set(labels, (calls.get(labels) ?? 0) + 1)
      const own = durations.get(server) ?? { within: boundsSeconds.map(() => 0), seconds: 0, calls: 0 }
      durations.set(server, own)
      own.calls += 1
      own.seconds += ms / 1000
      boundsSeconds.forEach((bound, at) => {
        if (ms / 1000 <= bound) own.within[at] = (own.within[at] ?? 0) + 1
      })
    },
    render({ statuses, requests, sessions, waitingCalls }) {
      const family = (name: string, type: string, help: string, lines: readonly string[]) =>
        [`# HELP capstan_${name} ${help}`, `# TYPE capstan_${name} ${type}`, ...lines].join('\n')
      const single = (name: string, help: string, value: number) =>
        family(name, 'gauge', help, [`capstan_${name} ${value}`])
      return `${[
        family(
          'calls_total',
          'counter',
          'Tool calls, by server, way and outcome.',
          [...calls].map(([labels, value]) => `capstan_calls_total${labels} ${value}`),
        ),
        family('call_seconds', 'histogram', 'How long tool calls took.', [...durations].flatMap(histogram)),
        family(
          'server_state',
          'gauge',
          'The state that each server is in.',
          statuses.map(({ name, state }) => `capstan_server_state${labelled({ server: name, state: state.kind })} 1`),
        ),
        family(
          'server_restarts_total',
          'counter',
          'How often each server was started again.',
          statuses.map(
            ({ name, stats }) => `capstan_server_restarts_total${labelled({ server: name })} ${stats?.restarts ?? 0}`,
          ),
        ),
        single('requests_under_way', 'Requests that are being answered.', requests),
        single('sessions', 'Sessions of clients up to 2025-11-25.', sessions),
        single('waiting_calls', 'Calls that wait for an answer of their client.', waitingCalls),
      ].join('\n')}\n`
    },
  }
}

function histogram([server, { within, seconds, calls }]: readonly [string, Durations]): readonly string[] {
  const bucket = (bound: string, count: number) =>
    `capstan_call_seconds_bucket${labelled({ server, le: bound })} ${count}`
  return [
    ...boundsSeconds.map((bound, at) => bucket(String(bound), within[at] ?? 0)),
    bucket('+Inf', calls),
    `capstan_call_seconds_sum${labelled({ server })} ${seconds}`,
    `capstan_call_seconds_count${labelled({ server })} ${calls}`,
  ]
}

function labelled(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
