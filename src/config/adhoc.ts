import { CapstanError } from '../errors.ts'
import type { LayerEntries } from './merge.ts'
import { slugOf } from './server-name.ts'
import { splitCommand } from './split-command.ts'

/** A server that stands in no file: what `--stdio` or `--url` and `--header` say. */
export interface Adhoc {
  readonly stdio?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The one server given on the command line, named after its command or host; nothing where none was given. */
export function adhocEntries({ stdio, url, headers = {} }: Adhoc): LayerEntries | undefined {
  const hasHeaders = Object.keys(headers).length > 0
  if (stdio !== undefined && url !== undefined)
    throw misuse('--stdio and --url cannot be used together', 'Use one of them.')
  if (hasHeaders && url === undefined) throw misuse('--header needs --url', 'Add --url URL, or remove --header.')
  if (stdio !== undefined) return oneEntry(stdioEntry(stdio))
  if (url !== undefined) return oneEntry({ name: nameOfUrl(url), entry: { url, ...(hasHeaders ? { headers } : {}) } })
  return undefined
}

interface NamedEntry {
  readonly name: string
  readonly entry: Readonly<Record<string, unknown>>
}

function oneEntry({ name, entry }: NamedEntry): LayerEntries {
  return { origin: { layer: 'command-line' }, entries: new Map([[name, entry]]) }
}

function stdioEntry(text: string): NamedEntry {
  const [command, ...args] = splitCommand(text)
  if (command === undefined || command === '') {
    throw misuse('--stdio names no command', 'Write it as --stdio "command arguments".')
  }
  const base = command.split(/[\\/]/).at(-1) ?? command
  return { name: slugOf(base.replace(/\.(?:exe|cmd|bat)$/i, '')), entry: { command, args } }
}

function nameOfUrl(url: string): string {
  return slugOf(URL.canParse(url) ? new URL(url).hostname : 'server')
}

function misuse(problem: string, next: string): CapstanError {
  return new CapstanError('usage', `${problem}.`, { next })
}
