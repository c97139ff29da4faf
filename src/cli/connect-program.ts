import { readFile, realpath } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { isObject } from '../json.ts'
import type { Io } from './command.ts'
import { findCommand } from './doctor/find-command.ts'

/** How a program without a shell starts this Capstan: absolute paths, which outlive updates where that can be had. */
export interface OwnProgram {
  readonly command: string
  readonly args: readonly string[]
  /** It stands in the cache of npx, which npm may empty. */
  readonly isTemporary: boolean
}

export async function ownProgram({ env, cwd, script }: Io, version: string): Promise<OwnProgram> {
  const place = { env, cwd, platform: process.platform }
  const typed = script ?? process.argv[1] ?? ''
  // In a clone npx runs a link to it, which stands in the cache too.
  const file = npxFolder(typed) === undefined ? typed : await realpath(typed).catch(() => typed)
  const cache = npxFolder(file)
  if (cache === undefined) return { command: await ownNode(), args: [file], isTemporary: false }
  const npx = (await findCommand('npx', place)) ?? join(dirname(process.execPath), 'npx')
  return { command: npx, args: ['-y', (await packedFile(cache)) ?? `capstan@${version}`], isTemporary: true }

  /** Package managers put a version into the real path and leave a link that stays. */
  async function ownNode(): Promise<string> {
    const found = await findCommand('node', place)
    const real = found === undefined ? undefined : await realpath(found).catch(() => undefined)
    const isLasting = found !== undefined && !found.includes(`node_modules${sep}`)
    return isLasting && real === (await realpath(process.execPath)) ? found : process.execPath
  }
}

/** The folder in the cache of npx that a file stands in; undefined for a file elsewhere. */
function npxFolder(file: string): string | undefined {
  const parts = file.split(sep)
  const at = parts.indexOf('_npx')
  return at === -1 ? undefined : parts.slice(0, at + 2).join(sep)
}

/** The tarball that npx was given, if it was one: by its name alone npx would fetch what the registry has under it. */
async function packedFile(cache: string): Promise<string | undefined> {
  // Where npm keeps no such note, or another one, nothing is known about the origin.
  const note: unknown = await readFile(join(cache, 'package.json'), 'utf8')
    .then(JSON.parse)
    .catch(() => undefined)
  const dependencies = isObject(note) ? note['dependencies'] : undefined
  const spec = isObject(dependencies) ? dependencies['capstan'] : undefined
  if (typeof spec !== 'string' || !spec.startsWith('file:')) return undefined
  return `file:${resolve(cache, spec.slice('file:'.length))}`
}

/** What an agent types in a shell. */
export async function ownShellCommand(io: Io, program: OwnProgram): Promise<string> {
  const isPacked = program.args.some((word) => word.startsWith('file:'))
  if (program.isTemporary) return isPacked ? ['npx', ...program.args].map(quoted).join(' ') : 'npx -y capstan'
  const place = { env: io.env, cwd: io.cwd, platform: process.platform }
  const found = await findCommand('capstan', place)
  if (found !== undefined && !found.includes(`node_modules${sep}`)) return 'capstan'
  return [program.command, ...program.args].map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`
}
