import type { CommandArgument, CommandArguments, Command } from './command.ts'
import type { Form, FormField } from './outcome.ts'

/** The form that asks for the arguments of a command, with those that were given filled in. */
export function formFor(command: Command, declared: CommandArguments, values: Readonly<Record<string, string>>): Form {
  return {
    command: command.key,
    title: declared.about?.title ?? command.title ?? `/${command.name}`,
    description: declared.about?.description ?? command.summary,
    fields: declared.slots.map(fieldOf),
    values,
    missing: declared.slots
      .filter(({ name, required }) => required && !Object.hasOwn(values, name))
      .map(({ name }) => name),
  }
}

function fieldOf({ name, title, description, required, kind, choices, default: preset }: CommandArgument): FormField {
  return {
    name,
    required,
    kind,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(choices === undefined ? {} : { choices }),
    ...(preset === undefined ? {} : { default: preset }),
  }
}

/** What is wrong with a value that was typed into a field, or nothing. An empty optional field counts as not given. */
export function checkField(
  { name, title = name, required, kind, choices = [] }: FormField,
  value: string,
): string | undefined {
  if (value === '') return required ? `${title} is needed.` : undefined
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value))
  if (kind === 'number' && !isNumber) return `${title} is a number.`
  if (kind === 'integer' && !(isNumber && Number.isInteger(Number(value)))) return `${title} is a whole number.`
  if (kind === 'boolean' && value !== 'true' && value !== 'false') return `${title} is true or false.`
  const isChoice = (text: string) => choices.some((choice) => choice.value === text)
  const wanted = () => `${title} is one of: ${choices.map((choice) => choice.value).join(', ')}.`
  if (kind === 'choice' && !isChoice(value)) return wanted()
  if (kind === 'choices' && !splitChoices(value, choices).every(isChoice)) return wanted()
  return undefined
}

/** Several choices in one field stand on lines of their own, or behind commas. */
export function splitChoices(value: string, choices: FormField['choices'] = []): readonly string[] {
  const isChoice = (text: string) => choices.some((choice) => choice.value === text)
  return value
    .split('\n')
    .flatMap((line) => (isChoice(line) ? [line] : line.split(',').map((word) => word.trim())))
    .filter((word) => word !== '')
}
