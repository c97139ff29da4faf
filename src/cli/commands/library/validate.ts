import { includesOf, lintPrompt } from '../../../prompts/lint-prompt.ts'
import type { PromptStore, StoredPrompt, StoreProblem } from '../../../prompts/store.ts'
import type { CommandInput } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import { plainLine } from '../../../policy/plain-text.ts'
import { count } from '../../render/numbers.ts'
import { styleFor } from '../../render/style.ts'
import { choosePrompts } from './choose-prompts.ts'
import { findSecretsIn } from './find-secrets.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Look for mistakes: blocks that do not match, braces that no argument is declared for, arguments that no text uses, inclusions of
prompts that do not exist, texts that look like secrets, and lines of the files that cannot be read.

  --tag, --any-tag, --layer   only these prompts, as in "library list"
  --json                      what was found, as one JSON value

Exit code 1 when there is an error; warnings alone are 0.

Examples
  capstan library validate
  capstan library validate standup --json`,
  run,
}

interface Finding {
  readonly prompt: string
  readonly severity: 'error' | 'warning'
  readonly where: string
  readonly message: string
}

async function run({ io, flags, openLibrary }: LibraryContext, { values, positionals }: CommandInput): Promise<number> {
  const { store } = await openLibrary()
  const prompts = await choosePrompts(store, { names: positionals, values })
  const findings = (await Promise.all(prompts.map(async (stored) => await findingsOf(stored, store)))).flat()
  const problems = positionals.length === 0 ? await store.problems() : []
  const errors = findings.filter(({ severity }) => severity === 'error').length + problems.length
  if (flags.json) await io.out(`${JSON.stringify({ checked: prompts.length, findings, problems })}\n`)
  else
    await io.out(
      report(findings, problems, { io }) + summary(prompts.length, errors, findings.length + problems.length),
    )
  return errors === 0 ? exitCodes.ok : exitCodes.failed
}

async function findingsOf({ prompt }: StoredPrompt, store: PromptStore): Promise<readonly Finding[]> {
  const included = includesOf(prompt)
  const missing = await Promise.all(included.map(async (name) => ((await store.has(name)) ? [] : [name])))
  return [
    ...lintPrompt(prompt).map((finding) => ({ prompt: prompt.name, ...finding })),
    ...missing.flat().map((name): Finding => {
      return { prompt: prompt.name, severity: 'error', where: `{{> ${name}}}`, message: 'there is no such prompt' }
    }),
    ...findSecretsIn(prompt).map(({ where, masked }): Finding => {
      return { prompt: prompt.name, severity: 'warning', where, message: `${masked} looks like a secret` }
    }),
  ]
}

function report(
  findings: readonly Finding[],
  problems: readonly StoreProblem[],
  { io }: Pick<LibraryContext, 'io'>,
): string {
  const style = styleFor(io)
  const mark = { error: style.bad('error'), warning: style.warning('warning') }
  return [
    ...problems.map(({ place, line, reason }) => `${mark.error} ${plainLine(place)}:${line}: ${plainLine(reason)}\n`),
    ...findings.map(({ prompt, severity, where, message }) => {
      return `${mark[severity]} ${style.name(prompt)} ${plainLine(where)}: ${plainLine(message)}\n`
    }),
  ].join('')
}

function summary(checked: number, errors: number, all: number): string {
  return `${count(checked, 'prompt')} checked: ${count(errors, 'error')}, ${count(all - errors, 'warning')}.\n`
}
