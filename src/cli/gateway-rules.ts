import { resolve } from 'node:path'
import { canonicalJson } from '../config/canonical-json.ts'
import type { GatewaySettings } from '../config/types.ts'
import type { Caller } from '../gateway/caller.ts'
import type { Key } from '../gateway/http/keys.ts'
import type { Io } from './command.ts'
import { readCallers, tokenPath, type CallerGround, type Callers } from './gateway-callers.ts'
import type { ServeWishes } from './serve-wishes.ts'

/** What `[gateway]` says, and who may come by it. */
export interface GatewayRules {
  readonly settings: GatewaySettings
  readonly callers: Callers
}

export async function readRules(
  wishes: ServeWishes,
  settings: GatewaySettings,
  ground: CallerGround,
): Promise<GatewayRules> {
  return { settings, callers: await readCallers(wishes, settings, ground) }
}

/** The files besides the settings that the rules come from. */
export function tokenFiles({ tokenFile }: ServeWishes, { keys = {} }: GatewaySettings, io: Io): readonly string[] {
  const ofKeys = Object.values(keys).flatMap((key) =>
    key.tokenFile === undefined ? [] : [tokenPath(key.tokenFile, io)],
  )
  return tokenFile === undefined ? ofKeys : [resolve(io.cwd, tokenFile), ...ofKeys]
}

/** What is not what it was, as whoever wrote the settings calls it. */
export function changedRules(before: GatewayRules, after: GatewayRules): readonly string[] {
  const [old, fresh] = [partsOf(before.settings), partsOf(after.settings)]
  const names = [...new Set([...old.keys(), ...fresh.keys()])].filter((name) => old.get(name) !== fresh.get(name))
  const renewed = [...endedKeys(before, after), ...endedKeys(after, before)].map(({ caller }) => caller.name)
  const tokens = [...new Set(renewed)].filter((name) => !names.includes(`keys.${name}`))
  return [...names.toSorted(), ...tokens.map((name) => `the token of ${name}`)]
}

/** Each key and profile by itself. */
function partsOf({ keys = {}, profiles = {}, ...rest }: GatewaySettings): ReadonlyMap<string, string> {
  const below = (table: string, entries: object) =>
    Object.entries(entries).map(([name, entry]) => [`${table}.${name}`, entry] as const)
  const parts = [...Object.entries(rest), ...below('keys', keys), ...below('profiles', profiles)]
  return new Map(parts.map(([name, value]) => [settingName(name), canonicalJson(value)]))
}

/** As it stands in the file. */
function settingName(field: string): string {
  return field.includes('.') ? field : field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Keys that let nobody in any more: taken away, or with another token now. */
function endedKeys(before: GatewayRules, after: GatewayRules): readonly Key[] {
  const isStill = (key: Key) =>
    after.callers.keys.some(
      (other) => other.caller.name === key.caller.name && other.tokenSha256.equals(key.tokenSha256),
    )
  return before.callers.keys.filter((key) => !isStill(key))
}

/** Who came before and may not come in the same way. Once there are keys, that is everybody without one. */
export function endedCallers(before: GatewayRules, after: GatewayRules): readonly string[] {
  const isClosed = before.callers.keys.length === 0 && after.callers.keys.length > 0
  const names = endedKeys(before, after).map(({ caller }) => caller.name)
  return isClosed ? [...names, before.callers.anybody.name] : names
}

/** What was changed in the file and cannot change while the gateway runs, in words for its log. */
export function restartNeeded(before: GatewayRules, after: GatewayRules): readonly string[] {
  const fixed = (['prefix', 'pins'] as const).filter((name) => before.settings[name] !== after.settings[name])
  const others = allCallers(after).filter(({ name, mode }) =>
    allCallers(before).some((caller) => caller.name === name && caller.mode !== mode),
  )
  const words = fixed.map((name) => `"${name}" stays as it was: restart needed.`)
  if (others.length === 0) return words
  const whose = others.map(({ name, mode }) => `${name} (${mode})`).join(', ')
  const mode = `"mode" is another for ${whose}: sessions that begin now have it. Those that are open, and clients of 2026-07-28 that have come already, keep theirs: restart needed.`
  return [...words, mode]
}

export function allCallers({ callers }: GatewayRules): readonly Caller[] {
  return [callers.anybody, ...callers.keys.map(({ caller }) => caller)]
}
