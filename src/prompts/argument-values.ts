import { CapstanError } from '../errors.ts'
import type { Prompt, PromptArgument } from './prompt.ts'

/** The value of each argument that has one: what was given, else its default. Throws `arguments_invalid`, naming all that is wrong. */
export function argumentValues(prompt: Prompt, given: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const declared = new Set(prompt.arguments.map(({ name }) => name))
  const unknown = Object.keys(given).filter((name) => !declared.has(name))
  const problems = [
    ...unknown.map((name) => `there is no argument "${name}"`),
    ...prompt.arguments.flatMap((argument) => problemWith(argument, given)),
  ]
  if (problems.length > 0) throw refused(prompt, problems)
  return new Map(
    prompt.arguments.flatMap((argument) => {
      const value = valueOf(argument, given)
      return value === undefined ? [] : [[argument.name, value]]
    }),
  )
}

/** Required arguments that have no value: what a door may still ask the person for. */
export function missingArguments(prompt: Prompt, given: Readonly<Record<string, string>>): readonly PromptArgument[] {
  return prompt.arguments.filter((argument) => argument.required && valueOf(argument, given) === undefined)
}

/** An empty text is no value: forms send it for fields that were left out. */
function valueOf(
  { name, default: fallback }: PromptArgument,
  given: Readonly<Record<string, string>>,
): string | undefined {
  const value = Object.hasOwn(given, name) ? given[name] : undefined
  return value === undefined || value === '' ? fallback : value
}

function problemWith(argument: PromptArgument, given: Readonly<Record<string, string>>): readonly string[] {
  const value = valueOf(argument, given)
  if (value === undefined) return argument.required ? [`"${argument.name}" is missing${describe(argument)}`] : []
  const wanted = expectationOf(argument, value)
  return wanted === undefined ? [] : [`"${argument.name}" must be ${wanted}, but is ${JSON.stringify(cut(value))}`]
}

function expectationOf({ type, enum: choices }: PromptArgument, value: string): string | undefined {
  if (choices !== undefined) return choices.includes(value) ? undefined : `one of ${choices.join(', ')}`
  if (type === 'boolean') return value === 'true' || value === 'false' ? undefined : 'true or false'
  if (type === 'integer') return /^[+-]?\d+$/.test(value.trim()) ? undefined : 'a whole number'
  if (type === 'number') return value.trim() !== '' && Number.isFinite(Number(value)) ? undefined : 'a number'
  return undefined
}

function describe({ description }: PromptArgument): string {
  return description === undefined || description === '' ? '' : ` (${cut(description)})`
}

function cut(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function refused(prompt: Prompt, problems: readonly string[]): CapstanError {
  const names = prompt.arguments.map(({ name, required }) => (required ? name : `${name} (optional)`))
  return new CapstanError('arguments_invalid', `Prompt "${prompt.name}": ${problems.join('; ')}.`, {
    next: names.length === 0 ? 'It takes no arguments.' : `Its arguments: ${names.join(', ')}.`,
  })
}
