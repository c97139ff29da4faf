import { dirname, join } from 'node:path'
import { places } from '../files/places.ts'
import { quickHash } from '../files/quick-hash.ts'
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
  /** Where the index of a large library is kept between runs. */
  readonly indexFile: string
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
  // Not the project's: what a person approves of a project is its file of prompts, and nothing beside it.
  const own = layers.filter(({ kind }) => kind === 'user' || kind === 'team')
  const folders = own.map(({ file }) => join(dirname(file), 'skills'))
  const folder = promptsFolder({ ...options, settings })
  return {
    store,
    proposalsFile: join(folder, 'proposals.json'),
    indexFile: join(places(options.env).cache, 'prompts', `${quickHash(folder)}.json`),
    skillFolders: folders.toReversed(),
  }
}
