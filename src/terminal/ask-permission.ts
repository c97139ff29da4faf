import type { PermissionChoice, SessionAnswer, SessionAsk } from '../agent/session.ts'
import { plainLine, revealedText } from '../policy/plain-text.ts'
import { frozen, wrapped } from './blocks/drawn.ts'
import type { Palette } from './paint.ts'
import { choicePanel } from './panels/choice-panel.ts'
import { formPanel } from './panels/form-panel.ts'
import { panelSlot, type Panel } from './panels/panel.ts'
import type { Workplace } from './workplace.ts'

export type PermissionAsk = SessionAsk & { readonly kind: 'permission' }

interface Asking {
  readonly place: Workplace
  readonly onAnswer: (answer: SessionAnswer) => void
  /** Stops the turn. */
  readonly onStop: () => void
}

/** Asks whether a call may run. Disposing it takes the question away. */
export function askPermission(ask: PermissionAsk, { place, onAnswer, onStop }: Asking): Disposable {
  const replace = panelSlot(place.panels)
  const details = frozen((width) => inputLines(ask, width))
  replace(choices(), false)
  return { [Symbol.dispose]: () => replace(undefined, true) }

  function choices(): Panel {
    return choicePanel<PermissionChoice>({
      head: (width) => headLines(ask, width, place.paint),
      details: details.render,
      choices: ask.choices.map((value) => ({ value, label: choiceLabel(value, ask) })),
      escape: 'stops the turn',
      rows: () => place.tui.terminal.rows,
      paint: place.paint,
      onChange: () => place.tui.requestRender(),
      onAnswer: (choice) => (choice === 'no' ? replace(reason(), true) : onAnswer({ kind: 'permission', choice })),
      onEscape: onStop,
      onKey: place.onAnyKey,
    })
  }

  /** The model gets to know why, if the person says so. */
  function reason(): Panel {
    return formPanel({
      title: `No to ${plainLine(ask.label)}`,
      fields: [{ name: 'reason', title: 'What should the model know?', required: false, kind: 'text' }],
      values: {},
      check: () => undefined,
      complete: async () => [],
      escape: 'goes back to the choices',
      tui: place.tui,
      paint: place.paint,
      onFilled: ({ reason: text }) =>
        onAnswer({ kind: 'permission', choice: 'no', ...(text === undefined ? {} : { reason: text }) }),
      onEscape: () => replace(choices(), true),
      onKey: place.onAnyKey,
    })
  }
}

function choiceLabel(choice: PermissionChoice, { tool, label }: PermissionAsk): string {
  const name = plainLine(label)
  const labels: Readonly<Record<PermissionChoice, string>> = {
    once: 'yes, this once',
    session: `yes, ${name} for this session`,
    'always-tool': `always ${name}, in this project`,
    'always-server': `always every tool of ${plainLine(tool?.server ?? name)}, in this project`,
    no: 'no, and say why',
  }
  return labels[choice]
}

function headLines({ label, hints, isChanged }: PermissionAsk, width: number, paint: Palette): readonly string[] {
  const all = [...hints, ...(isChanged ? ['has changed since you allowed it'] : [])]
  return [
    ...wrapped(`May ${plainLine(label)} run?`, width).map(paint.heading),
    ...all.flatMap((hint) => wrapped(plainLine(hint), width, '  ! ').map(paint.warning)),
  ]
}

/** Nothing may hide here: invisible characters are written out. */
function inputLines({ input }: PermissionAsk, width: number): readonly string[] {
  return Object.entries(input).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
    const lines = text.split('\n').map(revealedText)
    return wrapped(lines.join('\n'), width, `  ${revealedText(name)} = `)
  })
}
