import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { RawEntry } from '../config/types.ts'
import { CapstanError } from '../errors.ts'
import type { CommandInput } from './command.ts'

interface Surroundings {
  /** The `k=v` texts of `--header`. */
  readonly headers: readonly string[]
  /** Where the person stands: what a relative `--cwd` is relative to. */
  readonly cwd: string
  /** The folder of a file that others share, where paths should not name this machine's folders. */
  readonly folder: string | undefined
}

/** The entry that `add NAME URL` or `add NAME -- COMMAND ARGS…` describes. */
export function entryFromArguments({ positionals, values }: CommandInput, around: Surroundings): RawEntry {
  const [, target, ...args] = positionals
  if (target === undefined) {
    throw new CapstanError('usage', 'Say what to run: a URL, or a command after "--".', {
      next: 'Write: capstan add NAME URL, or capstan add NAME -- COMMAND…',
    })
  }
  return isUrl(target, args) ? remoteEntry(target, values, around) : programEntry([target, ...args], values, around)
}

type Values = CommandInput['values']

function remoteEntry(url: string, values: Values, { headers }: Surroundings): RawEntry {
  refuse(values, ['env', 'cwd'], 'a program, not for a URL')
  const type = values['type']
  if (type !== undefined && type !== 'http' && type !== 'sse') {
    throw new CapstanError('usage', `--type is http or sse, not "${String(type)}".`)
  }
  const named = pairs(headers, { flag: '--header', separator: /=|:\s+/ })
  return {
    ...(type === undefined ? {} : { type }),
    url,
    ...(Object.keys(named).length === 0 ? {} : { headers: named }),
  }
}

function programEntry([command = '', ...args]: readonly string[], values: Values, around: Surroundings): RawEntry {
  refuse(values, ['type'], 'a URL, not for a program')
  if (around.headers.length > 0) throw new CapstanError('usage', '--header is for a URL, not for a program.')
  const { cwd } = values
  const env = pairs([values['env'] ?? []].flat().map(String), { flag: '--env', separator: /=/ })
  return {
    command,
    ...(args.length === 0 ? {} : { args }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(typeof cwd === 'string' ? { cwd: folderText(cwd, around) } : {}),
  }
}

function isUrl(target: string, rest: readonly string[]): boolean {
  if (/^https?:\/\//i.test(target)) {
    if (rest.length === 0) return true
    throw new CapstanError('usage', `A URL stands alone; "${rest.join(' ')}" is too much.`)
  }
  const address = /^(?:localhost|\[[\da-f:]+\]|\d+(?:\.\d+){3}|[\w-]+(?:\.[\w-]+)+):\d+(?:\/|$)/i
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(target) || (rest.length === 0 && address.test(target))) {
    throw new CapstanError('usage', `"${target}" is not a URL that a server can have.`, {
      next: `Begin it with http:// or https://, such as http://${target.replace(/^[^:]*:\/\//, '')}.`,
    })
  }
  return false
}

/** What is typed relative to the current folder must mean the same from everywhere, and in a shared file on every machine. */
function folderText(typed: string, { cwd, folder }: Surroundings): string {
  if (/^~|\$\{/.test(typed)) return typed
  const absolute = resolve(cwd, typed)
  if (folder === undefined) return absolute
  const way = relative(folder, absolute)
  if (way === '') return '.'
  return isAbsolute(way) || way === '..' || way.startsWith(`..${sep}`) ? absolute : way
}

interface PairForm {
  readonly flag: string
  readonly separator: RegExp
}

/** `NAME=VALUE` texts by their names. */
export function pairs(texts: readonly string[], { flag, separator }: PairForm): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const found = separator.exec(text)
      if (found === null || found.index === 0) {
        // Not repeating what was typed: it may be the secret itself.
        throw new CapstanError('usage', `${flag} wants NAME=VALUE.`, { next: `Write: ${flag} NAME=VALUE` })
      }
      return [text.slice(0, found.index), text.slice(found.index + found[0].length)]
    }),
  )
}

function refuse(values: Values, flags: readonly string[], reason: string): void {
  const given = flags.find((flag) => values[flag] !== undefined)
  if (given !== undefined) throw new CapstanError('usage', `--${given} is for ${reason}.`)
}
