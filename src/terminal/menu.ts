import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui'
import type { Suggestion, Suggestions } from '../commands/suggestions.ts'
import { plainLine } from '../policy/plain-text.ts'
import type { Palette } from './paint.ts'

/** The suggestions under an editor, and the one that Enter would take. */
export interface Menu {
  /** The text that they were made for. */
  readonly text: string
  readonly suggestions: Suggestions
  readonly selected: string | undefined
  /** The person chose it with the arrow keys, so it stays selected while the list changes around it. */
  readonly isChosen: boolean
}

export interface TypedText {
  readonly text: string
  readonly cursor: number
}

export interface MenuManners {
  readonly before?: Menu | undefined
  /** Only one of the items can be meant, so that the best fit is presumed, however it fits. */
  readonly isChoice?: boolean
  /** The first is presumed even where nothing is typed. */
  readonly isPicker?: boolean
}

/** A menu for new suggestions, in place of the one before. */
export function menuFor(
  suggestions: Suggestions,
  { text, cursor }: TypedText,
  { before, ...manners }: MenuManners = {},
): Menu {
  const isStillThere = suggestions.items.some(({ key }) => key === before?.selected)
  if (before?.isChosen === true && isStillThere) {
    return { text, suggestions, selected: before.selected, isChosen: true }
  }
  const selected = presumed(suggestions, text.slice(suggestions.from, cursor), manners)
  return { text, suggestions, selected: selected?.key, isChosen: false }
}

/**
 * What Enter takes without a choice: a name, a mention, a value that was begun. Not the name of an argument, and not a value that
 * merely has the letters in it: the text may well stand for itself, as the words of a search do.
 */
function presumed(
  { items }: Suggestions,
  typed: string,
  { isChoice = false, isPicker = false }: MenuManners,
): Suggestion | undefined {
  const exact = items.find(({ insert }) => insert.trim() === typed.trim())
  const first = exact ?? items[0]
  if (first?.kind === 'argument' || (typed === '' && first?.kind !== 'command' && !isPicker)) return undefined
  const isBegun = first?.insert.toLowerCase().startsWith(typed.toLowerCase()) ?? false
  return first?.kind !== 'value' || isChoice || isBegun ? first : undefined
}

export function selectedIn({ suggestions, selected }: Menu): Suggestion | undefined {
  return suggestions.items.find(({ key }) => key === selected)
}

/** The next item down (1) or up (-1), round and round. */
export function moved(menu: Menu, step: 1 | -1): Menu {
  const { items } = menu.suggestions
  const at = items.findIndex(({ key }) => key === menu.selected)
  const next = at === -1 ? (step === 1 ? 0 : items.length - 1) : (at + step + items.length) % items.length
  return { ...menu, selected: items[next]?.key, isChosen: true }
}

export interface MenuSpace {
  readonly width: number
  readonly rows: number
  readonly paint: Palette
}

export function menuLines(menu: Menu, space: MenuSpace): readonly string[] {
  const { items, argument, hasMore } = menu.suggestions
  const { width, rows, paint } = space
  const hint =
    argument === undefined
      ? []
      : [`${argument.name}${argument.isRequired ? ' (needed)' : ''}${about(argument.description)}`]
  const at = items.findIndex(({ key }) => key === menu.selected)
  const first = Math.max(0, Math.min(at - Math.floor(rows / 2), items.length - rows))
  const shown = items.slice(first, first + rows)
  const labelWidth = Math.min(
    Math.max(10, Math.floor(width / 2)),
    Math.max(0, ...shown.map(({ label }) => visibleWidth(plainLine(label)))),
  )
  const below = items.length - first - shown.length
  const rest = below > 0 || hasMore ? [`  ${below > 0 ? `${below} more` : ''}${hasMore ? '…' : ''}`] : []
  return [
    ...hint.map((text) => paint.faint(truncateToWidth(`  ${plainLine(text)}`, width, '…'))),
    ...shown.map((item) => itemLine(item, item.key === menu.selected, { ...space, labelWidth })),
    ...rest.map((text) => paint.faint(truncateToWidth(text, width, '…'))),
  ]
}

function about(description: string | undefined): string {
  return description === undefined ? '' : `: ${description}`
}

function itemLine(
  item: Suggestion,
  isSelected: boolean,
  { width, paint, labelWidth }: MenuSpace & { labelWidth: number },
): string {
  const label = truncateToWidth(plainLine(item.label), labelWidth, '…')
  const padding = ' '.repeat(Math.max(0, labelWidth - visibleWidth(label)))
  const required = item.isRequired === true ? '* ' : ''
  const detail = plainLine(`${required}${item.detail ?? ''}`)
  const painted = isSelected ? paint.selected(label) : paintMatches(label, item, paint)
  const line = `${isSelected ? '›' : ' '} ${painted}${padding}  ${paint.faint(detail)}`
  return truncateToWidth(line, width, '…')
}

/** The letters that were typed stand out. A label that had to be changed is left alone. */
function paintMatches(label: string, { label: original, matches }: Suggestion, paint: Palette): string {
  if (label !== original) return label
  let painted = ''
  let end = 0
  for (const range of matches) {
    painted += label.slice(end, range.start) + paint.name(label.slice(range.start, range.end))
    end = range.end
  }
  return painted + label.slice(end)
}
