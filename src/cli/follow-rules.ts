import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readTextFile } from '../config/read-text.ts'
import { loadSettingsFile } from '../config/settings.ts'
import type { GatewaySettings } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import { places } from '../files/places.ts'
import { watchFiles } from '../files/watch.ts'
import type { Io } from './command.ts'
import { changedRules, readRules, restartNeeded, tokenFiles, type GatewayRules } from './gateway-rules.ts'
import type { ServeWishes } from './serve-wishes.ts'

export interface RulesFollowing {
  readonly io: Io
  readonly wishes: ServeWishes
  readonly initial: GatewayRules
  readonly take: (next: GatewayRules, before: GatewayRules) => Promise<void>
  readonly note: (text: string) => void
}

interface Read {
  readonly next: GatewayRules
  /** What is odd about the files, in words for the log. */
  readonly problems: readonly string[]
}

const settleMs = 100

/**
 * Keeps `[gateway]` of the user's `config.toml`, and the tokens in the files that it names, up to date. By itself and not with the
 * servers: a key that was taken away must not stay because another file does not parse.
 */
export function followRules({ io, wishes, initial, take, note }: RulesFollowing): Disposable {
  const file = join(places(io.env).config, 'config.toml')
  let current = initial
  let isOver = false
  let watcher = watch()
  // One after the other. What changed before the watch began would otherwise go unseen, so the first look is now.
  let looking = look()

  return {
    [Symbol.dispose]() {
      isOver = true
      watcher[Symbol.dispose]()
    },
  }

  function watch(): Disposable {
    const paths = [file, ...tokenFiles(wishes, current.settings, io)]
    return watchFiles(paths, () => void (looking = looking.then(look)), { settleMs })
  }

  async function look(): Promise<void> {
    try {
      const { next, problems } = await read().catch(readAgain)
      const changed = changedRules(current, next)
      if (!isOver && changed.length > 0) await accept({ next, changed, problems })
    } catch (error) {
      note(`The settings of the gateway cannot be used, so the last ones stay. ${String(error)}`)
    }
  }

  /**
   * Editors that write in place leave a file that does not parse for a moment: only what stays broken is worth a word. A token that
   * stays unreadable is one that was taken away.
   */
  async function readAgain(): Promise<Read> {
    await delay(settleMs, undefined, { ref: false })
    const unreadable: string[] = []
    const { next, problems } = await read((name, error) =>
      unreadable.push(`The key ${name} lets nobody in: ${messageOf(error)}`),
    )
    return { next, problems: [...problems, ...unreadable] }
  }

  async function read(onBadToken?: (name: string, error: unknown) => void): Promise<Read> {
    const { settings, problems } = await readSettings(file)
    return { next: await readRules(wishes, settings, { io, onBadToken }), problems }
  }

  async function accept({ next, changed, problems }: Read & { readonly changed: readonly string[] }): Promise<void> {
    const before = current
    current = next
    watcher[Symbol.dispose]()
    watcher = watch()
    note(`The settings of the gateway have changed: ${changed.join(', ')}.`)
    for (const words of [...problems, ...restartNeeded(before, next)]) note(words)
    await take(next, before)
  }
}

interface ReadSettings {
  readonly settings: GatewaySettings
  readonly problems: readonly string[]
}

async function readSettings(file: string): Promise<ReadSettings> {
  const text = (await readTextFile(file)) ?? (await readReplaced(file))
  if (text === undefined) return { settings: {}, problems: [] }
  const { settings, warnings } = await loadSettingsFile(file, async () => text)
  return { settings: settings.gateway ?? {}, problems: warnings.map((warning) => `warning: ${warning}`) }
}

/** Some programs remove a file before they write the new one. */
async function readReplaced(file: string): Promise<string | undefined> {
  await delay(settleMs, undefined, { ref: false })
  return readTextFile(file)
}
