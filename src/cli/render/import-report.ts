import type { CopyReport } from '../../config/import/copy-servers.ts'
import type { PlannedCopy } from '../../config/import/plan-copies.ts'
import { findSecrets } from '../../policy/secrets.ts'
import { count } from './numbers.ts'

export interface ToldCopy {
  readonly report: CopyReport
  readonly file: string
  readonly secretsFile: string
  /** Others get to see the file, as they do with a project's. */
  readonly isShared: boolean
}

/** What an import did, for a person. No secret is shown. */
export function describeCopy({ report, file, secretsFile, isShared }: ToldCopy): string {
  const { plan, written, variables, left } = report
  const copied = plan.filter(({ kind }) => kind === 'copy')
  const present = namesOf(plan, 'present')
  const taken = namesOf(plan, 'taken')
  const stuck = new Set(left.map(({ server }) => server))
  const literal = written.filter(({ name, entry }) => !stuck.has(name) && findSecrets(entry).length > 0)
  return [
    copied.length === 0 ? 'Nothing was copied.' : `Copied to ${file}: ${copied.map(copiedAs).join(', ')}.`,
    ...(present.length === 0 ? [] : [`Already there: ${present.join(', ')}.`]),
    ...taken.map((name) => `Left out: "${name}" is there already with another entry. To have both: --rename.`),
    ...(variables.length === 0 ? [] : describeSecretsFile(variables, secretsFile)),
    ...left.map(({ server, label }) => `${server}: the secret "${label}" could not be moved and stays in the entry.`),
    ...(literal.length === 0
      ? []
      : [
          describeLiterals(
            literal.map(({ name }) => name),
            isShared,
          ),
        ]),
    ...(copied.length === 0
      ? []
      : [`Next: ${copied.every(({ row }) => row.scope === 'user') || !isShared ? 'capstan list' : 'capstan review'}`]),
    '',
  ].join('\n')
}

/** The same for a program: one JSON value. */
export function copyToJson({ report, file, secretsFile }: ToldCopy): string {
  const { plan, variables, left } = report
  const copied = plan.filter(({ kind }) => kind === 'copy')
  const value = {
    file,
    copied: copied.map(({ name, row }) => ({
      name,
      clients: [...new Set(row.sources.map((source) => source.client))],
    })),
    alreadyThere: namesOf(plan, 'present'),
    leftOut: namesOf(plan, 'taken').map((name) => ({ name, reason: 'name_taken' })),
    ...(variables.length === 0 ? {} : { secrets: { file: secretsFile, variables } }),
    ...(left.length === 0 ? {} : { secretsNotMoved: left }),
  }
  return `${JSON.stringify(value)}\n`
}

function namesOf(plan: readonly PlannedCopy[], kind: PlannedCopy['kind']): readonly string[] {
  return plan.filter((item) => item.kind === kind).map(({ name }) => name)
}

function copiedAs({ name, row }: PlannedCopy): string {
  return name === row.name ? name : `${row.name} as ${name}`
}

function describeSecretsFile(variables: readonly string[], file: string): readonly string[] {
  const quoted = /^[\w@%+=:,./-]+$/.test(file) ? file : `'${file.replaceAll("'", String.raw`'\''`)}'`
  return [
    `Moved ${count(variables.length, 'secret')} to ${file}: ${variables.join(', ')}.`,
    'These servers start only where the variables are set. Add this line to the file your shell reads at login:',
    `  set -a; . ${quoted}; set +a`,
  ]
}

function describeLiterals(names: readonly string[], isShared: boolean): string {
  const risk = isShared ? ', and whoever gets the project gets them' : ''
  const command = `capstan import --all${isShared ? ' --project' : ''} --move-secrets`
  return `Secrets stand in plain text in ${names.join(', ')}${risk}. To take them out: ${command}`
}
