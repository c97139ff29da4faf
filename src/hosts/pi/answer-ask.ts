import { formFields, plainLine, plainText, readField, type Ask, type JsonValue, type OnAsk } from '../../index.ts'
import type { PiContext } from './pi-api.ts'
import type { InTurn } from './world.ts'

type Field = ReturnType<typeof formFields>[number]

/** Puts what a server asks in the middle of a call to the person, in pi's own dialogs. */
export function answerAsks({ ui }: PiContext, inTurn: InTurn): OnAsk {
  return (ask, dialog) =>
    inTurn(async () => {
      switch (ask.kind) {
        case 'sampling':
          return { action: 'decline', reason: 'pi answers no sampling requests.' }
        case 'url':
          return { action: (await ui.confirm(titleOf(ask), visit(ask.url), dialog)) ? 'accept' : 'decline' }
        case 'form': {
          const content = new Map<string, JsonValue>()
          for (const field of formFields(ask.schema)) {
            const given = await fillIn(field)
            if (given === undefined) return { action: 'cancel' }
            if (given.value !== undefined) content.set(field.name, given.value)
          }
          return { action: 'accept', content: Object.fromEntries(content) }
        }
        default:
          return ask satisfies never
      }

      /** Asks until the value fits; undefined when the person turned away. */
      async function fillIn(field: Field): Promise<{ readonly value: JsonValue | undefined } | undefined> {
        let problem = ''
        for (;;) {
          const title = [titleOf(ask), labelOf(field), problem].filter((line) => line !== '').join('\n')
          const text = await typed(field, title)
          if (text === undefined) return undefined
          const reading = readField(field, text)
          if ('value' in reading) return reading
          problem = reading.problem
        }
      }

      async function typed(field: Field, title: string): Promise<string | undefined> {
        const offered = choicesOf(field)
        if (offered === undefined) return ui.input(title, plainText(field.default ?? ''), dialog)
        const choice = await ui.select(title, [...offered.keys()], dialog)
        return choice === undefined ? undefined : offered.get(choice)
      }
    })
}

/** What can be chosen, by how it is shown; undefined where a text is wanted. */
function choicesOf({ kind, choices = [], required }: Field): ReadonlyMap<string, string> | undefined {
  if (kind !== 'boolean' && kind !== 'choice') return undefined
  const offered = kind === 'boolean' ? [{ value: 'yes' }, { value: 'no' }] : choices
  return new Map([
    ...offered.map(({ value, title = value }: (typeof choices)[number]) => [plainLine(title), value] as const),
    ...(required ? [] : [['(leave it out)', ''] as const]),
  ])
}

function titleOf(ask: Ask): string {
  return `The server "${ask.server}" asks: ${plainText('message' in ask ? ask.message : '')}`
}

function visit(url: string): string {
  return `It wants you to visit this page: ${plainText(url)}\nDo so if you want to, and then say yes.`
}

function labelOf({ name, title = name, description, required, kind }: Field): string {
  const about = description === undefined ? '' : `: ${plainText(description)}`
  const several = kind === 'choices' ? ' (several, with commas between them)' : ''
  return `${plainText(title)}${about}${several}${required ? '' : ' (may be empty)'}`
}
