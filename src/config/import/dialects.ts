import type { ClientId } from './clients.ts'
import { defined, isList, mapStrings, strings, text, without } from './json.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json.ts'

/**
 * A client's own words for an entry, put into the words most clients share (`command`, `args`, `env`, `url`, `headers`,
 * times in seconds, `${VAR}`). Pure; fields that need no translation are kept.
 */
export function intoSharedWords(client: ClientId, raw: JsonObject): JsonObject {
  switch (client) {
    case 'claude-code':
      return claudeCode(raw)
    case 'codex':
      return codex(raw)
    case 'gemini':
      return gemini(raw)
    case 'opencode':
      return opencode(raw)
    case 'zed':
      return zed(raw)
    case 'pi':
      return pi(raw)
    case 'claude-desktop':
    case 'cursor':
    case 'vscode':
    case 'cline':
    case 'windsurf':
      return raw
    default:
      return client satisfies never
  }
}

/** Its `timeout` is a hard limit in milliseconds; it ignores values below one second, so they say nothing. */
function claudeCode(raw: JsonObject): JsonObject {
  const { timeout } = raw
  if (typeof timeout !== 'number') return raw
  const rest = without(raw, ['timeout'])
  return timeout < 1000 ? rest : { ...rest, timeout: timeout / 1000, maxTimeout: timeout / 1000 }
}

function codex(raw: JsonObject): JsonObject {
  const bearer = text(raw['bearer_token_env_var'])
  const headers: JsonObject = {
    ...objectAt(raw, 'http_headers'),
    ...Object.fromEntries(
      Object.entries(objectAt(raw, 'env_http_headers')).flatMap(([header, variable]) =>
        typeof variable === 'string' ? [[header, `\${${variable}}`]] : [],
      ),
    ),
    ...(bearer === undefined ? {} : { Authorization: `Bearer \${${bearer}}` }),
  }
  // Codex hands these variables on from its own environment; newer versions write them as tables with a name.
  const passedOn = isList(raw['env_vars'])
    ? raw['env_vars'].map((item) => (isObject(item) ? text(item['name']) : text(item)))
    : []
  const env: JsonObject = {
    ...Object.fromEntries(passedOn.flatMap((name) => (name === undefined ? [] : [[name, `\${${name}}`]]))),
    ...objectAt(raw, 'env'),
  }
  return {
    ...without(raw, codexWords),
    ...defined({
      env: someOf(env),
      headers: someOf(headers),
      startTimeout: raw['startup_timeout_sec'] ?? inSeconds(raw['startup_timeout_ms']),
      timeout: raw['tool_timeout_sec'],
      includeTools: raw['enabled_tools'],
      excludeTools: raw['disabled_tools'],
    }),
  }
}

const codexWords = [
  'bearer_token_env_var',
  'http_headers',
  'env_http_headers',
  'env_vars',
  'env',
  'startup_timeout_sec',
  'startup_timeout_ms',
  'tool_timeout_sec',
  'enabled_tools',
  'disabled_tools',
]

/** `$VAR` and `${VAR}` mean the same there; `trust` skips all questions about the server's tools. */
function gemini(raw: JsonObject): JsonObject {
  const named = eachText(without(raw, ['timeout', 'trust']), (value) =>
    value.replaceAll(/\$([A-Za-z_]\w*)/g, (_, name: string) => `\${${name}}`),
  )
  return {
    ...named,
    ...defined({ timeout: inSeconds(raw['timeout']), alwaysAllow: raw['trust'] === true ? ['*'] : undefined }),
  }
}

/** `command` holds the arguments too; `timeout` is in milliseconds, a number in version 1 and a table in version 2. */
function opencode(raw: JsonObject): JsonObject {
  const [command, ...args] = strings(raw['command'])
  const { timeout } = raw
  const seconds = isObject(timeout)
    ? { startTimeout: inSeconds(timeout['startup']), timeout: inSeconds(timeout['request']) }
    : { startTimeout: inSeconds(timeout) }
  const translated = {
    ...without(raw, ['command', 'environment', 'timeout']),
    ...defined({
      command: command ?? raw['command'],
      args: args.length > 0 ? args : undefined,
      env: raw['environment'],
    }),
    ...defined(seconds),
  }
  return eachText(translated, (value) =>
    value.replaceAll(/\{env:([A-Za-z_]\w*)\}/g, (_, name: string) => `\${${name}}`),
  )
}

/** Older settings hold a table `{path, args, env}` as the command. */
function zed(raw: JsonObject): JsonObject {
  const rest = without(raw, ['source'])
  const { command } = raw
  if (!isObject(command)) return rest
  return { ...rest, ...defined({ command: command['path'], args: command['args'], env: command['env'] ?? undefined }) }
}

/** A bearer token may stand beside the headers, as itself or as a variable's name; `$env:VAR` is one more way to write `${VAR}`. */
function pi(raw: JsonObject): JsonObject {
  const variable = text(raw['bearerTokenEnv'])
  const token = variable === undefined ? text(raw['bearerToken']) : `\${${variable}}`
  const rest = without(raw, ['bearerTokenEnv', 'bearerToken', ...(token === undefined ? [] : ['auth'])])
  const headers = { ...objectAt(raw, 'headers'), ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) }
  return eachText({ ...rest, ...defined({ headers: someOf(headers) }) }, (value) =>
    value.replaceAll(/\$env:([A-Za-z_]\w*)/g, (_, name: string) => `\${${name}}`),
  )
}

function eachText(entry: JsonObject, change: (value: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(entry).map(([field, value]) => [field, mapStrings(value, change)]))
}

function objectAt(raw: JsonObject, field: string): JsonObject {
  const value = raw[field]
  return isObject(value) ? value : {}
}

function someOf(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length > 0 ? object : undefined
}

function inSeconds(milliseconds: JsonValue | undefined): number | undefined {
  return typeof milliseconds === 'number' && milliseconds > 0 ? milliseconds / 1000 : undefined
}
