import type { Answer, Ask } from '../hub/api.ts'
import { formFields, readField, readForm, type AskField } from '../hub/asks/form-fields.ts'
import { askOrLeave } from './ask.ts'
import type { Io } from './command.ts'
import { choiceLines, fieldPrompt, typedChoice } from './form-field-text.ts'
import { plainLine } from '../policy/plain-text.ts'
import { quoted } from './render/ask.ts'

type FormAsk = Ask & { readonly kind: 'form' }
type Left = 'interrupted' | 'declined'

interface Filling {
  /** What is known already, as text, by the name of the field: only what is missing or wrong is asked. */
  readonly given: ReadonlyMap<string, string>
  readonly signal: AbortSignal
}

/** Fills in a server's form with a person. Nothing is sent before the person has said so. */
export async function fillForm(io: Io, ask: FormAsk, { given, signal }: Filling): Promise<Answer | 'interrupted'> {
  const fields = formFields(ask.schema)
  io.err(`\nServer "${plainLine(ask.server)}" asks:\n${quoted(ask.message)}${fields.length === 0 ? '' : manual}`)
  let texts = given
  for (let isFirst = true; ; isFirst = false) {
    const asked = isFirst && given.size > 0 ? fields.filter((field) => !isSettled(field, given)) : fields
    const filled = await askFields(io, asked, { given: texts, signal })
    if (typeof filled === 'string') return leave(filled)
    texts = filled
    const word = await askToSend(io, ask, { isEmpty: fields.length === 0, signal })
    if (word === 'interrupted' || word === 'declined') return leave(word)
    if (word === 'yes') return { action: 'accept', content: readForm(fields, texts).content }
  }
}

const manual =
  '(Enter takes what stands in brackets, or leaves an optional field out. Ctrl-D declines the form, Ctrl-C cancels it.)\n'

/** What was given for some fields asks for no others, besides those that are needed. */
function isSettled(field: AskField, given: ReadonlyMap<string, string>): boolean {
  return 'value' in readField(field, given.get(field.name) ?? '')
}

function leave(left: Left): Answer | 'interrupted' {
  return left === 'interrupted' ? left : { action: 'decline', reason: 'The person said no.' }
}

async function askFields(
  io: Io,
  fields: readonly AskField[],
  { given, signal }: Filling,
): Promise<ReadonlyMap<string, string> | Left> {
  const texts = new Map(given)
  for (const field of fields) {
    const text = await askField(io, field, { before: texts.get(field.name), signal })
    if (typeof text !== 'string') return text.left
    texts.set(field.name, text)
  }
  return texts
}

interface FieldQuestion {
  /** What stands in the field already. */
  readonly before: string | undefined
  readonly signal: AbortSignal
}

/** Asks until the answer fits. */
async function askField(
  io: Io,
  field: AskField,
  { before, signal }: FieldQuestion,
): Promise<string | { readonly left: Left }> {
  io.err(choiceLines(field))
  const preset = before !== undefined && 'value' in readField(field, before) ? before : undefined
  for (;;) {
    const typed = await askOrLeave(io, fieldPrompt(field, preset), { signal })
    if (typed.kind !== 'answer') return { left: typed.kind === 'ended' ? 'declined' : 'interrupted' }
    const isSkipped = typed.text === '-' && !field.required
    const text = isSkipped ? '' : typed.text === '' ? (preset ?? '') : typedChoice(field, typed.text)
    const reading = readField(field, text)
    if ('value' in reading) return text
    io.err(`  ${plainLine(reading.problem)}\n`)
  }
}

interface SendQuestion {
  readonly isEmpty: boolean
  readonly signal: AbortSignal
}

async function askToSend(io: Io, { server }: FormAsk, { isEmpty, signal }: SendQuestion): Promise<string> {
  const typed = await (isEmpty
    ? askOrLeave(io, 'Agree?', { choices: ['yes', 'no'], signal })
    : askOrLeave(io, `Send this to "${plainLine(server)}"?`, {
        choices: ['yes', 'change', 'no'],
        default: 'yes',
        signal,
      }))
  if (typed.kind !== 'answer') return typed.kind === 'ended' ? 'declined' : 'interrupted'
  return typed.text === 'no' ? 'declined' : typed.text
}
