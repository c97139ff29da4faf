import { stat } from 'node:fs/promises'
import type { Config } from '../../config/types.ts'
import type { Places } from '../../files/places.ts'
import type { Fact, Finding, Report } from './report.ts'

export interface Ground {
  /** As in `process.versions.node`. */
  readonly nodeVersion: string
  readonly platform: NodeJS.Platform
  readonly places: Places
  /** Absent when the files could not be read; then `configProblem` says why. */
  readonly config?: Pick<Config, 'files' | 'warnings'> | undefined
  readonly configProblem?: { readonly message: string; readonly next?: string | undefined } | undefined
}

/** What stands under all servers: Node, the config files, the folders Capstan keeps things in. */
export async function checkGround(ground: Ground): Promise<Report> {
  const { config, configProblem } = ground
  const folders = await checkPlaces(ground)
  return {
    facts: [
      { label: 'node', value: ground.nodeVersion },
      ...(config?.files ?? []).map((file) => ({ label: 'config', value: `${file.path} (${file.layer})` })),
      ...folders.facts,
    ],
    findings: [
      ...checkNode(ground.nodeVersion),
      ...(configProblem === undefined
        ? []
        : [problem(configProblem.message, configProblem.next ?? 'Correct the file.')]),
      ...(config?.warnings ?? []).map((warning) => problem(warning, 'See: capstan config')),
      ...folders.findings,
    ],
  }
}

const leastNode = [22, 19] as const

function checkNode(version: string): readonly Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNew = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])
  return isNew ? [] : [problem(`Node ${version} is too old.`, `Install Node ${leastNode.join('.')} or newer.`)]
}

async function checkPlaces({ places, platform }: Ground): Promise<Report> {
  const names = ['config', 'state', 'cache', 'runtime'] as const
  const checked = await Promise.all(names.map(async (name) => checkPlace(name, places[name], platform)))
  const facts = checked.flatMap((place) => place.facts)
  const findings = checked.flatMap((place) => place.findings)
  // Without XDG_RUNTIME_DIR runtime and state are one folder, which has one thing wrong with it, not two.
  return { facts, findings: [...new Map(findings.map((finding) => [finding.what, finding])).values()] }
}

async function checkPlace(name: keyof Places, path: string, platform: NodeJS.Platform): Promise<Report> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return { facts: [fact(`${name} folder`, `${path} (not there yet)`)], findings: [] }
  const mode = found.mode & 0o777
  const facts = [fact(`${name} folder`, `${path} (${mode.toString(8)})`)]
  if (!found.isDirectory()) return { facts, findings: [problem(`${path} is not a folder.`, 'Move it out of the way.')] }
  const isPrivate = platform === 'win32' || (mode & 0o077) === 0
  const mustBePrivate = name === 'state' || name === 'runtime'
  if (isPrivate || !mustBePrivate) return { facts, findings: [] }
  return { facts, findings: [problem(`Others on this machine can look into ${path}.`, `Run: chmod 700 ${path}`)] }
}

function fact(label: string, value: string): Fact {
  return { label, value }
}

function problem(what: string, mend: string): Finding {
  return { level: 'problem', what, mend }
}
