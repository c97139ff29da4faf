/* oxlint-disable no-control-regex -- a command may stand right behind the sequence that colours it */
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { Io } from './command.ts'
import { aliases, verbs } from './verbs.ts'

type Place = Pick<Io, 'env' | 'cwd' | 'script'>

/** Our own text, with the commands in it as this person has to type them: `npx capstan list` where `capstan` alone would not be found. */
export function asTyped(text: string, place: Place): string {
  if (!text.includes('capstan ') || !needsNpx(place)) return text
  return text.replaceAll(commandStart, '$1npx capstan ')
}

const words = [...verbs, ...Object.keys(aliases), 'help'].join('|')
const commandStart = new RegExp(
  String.raw`(^|\u001B\[[\d;]*m|[^\w/.@-])(?<!npx )capstan (?=\[|--|(?:${words})(?![\w-]))`,
  'gm',
)

function needsNpx(place: Place): boolean {
  const { env } = place
  if (env['npm_command'] === 'exec') return true
  // What npm puts on the PATH of a script is gone when the script ends.
  const isInScript = env['npm_lifecycle_event'] !== undefined
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => !isInScript || !folder.endsWith('.bin'))
  if (folders.some((folder) => folder !== '' && existsSync(join(folder, 'capstan')))) return false
  return foldersAbove(place).some((folder) => isOurPackage(folder, place) || existsSync(join(folder, installed)))
}

const installed = join('node_modules', '.bin', 'capstan')

function isOurPackage(folder: string, { script }: Place): boolean {
  return script !== undefined && script === join(folder, 'dist', 'cli', 'bin.js')
}

function foldersAbove(place: Place): readonly string[] {
  try {
    return upFrom(place.cwd)
  } catch {
    // The current folder is gone; that is reported by whatever needs it.
    return []
  }
}

function upFrom(folder: string): readonly string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upFrom(above)]
}
