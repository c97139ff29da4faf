import { matchesKey, truncateToWidth } from '@earendil-works/pi-tui'
import type { Palette } from '../paint.ts'
import { type Panel, restFirst } from './panel.ts'

export interface Choice<Value> {
  readonly value: Value
  readonly label: string
}

export interface ChoiceQuestion<Value> {
  /** What is asked, with what is needed to decide. Ctrl-O shows all of it. */
  readonly lines: (width: number, isWhole: boolean) => readonly string[]
  readonly choices: readonly Choice<Value>[]
  /** What Esc does, in words. */
  readonly escape: string
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
  let isWhole = false
  return {
    render: (width) => [
      paint.warning('─'.repeat(width)),
      ...question.lines(width, isWhole),
      ...choices.map(({ label }, index) => {
        const text = `${index + 1} ${label}`
        const line = index === selected && isActive ? `› ${paint.selected(text)}` : `  ${text}`
        return truncateToWidth(isActive ? line : paint.faint(line), width, '…')
      }),
      paint.faint(
        truncateToWidth(isActive ? `Number or Enter answers · Esc ${question.escape}` : restFirst, width, '…'),
      ),
    ],
    setActive(next) {
      isActive = next
    },
    handleInput(key) {
      if (matchesKey(key, 'up') || matchesKey(key, 'down')) {
        selected = (selected + (matchesKey(key, 'up') ? -1 : 1) + choices.length) % choices.length
      } else if (matchesKey(key, 'ctrl+o')) isWhole = !isWhole
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
}
