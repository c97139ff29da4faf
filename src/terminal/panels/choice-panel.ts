import { matchesKey, truncateToWidth } from '@earendil-works/pi-tui'
import type { Palette } from '../paint.ts'
import { type Panel, restFirst } from './panel.ts'

export interface Choice<Value> {
  readonly value: Value
  readonly label: string
}

export interface ChoiceQuestion<Value> {
  /** What is asked, in a few lines. */
  readonly head: (width: number) => readonly string[]
  /** What is needed to decide. Where it is long, Ctrl-O shows all of it, in pages that fit the window. */
  readonly details: (width: number) => readonly string[]
  readonly choices: readonly Choice<Value>[]
  /** What Esc does, in words. */
  readonly escape: string
  /** The lines of the window. */
  readonly rows: () => number
  readonly paint: Palette
  readonly onChange: () => void
  readonly onAnswer: (value: Value) => void
  readonly onEscape: () => void
  readonly onKey?: (key: string) => boolean
}

/** Asks for one of a few answers: by its number, or with the arrow keys and Enter. */
export function choicePanel<Value>(question: ChoiceQuestion<Value>): Panel {
  const { choices, paint } = question
  let selected = 0
  let isActive = false
  /** The page of the details that is shown; 0 when they are folded. */
  let page = 0
  let pages = 0
  return {
    render: (width) => {
      const head = question.head(width)
      return [
        paint.warning('─'.repeat(width)),
        ...head,
        ...detailLines(width, question.rows() - head.length - choices.length - linesAround),
        ...choices.map(({ label }, index) => {
          const text = `${index + 1} ${label}`
          const line = index === selected && isActive ? `› ${paint.selected(text)}` : `  ${text}`
          return truncateToWidth(isActive ? line : paint.faint(line), width, '…')
        }),
        paint.faint(
          truncateToWidth(isActive ? `Number or Enter answers · Esc ${question.escape}` : restFirst, width, '…'),
        ),
      ]
    },
    setActive(next) {
      isActive = next
    },
    handleInput(key) {
      if (matchesKey(key, 'up') || matchesKey(key, 'down')) {
        selected = (selected + (matchesKey(key, 'up') ? -1 : 1) + choices.length) % choices.length
      } else if (matchesKey(key, 'ctrl+o')) page = page < pages ? page + 1 : 0
      else if (matchesKey(key, 'escape')) question.onEscape()
      else if (question.onKey?.(key) === true) return
      else {
        const chosen = matchesKey(key, 'enter') ? choices[selected] : choices[Number(key) - 1]
        if (chosen !== undefined) question.onAnswer(chosen.value)
      }
      question.onChange()
    },
    invalidate() {},
  }

  function detailLines(width: number, rows: number): readonly string[] {
    const all = question.details(width)
    const room = Math.max(1, rows)
    const folded = Math.min(foldedLines, room)
    pages = all.length > folded ? Math.ceil(all.length / room) : 0
    if (pages === 0) return all
    const note = (text: string): string => paint.warning(truncateToWidth(`  … ${text}`, width, '…'))
    if (page === 0 || page > pages) {
      return [...all.slice(0, folded), note(`${all.length - folded} more lines, Ctrl-O shows them`)]
    }
    const start = (page - 1) * room
    const shown = all.slice(start, start + room)
    if (pages === 1) return shown
    const next = page < pages ? 'shows the next' : 'folds them'
    return [...shown, note(`lines ${start + 1} to ${start + shown.length} of ${all.length}, Ctrl-O ${next}`)]
  }
}

const foldedLines = 10

/** The lines of a panel besides head, details and choices, and those that stand above it. */
const linesAround = 7
