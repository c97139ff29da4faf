import type { CapstanError } from '../errors.ts'
import { checkHeaderNames, checkName, checkUrl, checkVariableNames } from './entry-checks.ts'
import { entryWarnings } from './entry-warnings.ts'
import { asObject, entryError, mendIn, readFields, type EntryPlace, type Fields } from './fields.ts'
import { meantField } from './misspelt.ts'
import { readOauth } from './oauth.ts'
import type { RawEntry, RemoteServer, ServerConfig, StdioServer } from './types.ts'

type CommonFields = Omit<StdioServer, 'transport' | 'command' | 'args' | 'env' | 'cwd' | 'replicas'>

export interface ParsedEntry {
  readonly server: ServerConfig
  readonly warnings: readonly string[]
}

/** Checks one entry of `mcpServers` and fills in the defaults. Its `${…}` are left for `resolveServer`. */
export function parseEntry(raw: unknown, place: EntryPlace): ParsedEntry {
  checkName(place)
  const entry = asObject(raw, place, place.name)
  const fields = readFields(entry, place)
  const transport = transportOf(entry, place)
  const server = transport === 'stdio' ? stdioServer(fields, place) : remoteServer(fields, place, entry['oauth'])
  return { server, warnings: entryWarnings(entry, server, place) }
}

/** Which of the two kinds an entry is: `command` makes it a program, `url` makes it remote, and `type` must agree. */
function transportOf(entry: RawEntry, place: EntryPlace): 'stdio' | 'remote' {
  const { type } = entry
  const hasCommand = Object.hasOwn(entry, 'command')
  const hasUrl = Object.hasOwn(entry, 'url') || Object.hasOwn(entry, 'urls')
  if (hasCommand && hasUrl) {
    throw entryError('config_invalid', place, {
      problem: 'it has both "command" and "url"',
      next: `Keep "command" for a program or "url" for a remote server in ${mendIn(place)}, not both.`,
    })
  }
  if (!hasCommand && !hasUrl) throw missing(entry, place)
  if (hasUrl ? type === 'stdio' : type !== undefined && type !== 'stdio') {
    throw entryError('config_invalid', place, {
      problem: `its "type" does not go with "${hasUrl ? 'url' : 'command'}"`,
      next: `Remove "type" in ${mendIn(place)}; it is found out by itself.`,
    })
  }
  return hasCommand ? 'stdio' : 'remote'
}

function missing(entry: RawEntry, place: EntryPlace): CapstanError {
  const slip = Object.keys(entry).find((field) => ['command', 'url'].includes(meantField(field) ?? ''))
  return entryError('config_missing_field', place, {
    problem: 'it has neither "command" nor "url"',
    next:
      slip === undefined
        ? `Add "command" for a program, or "url" for a remote server, in ${mendIn(place)}.`
        : `Rename "${slip}" to "${meantField(slip)}" in ${mendIn(place)}.`,
  })
}

function stdioServer(fields: Fields, place: EntryPlace): StdioServer {
  const command = fields.text('command')
  if (command.trim() === '') {
    const next = `Name the program to run in ${mendIn(place)}.`
    throw entryError('config_invalid', place, { problem: `${place.name}.command is empty`, next })
  }
  const env = fields.textsByName('env')
  checkVariableNames(env, place)
  const cwd = fields.has('cwd') ? { cwd: fields.text('cwd') } : {}
  const replicas = fields.count('replicas') ?? 1
  return { transport: 'stdio', command, args: fields.texts('args'), env, ...cwd, replicas, ...commonFields(fields) }
}

function remoteServer(fields: Fields, place: EntryPlace, rawOauth: unknown): RemoteServer {
  const [url, ...otherUrls] = addressesOf(fields, place)
  const headers = fields.textsByName('headers')
  checkHeaderNames(headers, place)
  const type = fields.has('type') ? { type: remoteType(fields.text('type'), place) } : {}
  const { oauth } = readOauth(rawOauth)
  return {
    transport: 'remote',
    url,
    otherUrls,
    headers,
    ...type,
    ...(oauth === undefined ? {} : { oauth }),
    ...commonFields(fields),
  }
}

/** `url` for one address, `urls` for several copies of the same server. */
function addressesOf(fields: Fields, place: EntryPlace): readonly [string, ...string[]] {
  if (fields.has('url') && fields.has('urls')) {
    const next = `Keep "url" for one address or "urls" for several in ${mendIn(place)}, not both.`
    throw entryError('config_invalid', place, { problem: 'it has both "url" and "urls"', next })
  }
  const [first, ...others] = fields.has('url') ? [fields.text('url')] : fields.texts('urls')
  if (first === undefined) {
    const next = `Name at least one address in ${mendIn(place)}.`
    throw entryError('config_invalid', place, { problem: `${place.name}.urls is empty`, next })
  }
  // An address with `${…}` in it can only be checked after they are filled in.
  for (const url of [first, ...others]) if (!url.includes('${')) checkUrl(url, place)
  return [first, ...others]
}

function remoteType(type: string, place: EntryPlace): 'http' | 'sse' {
  if (type === 'sse') return 'sse'
  if (['http', 'streamable-http', 'streamableHttp'].includes(type)) return 'http'
  throw entryError('config_invalid', place, {
    problem: `${place.name}.type must be "http" or "sse", but is ${JSON.stringify(type)}`,
    next: `Correct it in ${mendIn(place)}, or remove it: it is found out by itself.`,
  })
}

function commonFields(fields: Fields): CommonFields {
  const timeout = fields.seconds('timeout') ?? 60
  return {
    ...(fields.has('description') ? { description: fields.text('description') } : {}),
    disabled: fields.flag('disabled') ?? false,
    timeout,
    // Whoever grants a call a longer silence than the usual cap means the cap as well.
    maxTimeout: fields.seconds('maxTimeout') ?? Math.max(600, timeout),
    startTimeout: fields.seconds('startTimeout') ?? 30,
    ...lifeOf(fields),
    share: fields.oneOf('share', ['all', 'client']) ?? (keepsOneUsersState(fields) ? 'client' : 'all'),
    retry: fields.oneOf('retry', ['safe', 'never']) ?? 'safe',
    ...atMost(fields.count('concurrency')),
    ...(fields.has('fallback') ? { fallback: fields.text('fallback') } : {}),
    // Other clients keep their own settings under this name; only a plain yes is meant for us.
    sampling: fields.isTrue('sampling'),
    roots: fields.isTrue('roots'),
    alwaysAllow: fields.texts('alwaysAllow'),
    trustHints: fields.flag('trustHints') ?? false,
    deny: fields.texts('deny'),
    tools: toolFilter(fields),
  }
}

function atMost(concurrency: number | undefined): Pick<CommonFields, 'concurrency'> {
  return concurrency === undefined ? {} : { concurrency }
}

/** Other clients write `keep-alive` for a server that, once started, stays. */
function lifeOf(fields: Fields): Pick<CommonFields, 'lifecycle' | 'idle'> {
  const said = fields.oneOf('lifecycle', ['lazy', 'eager', 'per-call', 'keep-alive']) ?? 'lazy'
  const idle = fields.seconds('idle') ?? (said === 'lazy' || said === 'per-call' ? 600 : never)
  return { lifecycle: said === 'keep-alive' ? 'lazy' : said, idle }
}

const never = 2_000_000

/** Browsers: what one client has open there is nobody else's business, and two would fight over the same page. */
function keepsOneUsersState(fields: Fields): boolean {
  if (!fields.has('command')) return false
  const words = [fields.text('command'), ...fields.texts('args')].join(' ')
  return /playwright|puppeteer|chrome-devtools|browsermcp|browser-use|selenium/i.test(words)
}

/** Copilot writes a plain list: what to include. */
function toolFilter(fields: Fields): CommonFields['tools'] {
  if (fields.isList('tools')) return { include: fields.texts('tools'), exclude: [] }
  const tools = fields.within('tools')
  return { include: tools.texts('include'), exclude: tools.texts('exclude') }
}
