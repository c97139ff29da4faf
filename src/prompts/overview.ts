import type { Layer } from './layer.ts'
import { currentOf, type LogState } from './log-state.ts'
import type { StoredPrompt } from './store.ts'
import { hasAnyTag } from './tags.ts'

/** What the layers add up to. Worked out again only when a layer has changed. */
export interface Overview {
  /** In the order of their names; of one layer, or of all with the strongest winning. */
  list(layer?: Layer): Promise<readonly StoredPrompt[]>
  find(name: string, layer?: Layer): Promise<StoredPrompt | undefined>
  /** Whatever the categories say. */
  all(): Promise<ReadonlyMap<string, StoredPrompt>>
}

export function makeOverview(layers: readonly Layer[], categories: readonly string[]): Overview {
  let last: { readonly seen: readonly Seen[]; readonly view: View } | undefined
  // Whoever keeps a list can tell by its identity that nothing has changed.
  const lists = new WeakMap<View, readonly StoredPrompt[]>()

  return {
    list: async (layer) => {
      const view = layer === undefined ? await whole() : viewOf([await look(layer)])
      const list = lists.get(view) ?? listOf(view, categories)
      lists.set(view, list)
      return list
    },
    find: async (name, layer) =>
      viewOf(await Promise.all((layer === undefined ? layers : [layer]).map(look)), name).get(name),
    all: whole,
  }

  async function whole(): Promise<View> {
    const seen = await Promise.all(layers.map(look))
    const previous = last?.seen
    const isSame = previous !== undefined && seen.every((now, index) => isUnchanged(previous[index], now))
    if (isSame && last !== undefined) return last.view
    last = { seen, view: viewOf(seen) }
    return last.view
  }
}

type View = ReadonlyMap<string, StoredPrompt>

interface Seen {
  readonly name: string
  readonly state: LogState
  readonly lines: number
}

async function look(layer: Layer): Promise<Seen> {
  const state = await layer.read()
  return { name: layer.description.name, state, lines: state.lines }
}

function isUnchanged(before: Seen | undefined, now: Seen): boolean {
  return before?.state === now.state && before.lines === now.lines
}

function listOf(view: View, categories: readonly string[]): readonly StoredPrompt[] {
  return [...view.values()]
    .filter(({ prompt }) => categories.length === 0 || hasAnyTag(prompt, categories))
    .sort((a, b) => (a.prompt.name < b.prompt.name ? -1 : 1))
}

function viewOf(seen: readonly Seen[], only?: string): View {
  const view = new Map<string, StoredPrompt>()
  for (const { name: layer, state } of seen) {
    const entries = only === undefined ? state.entries : [[only, state.entries.get(only)] as const]
    for (const [name, entry] of entries) {
      const current = currentOf(entry)
      if (entry === undefined || current === undefined) continue
      const weaker = view.get(name)
      view.set(name, {
        prompt: current.prompt,
        revision: current.revision,
        layer,
        labels: Object.fromEntries(Array.from(entry.labels, ([label, { revision }]) => [label, revision])),
        overrides: weaker === undefined ? [] : [weaker.layer, ...weaker.overrides],
      })
    }
  }
  return view
}
