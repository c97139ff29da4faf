import { checkField } from '../commands/fields.ts'
import type { Candidate } from '../commands/command.ts'
import type { FormField } from '../commands/outcome.ts'
import { rank } from '../commands/fuzzy.ts'
import type { Answer, Ask } from '../hub/api.ts'
import { type AskField, formFields, readField, readForm } from '../hub/asks/form-fields.ts'
import { plainLine, plainText, revealedText } from '../policy/plain-text.ts'
import { frozen, wrapped } from './blocks/drawn.ts'
import { choicePanel } from './panels/choice-panel.ts'
import { type CompleteOptions, formPanel, type FormValues } from './panels/form-panel.ts'
import { panelSlot, type Panel } from './panels/panel.ts'
import type { Workplace } from './workplace.ts'

interface Asking {
  readonly place: Workplace
  readonly openPage: (url: string) => Promise<boolean>
  readonly onAnswer: (answer: Answer) => void
}

/** Puts what a server asks to the person, and resolves to the answer. */
export function putAsk(
  ask: Ask,
  { signal, ...asking }: Omit<Asking, 'onAnswer'> & { signal: AbortSignal },
): Promise<Answer> {
  if (signal.aborted) return Promise.resolve({ action: 'cancel' })
  return new Promise((resolve) => {
    const settle = (answer: Answer): void => {
      shown[Symbol.dispose]()
      resolve(answer)
    }
    // A question may be answered before it has been shown.
    const shown = answerAsk(ask, { ...asking, onAnswer: (answer) => queueMicrotask(() => settle(answer)) })
    signal.addEventListener('abort', () => settle({ action: 'cancel' }), { once: true })
  })
}

/** Puts what a server asks to the person. Disposing it takes the question away. */
export function answerAsk(ask: Ask, { place, openPage, onAnswer }: Asking): Disposable {
  const replace = panelSlot(place.panels)
  if (ask.kind === 'form') replace(formStart(ask), false)
  else if (ask.kind === 'url') replace(pagePanel(ask), false)
  else onAnswer({ action: 'decline', reason: 'The session answers no sampling requests.' })
  return { [Symbol.dispose]: () => replace(undefined, true) }

  function formStart(form: Ask & { kind: 'form' }): Panel {
    const fields = formFields(form.schema)
    // A choice first: a form that comes by itself must not take what is being typed for its first value.
    return question({
      head: `${plainLine(form.server)} asks:`,
      details: (width) => wrapped(plainText(form.message), width, '  '),
      choices: [
        {
          value: 'accept',
          label:
            fields.length === 0 ? 'agree' : `answer (${fields.length === 1 ? '1 field' : `${fields.length} fields`})`,
        },
        { value: 'decline', label: 'decline' },
      ],
      onAccept: () => {
        if (fields.length === 0) onAnswer({ action: 'accept', content: {} })
        else replace(fieldsPanel(form, fields, {}), true)
      },
    })
  }

  function fieldsPanel(form: Ask & { kind: 'form' }, fields: readonly AskField[], values: FormValues): Panel {
    return formPanel({
      title: `${plainLine(form.server)} asks`,
      description: form.message,
      fields,
      values,
      check: (field, text) => problemOf(fields, field, text),
      complete: completeChoices,
      escape: 'goes back to the question',
      tui: place.tui,
      paint: place.paint,
      onFilled: (filled) => replace(sendPanel(form, fields, filled), true),
      onEscape: () => replace(formStart(form), true),
      onKey: place.onAnyKey,
    })
  }

  /** Nothing goes to a server before the person has seen all of it. */
  function sendPanel(form: Ask & { kind: 'form' }, fields: readonly AskField[], values: FormValues): Panel {
    const { content } = readForm(fields, new Map(Object.entries(values)))
    return question({
      head: `Send this to ${plainLine(form.server)}?`,
      details: (width) =>
        Object.entries(content).flatMap(([name, value]) =>
          wrapped(revealedText(JSON.stringify(value)), width, `  ${plainLine(name)} = `),
        ),
      choices: [
        { value: 'accept', label: 'send' },
        { value: 'change', label: 'change it' },
        { value: 'decline', label: 'decline' },
      ],
      onAccept: () => onAnswer({ action: 'accept', content }),
      onChange: () => replace(fieldsPanel(form, fields, values), true),
    })
  }

  function pagePanel({ server, message, url, purpose }: Ask & { kind: 'url' }): Panel {
    const page = URL.parse(url)
    const why = purpose === 'login' ? 'wants you to log in at' : 'wants you to visit a page at'
    return question({
      head: `${plainLine(server)} ${why} ${page?.host ?? 'an address that cannot be read'}:`,
      details: (width) => [
        ...wrapped(revealedText(page?.href ?? url), width, '  '),
        ...wrapped(plainText(message), width, '  '),
      ],
      choices: [
        { value: 'accept', label: 'open it' },
        { value: 'decline', label: 'decline' },
      ],
      onAccept: () => {
        if (page === null) return onAnswer({ action: 'decline', reason: 'not a page' })
        place.detach(visit(page.href))
      },
    })
  }

  async function visit(address: string): Promise<void> {
    if (!(await openPage(address))) {
      place.show({ render: (width) => wrapped(`Open it yourself: ${revealedText(address)}`, width) })
    }
    onAnswer({ action: 'accept' })
  }

  function question(asked: {
    readonly head: string
    readonly details: (width: number) => readonly string[]
    readonly choices: readonly { readonly value: 'accept' | 'change' | 'decline'; readonly label: string }[]
    readonly onAccept: () => void
    readonly onChange?: () => void
  }): Panel {
    return choicePanel({
      head: (width) => wrapped(asked.head, width).map(place.paint.heading),
      details: frozen(asked.details).render,
      choices: asked.choices,
      escape: 'cancels the question',
      rows: () => place.tui.terminal.rows,
      paint: place.paint,
      onChange: () => place.tui.requestRender(),
      onAnswer: (value) => {
        if (value === 'accept') asked.onAccept()
        else if (value === 'change') asked.onChange?.()
        else onAnswer({ action: 'decline', reason: 'The person said no.' })
      },
      onEscape: () => onAnswer({ action: 'cancel' }),
      onKey: place.onAnyKey,
    })
  }
}

function problemOf(fields: readonly AskField[], field: FormField, text: string): string | undefined {
  const own = fields.find(({ name }) => name === field.name)
  if (own === undefined) return checkField(field, text)
  const reading = readField(own, text)
  return 'problem' in reading ? reading.problem : undefined
}

async function completeChoices(field: FormField, { typed }: CompleteOptions): Promise<readonly Candidate[]> {
  const choices = field.kind === 'boolean' ? [{ value: 'true' }, { value: 'false' }] : (field.choices ?? [])
  return rank(choices, typed, ({ value }) => value).map(({ item }) => ({
    value: item.value,
    ...('title' in item && item.title !== undefined ? { detail: item.title } : {}),
  }))
}
