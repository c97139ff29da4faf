import { setTimeout as pause } from 'node:timers/promises'
import type { RawClient } from './client.ts'
import type { Way } from './ways.ts'

const patienceMs = 20_000

/** How long after the server was killed a call came through, in ms; undefined if none did in time. */
export interface Recovery {
  readonly sameClient: number | undefined
  readonly newClient: number | undefined
}

/** Kills the server behind a gateway as a crash would, and calls until it answers again. */
export async function recoveryOf(way: Way): Promise<Recovery> {
  using client = await way.connect()
  process.kill(Number(await client.call(way.tool('pid'), {})), 'SIGKILL')
  const killedAtMs = performance.now()
  const sameClient = untilPid(killedAtMs, () => within(client.call(way.tool('pid'), {})))
  const newClient = untilPid(killedAtMs, () => within(callOfNewClient(way)))
  return { sameClient: await sameClient, newClient: await newClient }
}

async function callOfNewClient(way: Way): Promise<string> {
  using client: RawClient = await way.connect()
  return await client.call(way.tool('pid'), {})
}

async function untilPid(killedAtMs: number, call: () => Promise<string>): Promise<number | undefined> {
  while (performance.now() - killedAtMs < patienceMs) {
    try {
      await call()
      return performance.now() - killedAtMs
    } catch {
      // Still gone: that is what is being timed.
      await pause(100)
    }
  }
  return undefined
}

/** A gateway that leaves a call without an answer must not stop the clock. */
async function within(call: Promise<string>): Promise<string> {
  const leaving = new AbortController()
  const late = pause(3000, undefined, { signal: leaving.signal }).then(() => Promise.reject(new Error('too late')))
  try {
    return await Promise.race([call, late])
  } finally {
    leaving.abort()
  }
}
