import { CapstanError, type CapstanErrorCode } from '../errors.ts'
import type { Command, CommandInput, RunOptions } from './command.ts'
import { checkField, formFor, splitChoices } from './fields.ts'
import type { ParsedLine } from './grammar.ts'
import { notice, type Form, type Outcome } from './outcome.ts'
import { printLine } from './print-line.ts'

/** Runs a command as it was typed; asks for what is missing with a form. */
export async function executeParsed(command: Command, parsed: ParsedLine, options: LineOptions): Promise<Outcome> {
  const wrong = parsed.problems.find(({ severity }) => severity === 'error')
  if (wrong !== undefined) {
    const error = new CapstanError('usage', wrong.message, { next: `Type /help ${command.name} to see what it takes.` })
    return { kind: 'error', error: error.toJSON(), place: { start: wrong.start, end: wrong.end } }
  }
  const declared = command.declare(parsed.firstWord)
  const form = formFor(command, declared, givenIn(parsed))
  if (form.missing.length > 0) return { kind: 'form', form }
  const warnings = parsed.problems.map(({ message }) => message)
  const input = { values: parsed.values, json: parsed.json, line: options.line }
  return withWarnings(await command.run(input, options), warnings)
}

interface LineOptions extends RunOptions {
  readonly line: string
}

/** Runs a command with the values of its form. */
export async function executeForm(
  command: Command,
  form: Form,
  { values, ...options }: RunOptions & { readonly values: Readonly<Record<string, string>> },
): Promise<Outcome> {
  const wrong = form.fields
    .map((field) => checkField(field, values[field.name] ?? ''))
    .find((text) => text !== undefined)
  if (wrong !== undefined) return errorOutcome(new CapstanError('arguments_invalid', wrong))
  // An optional argument that was left empty is not sent: servers tell "" and nothing apart.
  const given = Object.entries(values).filter(([, value]) => value !== '')
  const valuesOf = (name: string, value: string): readonly string[] => {
    const list = form.fields.find((field) => field.name === name && field.kind === 'choices')
    return list === undefined ? [value] : splitChoices(value, list.choices)
  }
  const declared = command.declare(given.find(([name]) => name === form.fields[0]?.name)?.[1] ?? '')
  const missing = formFor(command, declared, Object.fromEntries(given))
  if (missing.missing.length > 0) return { kind: 'form', form: missing }
  const input: CommandInput = {
    values: new Map(given.map(([name, value]) => [name, valuesOf(name, value)])),
    json: undefined,
    line: printLine(command.name, Object.fromEntries(given), declared),
  }
  return command.run(input, options)
}

export function errorOutcome(error: CapstanError): Outcome {
  return { kind: 'error', error: error.toJSON() }
}

/** What the hub advises is for the command line; in a session there is a shorter way. */
const nextSteps: Partial<Record<CapstanErrorCode, string>> = {
  tool_unknown: 'Type /tools to see them.',
  prompt_unknown: 'Type /prompts to see them.',
  server_unknown: 'Type /servers to see them.',
  login_needed: 'Type /servers login and its name.',
}

/** An expected failure is an outcome; a bug goes on to the top. */
export async function guarded(run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof CapstanError)) throw error
    const { next, ...json } = error.toJSON()
    const here = nextSteps[error.code] ?? next
    return { kind: 'error', error: { ...json, ...(here === undefined ? {} : { next: here }) } }
  }
}

function givenIn({ values, json = {} }: ParsedLine): Readonly<Record<string, string>> {
  const fromJson = Object.entries(json).flatMap(([name, value]) =>
    value === null ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
  )
  const typed = [...values].map(([name, given]) => [name, given.join('\n')])
  return Object.fromEntries([...fromJson, ...typed]) as Readonly<Record<string, string>>
}

function withWarnings(outcome: Outcome, warnings: readonly string[]): Outcome {
  if (warnings.length === 0) return outcome
  if (outcome.kind === 'printed')
    return { ...outcome, blocks: [...warnings.map((warning) => notice(warning, 'warning')), ...outcome.blocks] }
  if (outcome.kind === 'prompt') return { ...outcome, notices: [...warnings, ...outcome.notices] }
  return outcome
}
