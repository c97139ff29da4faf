import { realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
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
  const file = script ?? process.argv[1] ?? ''
  if (!file.split(sep).includes('_npx')) return { command: await ownNode(), args: [file], isTemporary: false }
  const npx = (await findCommand('npx', place)) ?? join(dirname(process.execPath), 'npx')
  return { command: npx, args: ['-y', `capstan@${version}`], isTemporary: true }

  /** Package managers put a version into the real path and leave a link that stays. */
  async function ownNode(): Promise<string> {
    const found = await findCommand('node', place)
    const real = found === undefined ? undefined : await realpath(found).catch(() => undefined)
    const isLasting = found !== undefined && !found.includes(`node_modules${sep}`)
    return isLasting && real === (await realpath(process.execPath)) ? found : process.execPath
  }
}

/** What an agent types in a shell. */
export async function ownShellCommand(io: Io, program: OwnProgram): Promise<string> {
  if (program.isTemporary) return 'npx -y capstan'
  const place = { env: io.env, cwd: io.cwd, platform: process.platform }
  const found = await findCommand('capstan', place)
  if (found !== undefined && !found.includes(`node_modules${sep}`)) return 'capstan'
  return [program.command, ...program.args].map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`
}
