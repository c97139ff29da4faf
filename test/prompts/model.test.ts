import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CapstanError } from '../../src/errors.ts'
import { openPromptStore } from '../../src/prompts/open-store.ts'
import type { PromptStore } from '../../src/prompts/store.ts'
import { failingDisk } from '../files/failing-disk.ts'
import { textOf, textsOf } from './library.ts'
import { promptOf } from './makers.ts'

/** What a store must do, in the simplest words: the past of each name, and where its labels point. */
interface Model {
  readonly prompts: Map<string, readonly (string | undefined)[]>
  readonly labels: Map<string, string | undefined>
}

type Operation =
  | { readonly kind: 'put'; readonly name: string; readonly text: string }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'rename'; readonly name: string; readonly to: string }
  | { readonly kind: 'label'; readonly name: string }
  | { readonly kind: 'restore'; readonly name: string; readonly back: number }
  | { readonly kind: 'compact' }
  | { readonly kind: 'reopen' }

const name = fc.constantFrom('a', 'b', 'c')
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('put' as const), name, text: fc.constantFrom('1', '2', '3', '4') }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), name, to: name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('label' as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const), name, back: fc.nat({ max: 4 }) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'compact' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reopen' as const }) },
)

test('any sequence of changes, compactions and fresh starts gives what a Map would', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 30 }), async (operations) => {
      const { disk } = failingDisk()
      const open = () => openPromptStore({ layers: [{ name: 'user', kind: 'user', file: '/x/user.jsonl' }], disk })
      const model: Model = { prompts: new Map(), labels: new Map() }
      let store = open()

      for (const one of operations) {
        if (one.kind === 'reopen') store = open()
        else {
          const isDone = await apply(store, one)
          expect(isDone).toBe(applyToModel(model, one))
        }
        await compare(store, model)
      }
    }),
    { numRuns: 150 },
  )
})

/** Whether the store agreed to it. */
async function apply(store: PromptStore, one: Exclude<Operation, { kind: 'reopen' }>): Promise<boolean> {
  try {
    if (one.kind === 'put') await store.put(promptOf(one.name, one.text))
    else if (one.kind === 'remove') await store.remove(one.name)
    else if (one.kind === 'rename') await store.rename(one.name, one.to)
    else if (one.kind === 'label') await store.label(one.name, 'production')
    else if (one.kind === 'restore') await restore(store, one)
    else await store.compact()
    return true
  } catch (error) {
    if (error instanceof CapstanError) return false
    throw error
  }
}

async function restore(store: PromptStore, { name: wanted, back }: { name: string; back: number }): Promise<void> {
  const past = await store.history(wanted)
  const revision = past[Math.min(back, past.length - 1)]
  await store.restore(wanted, revision?.revision ?? 0)
}

function applyToModel({ prompts, labels }: Model, one: Exclude<Operation, { kind: 'reopen' }>): boolean {
  if (one.kind === 'compact') return true
  const named = one.name
  const past = prompts.get(named) ?? []
  const now = past.at(-1)
  if (one.kind === 'put') return push(one.text)
  if (one.kind === 'restore') {
    const text = past.at(-1 - Math.min(one.back, past.length - 1))
    return text !== undefined && push(text)
  }
  if (now === undefined) return false
  if (one.kind === 'remove') prompts.set(one.name, [...past, undefined])
  else if (one.kind === 'label') labels.set(one.name, now)
  else if (one.to !== one.name) {
    const there = prompts.get(one.to) ?? []
    if (there.at(-1) !== undefined) return false
    prompts.set(one.to, [...there, ...past, now])
    prompts.set(one.name, [])
    const label = labels.get(one.name)
    if (label !== undefined) labels.set(one.to, label)
    labels.delete(one.name)
  }
  return true

  function push(text: string): true {
    if (now !== text) prompts.set(named, [...past, text])
    return true
  }
}

async function compare(store: PromptStore, { prompts, labels }: Model): Promise<void> {
  const live = [...prompts].filter(([, past]) => past.at(-1) !== undefined).sort(([a], [b]) => (a < b ? -1 : 1))
  expect(await textsOf(store)).toEqual(Object.fromEntries(live.map(([known, past]) => [known, past.at(-1)])))
  expect(await store.problems()).toEqual([])
  for (const [known, past] of prompts) {
    const history = past.length === 0 ? [] : await store.history(known)
    expect(history.map(({ prompt }) => (prompt === undefined ? undefined : textOf(prompt))).toReversed()).toEqual(past)
    const numbers = history.map(({ revision }) => revision)
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a))
    expect(new Set(numbers).size).toBe(numbers.length)
    if (past.at(-1) === undefined || labels.get(known) === undefined) continue
    expect(textOf((await store.get(known, { at: 'production' })).prompt)).toBe(labels.get(known))
  }
}
