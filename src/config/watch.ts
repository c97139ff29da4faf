import { setTimeout as delay } from 'node:timers/promises'
import { watchFiles, type WatchOptions } from '../files/watch.ts'
import { canonicalJson } from './canonical-json.ts'
import type { Config, ConfiguredServer } from './types.ts'

/** The names of the servers that are not what they were. */
export interface ConfigDifference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

export interface ConfigWatch {
  /** The config in force when the watch begins. */
  readonly initial: Config
  /** Reads the config anew. */
  readonly load: () => Promise<Config>
  readonly onConfig: (config: Config, difference: ConfigDifference) => void
  /** The config could not be read (the error says where); the last good one stays in force. */
  readonly onError: (error: unknown) => void
  /** What to watch besides the files that were read: places where one may appear, and the store of trust. */
  readonly files: readonly string[]
  readonly timing?: WatchOptions
}

/** Keeps a long-running command's config up to date. `onConfig` is called only when a server is not what it was. */
export function watchConfig({ initial, load, onConfig, onError, files, timing }: ConfigWatch): Disposable {
  let current = initial
  let watcher = watch()
  let isDisposed = false
  let isLoading = false
  let isAgainWanted = false

  // What changed between the first load and the start of the watch would otherwise go unseen.
  reload()

  return {
    [Symbol.dispose]() {
      isDisposed = true
      watcher[Symbol.dispose]()
    },
  }

  function watch(): Disposable {
    return watchFiles([...files, ...current.files.map(({ path }) => path)], reload, timing)
  }

  function reload(): void {
    isAgainWanted = isLoading
    if (isLoading) return
    isLoading = true
    void load()
      .catch(lookAgain)
      .then(accept, report)
      .finally(() => {
        isLoading = false
        if (isAgainWanted && !isDisposed) reload()
      })
  }

  /** Editors that write in place leave a file that does not parse for a moment: only what stays broken is worth a word. */
  async function lookAgain(): Promise<Config> {
    await delay(timing?.settleMs ?? 100)
    return load()
  }

  function accept(config: Config): void {
    if (isDisposed) return
    const difference = diffConfigs(current, config)
    const isWatchedElsewhere = pathsOf(current) !== pathsOf(config)
    current = config
    if (isWatchedElsewhere) {
      watcher[Symbol.dispose]()
      watcher = watch()
    }
    if (Object.values(difference).some((names) => names.length > 0)) onConfig(config, difference)
  }

  function report(error: unknown): void {
    if (!isDisposed) onError(error)
  }
}

/** Which servers were added, removed, or stand otherwise than before: entry, origin or standing. */
export function diffConfigs(before: Config, after: Config): ConfigDifference {
  const [old, fresh] = [marksOf(before), marksOf(after)]
  return {
    added: [...fresh.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !fresh.has(name)),
    changed: [...fresh].filter(([name, mark]) => old.has(name) && old.get(name) !== mark).map(([name]) => name),
  }
}

function marksOf(config: Config): ReadonlyMap<string, string> {
  return new Map(config.servers.map((server) => [server.name, canonicalJson(markOf(server))]))
}

/** The origin counts, because a relative folder in the same entry means another place in another file. */
function markOf({ entry, origin, standing }: ConfiguredServer): unknown {
  return { entry, origin, standing }
}

function pathsOf(config: Config): string {
  return config.files.map(({ path }) => path).join('\n')
}
