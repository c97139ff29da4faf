import assert from 'node:assert/strict'
import { CapstanError } from '../../src/errors.ts'
import type { Hub, HubEvent, ServerState, ToolRef } from '../../src/hub/api.ts'
import { textOf } from '../hub/makers.ts'

/** An event and when it came. */
export interface Seen {
  readonly event: HubEvent
  readonly atMs: number
}

/** The events of a hub, those before the question too. */
export interface Observed {
  readonly all: readonly Seen[]
  /** The first event that fits and came after `sinceMs`. */
  readonly until: (what: string, fits: (event: HubEvent) => boolean, sinceMs?: number) => Promise<Seen>
  readonly untilState: (server: string, kind: ServerState['kind'], sinceMs?: number) => Promise<Seen>
}

const patienceMs = 60_000

export async function observe(hub: Hub): Promise<Observed> {
  const all: Seen[] = []
  const waiting = new Set<() => void>()
  hub.on((event) => {
    all.push({ event, atMs: performance.now() })
    waiting.forEach((look) => look())
  })
  // The other end of a socket has heard that we listen by the time it answers.
  await hub.servers()

  const until: Observed['until'] = (what, fits, sinceMs = 0) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(new Error(`waited in vain for ${what}`))), patienceMs)
      const look = () => {
        const seen = all.find(({ event, atMs }) => atMs >= sinceMs && fits(event))
        if (seen !== undefined) settle(() => resolve(seen))
      }
      const settle = (done: () => void) => {
        clearTimeout(timer)
        waiting.delete(look)
        done()
      }
      waiting.add(look)
      look()
    })

  return {
    all,
    until,
    untilState: (server, kind, sinceMs) =>
      until(
        `server "${server}" to be ${kind}`,
        (event) => event.kind === 'state' && event.server === server && event.state.kind === kind,
        sinceMs,
      ),
  }
}

/** Looks again and again, for what no event tells. */
export async function eventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now()
  while (!(await isSo())) {
    if (performance.now() - startedAt > patienceMs) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** The failure that a call must end with. */
export async function failureOf(call: Promise<unknown>): Promise<CapstanError> {
  const failure: unknown = await call.then(
    (value) => new Error(`it succeeded with ${JSON.stringify(value)?.slice(0, 200)}`),
    (error: unknown) => error,
  )
  assert.ok(failure instanceof CapstanError, `not an expected failure: ${String(failure)}`)
  return failure
}

export async function callText(hub: Hub, tool: ToolRef, args = {}): Promise<string> {
  return textOf(await hub.call(tool, args))
}

export async function stateOf(hub: Hub, server: string): Promise<ServerState | undefined> {
  return (await hub.servers()).find(({ name }) => name === server)?.state
}

/** A span of time as people say it. */
export function span(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

export function since(startedAtMs: number): string {
  return span(performance.now() - startedAtMs)
}
