import { dirname, join } from 'node:path'
import { builtinPrompts } from './builtins.ts'
import { openPromptStore } from './open-store.ts'
import { promptLayers, promptsFolder, type LayerOptions } from './prompt-layers.ts'
import type { PromptStore } from './store.ts'

/** `[prompts]` of config.toml, as far as the library goes by it. */
export interface LibrarySettings extends NonNullable<LayerOptions['settings']> {
  readonly categories?: readonly string[]
  readonly maxPerPage?: number
  readonly maxPromptBytes?: number
  readonly maxPrompts?: number
}

export interface LibraryOptions extends Omit<LayerOptions, 'builtins' | 'settings'> {
  readonly settings?: LibrarySettings | undefined
}

/** A person's library, with what stands beside its prompts. Whoever opens it disposes of its store. */
export interface OpenedLibrary {
  readonly store: PromptStore
  /** Where changes wait for a person. */
  readonly proposalsFile: string
  /** Folders of skills, the strongest first, whether or not they exist. */
  readonly skillFolders: readonly string[]
}

/** The one place that knows how a person's library is put together; nothing is read yet. */
export function openLibrary({ settings = {}, ...options }: LibraryOptions): OpenedLibrary {
  const layers = promptLayers({ ...options, settings, builtins: builtinPrompts })
  const { maxPromptBytes, maxPrompts, categories } = settings
  const store = openPromptStore({
    layers,
    limits: {
      ...(maxPromptBytes === undefined ? {} : { maxPromptBytes }),
      ...(maxPrompts === undefined ? {} : { maxPrompts }),
    },
    ...(categories === undefined ? {} : { categories }),
  })
  const folders = layers.filter(({ kind }) => kind !== 'builtin').map(({ file }) => join(dirname(file), 'skills'))
  return {
    store,
    proposalsFile: join(promptsFolder({ ...options, settings }), 'proposals.json'),
    skillFolders: folders.toReversed(),
  }
}
