import { splitCommand } from '../split-command.ts'
import type { RawEntry } from '../types.ts'
import type { ClientId } from './clients.ts'
import { intoSharedWords } from './dialects.ts'
import { defined, strings, text, without } from './json.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json.ts'

export type Translation =
  | { readonly kind: 'entry'; readonly entry: RawEntry }
  /** Nothing that could be started or reached. */
  | { readonly kind: 'unusable'; readonly reason: string }

/** One server of a client as an entry of ours. Fields that neither side knows are kept. Pure. */
export function translateEntry(client: ClientId, raw: JsonValue): Translation {
  if (!isObject(raw)) return { kind: 'unusable', reason: 'its entry is no object' }
  const shared = intoSharedWords(client, raw)
  const url = text(shared['httpUrl']) ?? text(shared['serverUrl']) ?? text(shared['url'])
  const command = text(shared['command'])
  if (command === undefined && url === undefined) return { kind: 'unusable', reason: whyNothingRuns(client, raw) }
  const type = transportOf(shared)
  if (type === 'unknown')
    return { kind: 'unusable', reason: `it is reached by ${text(shared['type']) ?? 'other means'}` }
  const isProcess = url === undefined || (command !== undefined && /^(?:stdio|local)$/.test(text(shared['type']) ?? ''))
  const target = isProcess ? processFields(shared, command ?? '') : remoteFields(shared, { url, type })
  return { kind: 'entry', entry: { ...target, ...ruleFields(shared), ...without(shared, translatedFields) } }
}

const translatedFields = (
  'type transport transportType command args env url httpUrl serverUrl headers disabled enabled timeout maxTimeout ' +
  'startTimeout alwaysAllow autoApprove tools includeTools excludeTools disabledTools'
).split(' ')

function whyNothingRuns(client: ClientId, raw: JsonObject): string {
  if (client === 'zed' && ('settings' in raw || raw['source'] === 'extension')) return 'it belongs to a Zed extension'
  if (client === 'opencode' && 'enabled' in raw) return 'it only switches a server of the organisation on or off'
  return 'it has neither a command nor a url'
}

function processFields(shared: JsonObject, command: string): JsonObject {
  const args = strings(shared['args'])
  // Some clients hand the command to a shell, so people write the whole line there.
  const line = args.length === 0 && /^[\w@.+-]+\s+\S/.test(command) ? wordsOf(command) : undefined
  return defined({
    command: line?.[0] ?? command,
    args: line?.slice(1) ?? (args.length > 0 ? args : undefined),
    env: textValues(shared['env']),
  })
}

function remoteFields(
  shared: JsonObject,
  { url, type }: { url: string; type: 'http' | 'sse' | undefined },
): JsonObject {
  return defined({
    url,
    type: type ?? (text(shared['httpUrl']) === undefined ? undefined : 'http'),
    headers: textValues(shared['headers']),
  })
}

/** Whether it is on, how long it may take, what may run unasked, what exists. */
function ruleFields(shared: JsonObject): JsonObject {
  const timeout = positive(shared['timeout'])
  const maxTimeout = positive(shared['maxTimeout'])
  const alwaysAllow = [...new Set([...strings(shared['alwaysAllow']), ...strings(shared['autoApprove'])])]
  const isOff = shared['disabled'] === true || shared['enabled'] === false
  return defined({
    disabled: isOff ? true : undefined,
    timeout,
    // Without it a longer idle limit would be cut by our default cap.
    maxTimeout: maxTimeout ?? (timeout !== undefined && timeout > defaultCapSeconds ? timeout : undefined),
    startTimeout: positive(shared['startTimeout']),
    alwaysAllow: alwaysAllow.length > 0 ? alwaysAllow : undefined,
    tools: toolRules(shared),
  })
}

const defaultCapSeconds = 600

function toolRules(shared: JsonObject): JsonObject | undefined {
  const own = isObject(shared['tools']) ? shared['tools'] : {}
  const include = [...strings(shared['tools']), ...strings(own['include']), ...strings(shared['includeTools'])]
  const exclude = [...strings(own['exclude']), ...strings(shared['excludeTools']), ...strings(shared['disabledTools'])]
  if (include.length === 0 && exclude.length === 0) return undefined
  return defined({
    include: include.length > 0 ? include : undefined,
    exclude: exclude.length > 0 ? exclude : undefined,
  })
}

function transportOf(shared: JsonObject): 'http' | 'sse' | 'unknown' | undefined {
  const named = text(shared['type']) ?? text(shared['transport']) ?? text(shared['transportType'])
  switch (named?.toLowerCase().replaceAll(/[-_]/g, '')) {
    case undefined:
    case 'stdio':
    case 'local':
    case 'remote':
      return undefined
    case 'http':
    case 'streamablehttp':
      return 'http'
    case 'sse':
      return 'sse'
    default:
      return 'unknown'
  }
}

/** Environments and headers hold text; a number or a truth value in a client's file means its text. */
function textValues(value: JsonValue | undefined): JsonObject | undefined {
  if (!isObject(value)) return undefined
  const texts = Object.entries(value).flatMap(([name, item]) =>
    typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean' ? [[name, String(item)]] : [],
  )
  return texts.length > 0 ? Object.fromEntries(texts) : undefined
}

function positive(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined
}

/** A line that cannot be split (an open quote) stays the command it was. */
function wordsOf(command: string): readonly string[] | undefined {
  try {
    return splitCommand(command)
  } catch {
    return undefined
  }
}
