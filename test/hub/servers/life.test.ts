import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CapstanError } from '../../../src/errors.ts'
import {
  nextLife,
  unborn,
  type Chance,
  type Life,
  type LifeEvent,
  type LifeRecord,
} from '../../../src/hub/servers/life.ts'

const error = new CapstanError('transport_failed', 'It broke.')
const minuteMs = 60_000
/** Far enough from the beginning that everything with a waiting time has had it. */
const later: Chance = { nowMs: 10 * minuteMs, random: 0.5 }

const lives: readonly Life[] = [
  { kind: 'idle' },
  { kind: 'connecting', sinceMs: 0 },
  { kind: 'ready', sinceMs: 0 },
  { kind: 'backing_off', error, nextTryAtMs: 0 },
  { kind: 'needs_login', error, sinceMs: 0 },
  { kind: 'failed', error, sinceMs: 0 },
]

const events: Readonly<Record<string, LifeEvent>> = {
  needed: { kind: 'needed' },
  opened: { kind: 'opened' },
  'refused, passing': { kind: 'refused', error, blame: 'passing' },
  'refused, login': { kind: 'refused', error, blame: 'login' },
  'refused, for good': { kind: 'refused', error, blame: 'for-good' },
  lost: { kind: 'lost', error },
  locked: { kind: 'locked', error },
  silent: { kind: 'silent', error },
  due: { kind: 'due' },
  closed: { kind: 'closed' },
  reset: { kind: 'reset' },
}

function recordOf(life: Life, more: Partial<LifeRecord> = {}): LifeRecord {
  return { ...unborn, ...more, life }
}

describe('the table in docs/reliability.md', () => {
  const rows = tableRows(readFileSync('docs/reliability.md', 'utf8'), 'event')
  const [header, ...body] = rows

  test('has a column for every state and a row for every event', () => {
    expect(header?.slice(1)).toEqual(lives.map(({ kind }) => kind))
    expect(body.map(([event]) => event)).toEqual(Object.keys(events))
  })

  test.each(body)('%s leads where it says from every state', (name = '', ...cells) => {
    const event = events[name] ?? { kind: 'needed' }

    const next = lives.map((life) => nextLife(recordOf(life), event, later).life)

    // A note in brackets says on which condition.
    const said = cells.map((cell) => cell.replace(/ \(.*\)$/, ''))
    expect(next.map((life, index) => (life.kind === lives[index]?.kind ? '–' : life.kind))).toEqual(said)
  })
})

test.each(['closed', 'reset'] as const)('what is idle already is not changed when it is %s', (kind) => {
  const closed = nextLife(recordOf({ kind: 'ready', sinceMs: 0 }), { kind: 'closed' }, later)

  expect(nextLife(closed, { kind }, later).life).toBe(closed.life)
})

describe('who asks for a server', () => {
  test('finds a permanent failure as it was for 5 s, and has it tried again after that', () => {
    const failed = recordOf({ kind: 'failed', error, sinceMs: 1000 })

    expect(nextLife(failed, { kind: 'needed' }, { nowMs: 5999, random: 0 })).toBe(failed)
    expect(nextLife(failed, { kind: 'needed' }, { nowMs: 6000, random: 0 }).life.kind).toBe('connecting')
  })

  test('does not hurry a server that backs off, but does not wait for the last 50 ms either', () => {
    const waiting = recordOf({ kind: 'backing_off', error, nextTryAtMs: 2000 })

    expect(nextLife(waiting, { kind: 'needed' }, { nowMs: 1949, random: 0 })).toBe(waiting)
    expect(nextLife(waiting, { kind: 'needed' }, { nowMs: 1950, random: 0 }).life.kind).toBe('connecting')
  })
})

describe('the delay before the next try', () => {
  const delayAfter = (record: LifeRecord, event: LifeEvent, chance: Chance): number => {
    const { life } = nextLife(record, event, chance)
    return life.kind === 'backing_off' ? life.nextTryAtMs - chance.nowMs : Number.NaN
  }

  test.each([
    [0, 1000],
    [1, 2000],
    [2, 4000],
    [3, 8000],
    [4, 16_000],
    [5, 32_000],
    [6, 60_000],
    [40, 60_000],
  ])('after %i failures and one more is %i ms, give or take a fifth', (failures, ms) => {
    const record = recordOf({ kind: 'connecting', sinceMs: 0 }, { failures })
    const event = { kind: 'refused', error, blame: 'passing' } as const

    expect(delayAfter(record, event, { nowMs: 0, random: 0 })).toBeCloseTo(ms * 0.8)
    expect(delayAfter(record, event, { nowMs: 0, random: 1 })).toBeCloseTo(ms * 1.2)
  })

  test('of one that was well for 10 s, or lost for the first time, is next to nothing', () => {
    const wasWell = recordOf({ kind: 'ready', sinceMs: 0 }, { failures: 7, restartsAtMs: [0] })
    const isNew = recordOf({ kind: 'ready', sinceMs: 9999 })

    expect(delayAfter(wasWell, { kind: 'lost', error }, { nowMs: 10_000, random: 1 })).toBe(50)
    expect(delayAfter(isNew, { kind: 'lost', error }, { nowMs: 10_000, random: 1 })).toBe(50)
  })

  test('of one that dies again right after its restart grows', () => {
    const again = recordOf({ kind: 'ready', sinceMs: 5000 }, { failures: 1, restartsAtMs: [4000] })

    expect(delayAfter(again, { kind: 'lost', error }, { nowMs: 6000, random: 0.5 })).toBe(2000)
  })

  test('of one that fell silent is half a minute', () => {
    const silent = recordOf({ kind: 'ready', sinceMs: 0 })

    expect(delayAfter(silent, { kind: 'silent', error }, { nowMs: 5000, random: 0.5 })).toBe(30_000)
  })

  test.each(['lost', 'silent'] as const)('of one that used up its restarts is a minute, also when it is %s', (kind) => {
    const restartsAtMs = [1000, 2000, 3000, 4000, 5000]
    const spent = recordOf({ kind: 'ready', sinceMs: 5000 }, { restartsAtMs })

    expect(delayAfter(spent, { kind, error }, { nowMs: 6000, random: 0 })).toBe(60_000)
  })
})

describe('whatever happens', () => {
  test('the next try is never more than 72 s away', () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const { record, nowMs } of lived(history)) {
          if (record.life.kind !== 'backing_off') continue
          expect(record.life.nextTryAtMs - nowMs).toBeGreaterThanOrEqual(0)
          expect(record.life.nextTryAtMs - nowMs).toBeLessThanOrEqual(72_000)
        }
      }),
    )
  })

  test('there are at most 5 restarts in any minute', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const restarts = lived(history).flatMap(({ wasRestart, nowMs }) => (wasRestart ? [nowMs] : []))

        const tooMany = restarts.filter((atMs, index) => atMs - (restarts[index - 5] ?? -Infinity) < minuteMs)

        expect(tooMany).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test('no state is the end: a minute and a half later it can be had again', () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const { record, nowMs } of lived(history)) {
          const { life } = nextLife(record, { kind: 'needed' }, { nowMs: nowMs + 1.5 * minuteMs, random: 0.5 })
          expect(['connecting', 'ready']).toContain(life.kind)
        }
      }),
    )
  })
})

/** What befalls a server, and how long after the last event. Trying again comes by itself. */
const histories = fc.array(
  fc.record({
    name: fc.constantFrom(...Object.keys(events).filter((name) => !['due', 'reset', 'closed'].includes(name))),
    afterMs: fc.integer({ min: 0, max: 15_000 }),
    random: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { maxLength: 60 },
)

interface Moment {
  readonly record: LifeRecord
  readonly nowMs: number
  readonly wasRestart: boolean
}

function lived(history: readonly { readonly name: string; readonly afterMs: number; readonly random: number }[]) {
  const moments: Moment[] = []
  let record = unborn
  let nowMs = 0
  const step = (event: LifeEvent, random: number) => {
    const before = record.life
    record = nextLife(record, event, { nowMs, random })
    moments.push({ record, nowMs, wasRestart: before.kind === 'backing_off' && record.life.kind === 'connecting' })
  }
  for (const { name, afterMs, random } of history) {
    const until = nowMs + afterMs
    if (record.life.kind === 'backing_off' && record.life.nextTryAtMs <= until) {
      nowMs = record.life.nextTryAtMs
      step({ kind: 'due' }, random)
    }
    nowMs = until
    step(events[name] ?? { kind: 'needed' }, random)
  }
  return moments
}

/** The rows of the Markdown table whose first column bears this name. */
function tableRows(text: string, firstColumn: string): readonly string[][] {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${firstColumn} |`))
  const table = lines.slice(start).slice(
    0,
    lines.slice(start).findIndex((line) => !line.startsWith('|')),
  )
  return table
    .filter((_, index) => index !== 1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    )
}
