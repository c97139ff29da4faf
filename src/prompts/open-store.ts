import { CapstanError, stopped } from '../errors.ts'
import type { Disk } from '../files/disk.ts'
import {
  labelRecords,
  putRecords,
  removeRecords,
  renameRecords,
  type ChangeContext,
  type StoreLimits,
} from './changes.ts'
import { openLayer, type Layer, type LayerPlace } from './layer.ts'
import type { LogRecord } from './log-line.ts'
import { currentOf } from './log-state.ts'
import { makeOverview } from './overview.ts'
import { findRevision, historyOf } from './revisions.ts'
import type { PromptStore, ReadOptions, StoredPrompt, WriteOptions } from './store.ts'
import { watchPrompts } from './watch-prompts.ts'

export interface PromptStoreOptions {
  /** The weakest first, as `promptLayers` gives them. */
  readonly layers: readonly LayerPlace[]
  readonly limits?: Partial<StoreLimits>
  /** Tags of which a prompt must have one to be listed; none lists all. A prompt can be got by its name all the same. */
  readonly categories?: readonly string[]
  readonly now?: () => Date
  readonly disk?: Disk
}

/** The library in files. Opening reads nothing yet. */
export function openPromptStore(options: PromptStoreOptions): PromptStore {
  const { now = () => new Date(), categories = [] } = options
  const limits: StoreLimits = { maxPromptBytes: 1024 * 1024, maxPrompts: 100_000, ...options.limits }
  const layers = options.layers.map((place) => openLayer(place, options.disk))
  const overview = makeOverview(layers, categories)
  const watch = watchPrompts({ files: layers.flatMap(({ files }) => files), read: async () => await overview.all() })

  return {
    layers: async () => layers.map(({ description }) => description),
    list: async ({ layer } = {}) => await overview.list(layer === undefined ? undefined : layerNamed(layer)),
    has: async (name, { layer } = {}) => (await find(name, layer)) !== undefined,
    get: async (name, { layer, at } = {}) => {
      const found = await find(name, layer)
      if (found === undefined) throw await unknown(name)
      return at === undefined ? found : await revisionOf(found, at)
    },
    put: async (draft, write = {}) => {
      const layer = await layerToWrite(draft.name, write)
      const records = await change(layer, write, (context) => putRecords([draft], context))
      return await written(draft.name, layer, records)
    },
    putAll: async (drafts, write = {}) => {
      const layer = layerNamed(write.layer ?? 'user')
      await change(layer, write, (context) => putRecords(drafts, context))
      const all = new Map((await overview.list(layer)).map((found) => [found.prompt.name, found]))
      return drafts.flatMap(({ name }) => all.get(name) ?? [])
    },
    remove: async (name, write = {}) => {
      const layer = await layerOf(name, write)
      await change(layer, write, (context) => removeRecords(name, context))
    },
    rename: async (name, to, write = {}) => {
      const layer = await layerOf(name, write)
      const records = await change(layer, write, (context) => renameRecords(name, to, context))
      return await written(to, layer, records)
    },
    history: async (name, { layer } = {}) => historyOf((await layerWithHistory(name, layer)).state, name),
    restore: async (name, at, write = {}) => {
      const source = await layerWithHistory(name, write.layer)
      const { prompt } = findRevision(source.state, name, at)
      const layer = source.layer.description.isWritable ? source.layer : await layerToWrite(name, write)
      const records = await change(layer, write, (context) => putRecords([{ ...prompt, name }], context))
      return await written(name, layer, records)
    },
    label: async (name, label, write = {}) => {
      const layer = await layerOf(name, write)
      const whole = await layer.readWhole()
      const revision = write.revision ?? (await stored(name, layer)).revision
      findRevision(whole, name, revision)
      await change(layer, write, (context) => labelRecords({ name, label, revision }, context))
      return await stored(name, layer)
    },
    unlabel: async (name, label, write = {}) => {
      const layer = await layerOf(name, write)
      await change(layer, write, (context) => labelRecords({ name, label, revision: null }, context))
      return await stored(name, layer)
    },
    problems: async (read) => {
      const found = await Promise.all(chosen(read).map(async (layer) => ({ layer, state: await layer.read() })))
      return found.flatMap(({ layer: { description }, state }) =>
        state.problems.map((problem) => ({ layer: description.name, place: description.place, ...problem })),
      )
    },
    compact: async (read) => {
      await Promise.all(chosen(read).map(async (layer) => await layer.compact(read?.signal)))
    },
    onChange: (listener) => watch.listen(listener),
    [Symbol.asyncDispose]: async () => watch.stop(),
  }

  async function find(name: string, layer: string | undefined): Promise<StoredPrompt | undefined> {
    return await overview.find(name, layer === undefined ? undefined : layerNamed(layer))
  }

  async function revisionOf(found: StoredPrompt, at: number | string): Promise<StoredPrompt> {
    if (at === found.revision) return found
    const { revision, prompt } = findRevision(await layerNamed(found.layer).readWhole(), found.prompt.name, at)
    return { ...found, revision, prompt: { ...prompt, name: found.prompt.name } }
  }

  async function stored(name: string, layer: Layer): Promise<StoredPrompt> {
    const found = await overview.find(name, layer)
    if (found === undefined) throw await unknown(name)
    return found
  }

  async function change(
    layer: Layer,
    { by, expectedRevision, signal }: WriteOptions,
    records: (context: ChangeContext) => readonly LogRecord[],
  ): Promise<readonly LogRecord[]> {
    if (signal?.aborted === true) throw stopped(signal, 'writing to the prompt library')
    const at = now().toISOString()
    let made: readonly LogRecord[] = []
    await layer.change((state, lastArchived) => {
      made = records({ state, lastArchived, limits, at, by, expectedRevision })
      return made
    }, signal)
    return made
  }

  /** What a change has stored, even if somebody else has changed it again since. */
  async function written(name: string, layer: Layer, [record]: readonly LogRecord[]): Promise<StoredPrompt> {
    if (record?.op !== 'put') return await stored(name, layer)
    const { prompt, rev: revision = 1 } = record
    const found = await overview.find(name, layer)
    return { labels: {}, overrides: [], ...found, layer: layer.description.name, prompt, revision }
  }

  /** Where something new goes: beside what it replaces, if that may be written. */
  async function layerToWrite(name: string, { layer }: WriteOptions): Promise<Layer> {
    if (layer !== undefined) return layerNamed(layer)
    const found = await overview.find(name)
    const current = found === undefined ? undefined : layerNamed(found.layer)
    return current?.description.isWritable === true ? current : layerNamed('user')
  }

  /** Where a prompt is that must be there. */
  async function layerOf(name: string, { layer }: WriteOptions): Promise<Layer> {
    const found = await find(name, layer)
    if (found === undefined) throw await unknown(name)
    return layerNamed(found.layer)
  }

  /** The strongest layer that knows the name, even if only from the past. */
  async function layerWithHistory(name: string, only: string | undefined) {
    const found = await find(name, only)
    const candidates =
      found === undefined ? chosen(only === undefined ? {} : { layer: only }) : [layerNamed(found.layer)]
    for (const layer of candidates.toReversed()) {
      const state = await layer.readWhole()
      if ((state.entries.get(name)?.revisions.length ?? 0) > 0) return { layer, state }
    }
    throw await unknown(name)
  }

  function chosen({ layer }: ReadOptions = {}): readonly Layer[] {
    return layer === undefined ? layers : [layerNamed(layer)]
  }

  function layerNamed(name: string): Layer {
    const layer = layers.find(({ description }) => description.name === name)
    if (layer !== undefined) return layer
    const names = layers.map(({ description }) => description.name).join(', ')
    throw new CapstanError('usage', `There is no layer "${name}" of prompts. The layers: ${names}.`, {
      next: 'Choose one of these.',
    })
  }

  async function unknown(name: string): Promise<CapstanError> {
    const states = await Promise.all(layers.map(async (layer) => await layer.read()))
    const entries = states.flatMap(({ entries: known }) => known.get(name) ?? [])
    const renamedTo = entries.find((entry) => entry.renamedTo !== undefined)?.renamedTo
    const isRemoved = entries.some((entry) => entry.revisions.length > 0 && currentOf(entry) === undefined)
    const why = renamedTo !== undefined ? ` It is called "${renamedTo}" now.` : isRemoved ? ' It was removed.' : ''
    return new CapstanError('prompt_unknown', `There is no prompt "${name}" in the library.${why}`, {
      next: isRemoved
        ? `Run "capstan library history ${name}" to see what can be restored.`
        : 'Search for it with "capstan library search WORDS".',
    })
  }
}
