import { readServerFile } from '../config/edit.ts'
import { moveSecrets } from '../config/import/move-secrets.ts'
import type { RawEntry } from '../config/types.ts'
import type { Io } from './command.ts'
import type { ServerFiles } from './server-files.ts'

interface Added {
  readonly name: string
  readonly entry: RawEntry
  readonly file: string
  readonly isProject: boolean
  readonly files: ServerFiles
  readonly env: Io['env']
}

/** What a person who has just added this entry should know, as sentences. */
export async function entryAdvice(added: Added): Promise<readonly string[]> {
  return [...secretAdvice(added), ...folderAdvice(added), ...(await shadowAdvice(added))]
}

function secretAdvice({ name, entry, file, isProject, env }: Added): readonly string[] {
  const { servers, variables } = moveSecrets([{ name, entry }], { known: new Map(), env })
  if (variables.size === 0) return []
  const moved = servers[0]?.entry ?? entry
  const flags = (['env', 'headers'] as const).flatMap((field) => saferFlags(entry[field], moved[field], field))
  const names = [...variables.keys()].map((variable) => `\${${variable}}`).join(' and ')
  const danger = isProject ? ', and that file is shared' : ''
  const form = flags.length === 0 ? `write ${names} in its place` : `use ${flags.join(' ')}`
  return [`a secret stands in plain text in ${file}${danger}. Safer: keep it in a variable and ${form}, with --force.`]
}

function saferFlags(before: RawEntry[string] | undefined, after: RawEntry[string] | undefined, field: string) {
  const [old, safe] = [members(before), members(after)]
  const flag = field === 'env' ? '--env' : '--header'
  return Object.keys(safe)
    .filter((key) => safe[key] !== old[key])
    .map((key) => `${flag} '${key}=${String(safe[key])}'`)
}

function members(value: RawEntry[string] | undefined): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

/** A user's server runs in whatever folder the person stands in, so a relative path works from one place only. */
function folderAdvice({ entry: { command, args, cwd }, isProject }: Added): readonly string[] {
  if (isProject || cwd !== undefined) return []
  const words = [command, ...(Array.isArray(args) ? args : [])]
  const path = words.find((word) => typeof word === 'string' && /^\.\.?(?:[\\/]|$)/.test(word))
  if (path === undefined) return []
  return [`"${String(path)}" means another file in another folder. Add --cwd . --force to tie it to this one.`]
}

async function shadowAdvice({ name, file, files }: Added): Promise<readonly string[]> {
  if (!files.inForce.includes(file)) return [`${file} is not in force here, because other config files were named.`]
  const stronger = files.inForce.slice(files.inForce.indexOf(file) + 1)
  const shadows = await Promise.all(stronger.map(async (other) => ((await hasServer(other, name)) ? [other] : [])))
  return shadows.flat().map((other) => `the entry "${name}" in ${other} goes first here.`)
}

async function hasServer(file: string, name: string): Promise<boolean> {
  try {
    return (await readServerFile(file)).has(name)
  } catch {
    return false // A file that cannot be read is reported by whatever needs it; what was asked for has been written.
  }
}
