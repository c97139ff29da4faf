import { type EntryPlace } from './fields.ts'
import { meantField, ownFields } from './misspelt.ts'
import { oauthFields, readOauth } from './oauth.ts'
import type { RawEntry, ServerConfig } from './types.ts'
import { isObject } from '../json.ts'

/** What a person should know about an entry although it can be used. */
export function entryWarnings(entry: RawEntry, server: ServerConfig, place: EntryPlace): readonly string[] {
  const where = place.file === undefined ? '' : ` in ${place.file}`
  const warnings = [
    ...misspeltFields(entry),
    ...uselessFields(entry, server),
    ...(server.transport === 'remote' ? readOauth(entry['oauth']).problems : []),
    ...oddTimes(server),
  ]
  return warnings.map((warning) => `Server "${place.name}"${where}: ${warning}`)
}

function misspeltFields(entry: RawEntry): readonly string[] {
  const tools = isObject(entry['tools']) ? Object.keys(entry['tools']) : []
  const oauth = isObject(entry['oauth']) ? Object.keys(entry['oauth']) : []
  return [
    ...misspelt(Object.keys(entry), ownFields),
    ...misspelt(tools, ['include', 'exclude']),
    ...misspelt(oauth, oauthFields),
  ]
}

function misspelt(found: readonly string[], fields: readonly string[]): readonly string[] {
  return found.flatMap((field) => {
    const meant = meantField(field, fields)
    return meant === undefined ? [] : [`"${field}" is ignored; did you mean "${meant}"?`]
  })
}

function uselessFields(entry: RawEntry, server: ServerConfig): readonly string[] {
  const isProgram = server.transport === 'stdio'
  const useless = isProgram ? ['headers'] : ['args', 'env', 'cwd']
  const reason = isProgram ? 'is only for servers with a "url"' : 'is only for servers with a "command"'
  return useless.filter((field) => Object.hasOwn(entry, field)).map((field) => `"${field}" ${reason} and is ignored.`)
}

function oddTimes(server: ServerConfig): readonly string[] {
  const long = (['timeout', 'startTimeout'] as const).filter((field) => server[field] > 3600)
  const warnings = long.map((field) => `"${field}" is in seconds: ${server[field]} is more than an hour.`)
  if (server.maxTimeout >= server.timeout) return warnings
  return [...warnings, '"maxTimeout" is below "timeout", so a call ends there, idle or not.']
}
