import { entryError, mendIn, type EntryPlace } from './fields.ts'
import { isServerName, slugOf } from './server-name.ts'

export function checkName(place: EntryPlace): void {
  if (isServerName(place.name)) return
  const isReserved = place.name === 'mcp'
  throw entryError('config_invalid', place, {
    problem: isReserved
      ? 'this name is reserved'
      : 'a name holds only letters, digits, "-" and "_", and no "-" or "_" first',
    next: `Rename it in ${mendIn(place)}, for example to "${slugOf(place.name)}".`,
  })
}

/** The message leaves the address out: its query may hold a key. */
export function checkUrl(url: string, place: EntryPlace): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined
  if (protocol === 'http:' || protocol === 'https:') return
  throw entryError('config_invalid', place, {
    problem: `${place.name}.url is not an address that begins with http:// or https://`,
    next: `Correct it in ${mendIn(place)}.`,
  })
}

export function checkVariableNames(env: Readonly<Record<string, string>>, place: EntryPlace): void {
  const bad = Object.keys(env).find((name) => name === '' || name.includes('=') || name.includes('\0'))
  if (bad === undefined) return
  throw entryError('config_invalid', place, {
    problem: `${place.name}.env has ${JSON.stringify(bad)}, which cannot be the name of a variable`,
    next: `Correct it in ${mendIn(place)}.`,
  })
}

export function checkHeaderNames(headers: Readonly<Record<string, string>>, place: EntryPlace): void {
  const bad = Object.keys(headers).find((name) => !/^[!#$%&'*+.^_`|~\w-]+$/.test(name))
  if (bad === undefined) return
  throw entryError('config_invalid', place, {
    problem: `${place.name}.headers has ${JSON.stringify(bad)}, which cannot be the name of a header`,
    next: `Correct it in ${mendIn(place)}.`,
  })
}

/** A value with a line break in it could smuggle in another header. */
export function checkHeaderValues(headers: Readonly<Record<string, string>>, place: EntryPlace): void {
  const bad = Object.keys(headers).find((name) => /[\r\n\0]/.test(headers[name] ?? ''))
  if (bad === undefined) return
  throw entryError('config_invalid', place, {
    problem: `${place.name}.headers.${bad} holds a line break`,
    next: `Check the variable or command that it comes from.`,
  })
}
