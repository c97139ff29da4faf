import assert from 'node:assert/strict'
import type { Hub } from '../../src/hub/api.ts'
import { callText, span } from './observe.ts'

export const mebibyte = 2 ** 20

/** Asks another server again and again until the work is over. Tells how often, and how long the slowest answer took. */
export async function answersMeanwhile(hub: Hub, work: Promise<unknown>): Promise<string> {
  const over = new AbortController()
  const end = () => over.abort()
  work.then(end, end)
  let count = 0
  let slowest = 0
  while (!over.signal.aborted) {
    const startedAt = performance.now()
    assert.equal(await callText(hub, { server: 'other', tool: 'look' }), 'look')
    slowest = Math.max(slowest, performance.now() - startedAt)
    count += 1
  }
  assert.ok(count > 0 && slowest < 5000, `${count} answers, the slowest after ${span(slowest)}`)
  return `${count} times, the slowest after ${span(slowest)}`
}

/** By how much this process has grown at most since then, looked at every 20 ms. */
export function memoryWatch(): { readonly grownBy: () => number } {
  const before = process.memoryUsage.rss()
  let most = before
  const look = () => void (most = Math.max(most, process.memoryUsage.rss()))
  const timer = setInterval(look, 20)
  return {
    grownBy() {
      look()
      clearInterval(timer)
      return most - before
    },
  }
}

export function mb(bytes: number): string {
  return `${Math.max(0, Math.round(bytes / 1e6))} MB`
}
