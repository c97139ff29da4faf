import { CURSOR_MARKER, Editor, type EditorTheme, matchesKey, type TUI } from '@earendil-works/pi-tui'
import type { Suggestion, Suggestions } from '../commands/suggestions.ts'
import { plainText } from '../policy/plain-text.ts'
import { harmlessLine } from './harmless-line.ts'
import { type Menu, menuFor, menuLines, moved, selectedIn } from './menu.ts'
import type { Palette } from './paint.ts'

export type Suggest = (text: string, cursor: number, options: { readonly signal: AbortSignal }) => Promise<Suggestions>

export interface PromptEditorSetup {
  readonly tui: TUI
  readonly paint: Palette
  readonly suggest: Suggest
  /** Keys that no menu wanted, before they edit the text. True: it was for somebody else. */
  readonly onKey?: (key: string) => boolean
  /** Enter takes a selected item and is done: fields of a form, whose value that is. */
  readonly isSubmittedByChoice?: boolean
  /** Only what is suggested can be meant. */
  readonly isChoice?: () => boolean
  /** It is all about the list: Enter takes the first item where nothing is typed, and Esc is not for the menu. */
  readonly isPicker?: boolean
  /** Draws the first line of the text, with the cursor in it. */
  readonly highlight?: (line: string, text: string) => string
  /** What is typed is not shown. */
  readonly isHidden?: boolean
  /** How long Tab and Enter wait for suggestions that are on the way. */
  readonly holdMs?: number
  readonly menuRows?: number
}

/**
 * The editor with a menu of our own. It asks for suggestions after every change, and drops answers that come too late. Keys are never
 * lost: a Tab or Enter that comes before its suggestions is held back for a moment, with all that is typed behind it.
 */
export class PromptEditor extends Editor {
  readonly #setup: PromptEditorSetup
  #menu: Menu | undefined
  #request: AbortController | undefined
  #held: string[] = []
  #holding: NodeJS.Timeout | undefined

  constructor(setup: PromptEditorSetup) {
    super(setup.tui, themeOf(setup.paint))
    this.#setup = setup
  }

  override handleInput(key: string): void {
    if (this.#held.length > 0) this.#held.push(key)
    else this.#press(key)
  }

  override render(width: number): string[] {
    const lines = super.render(width).map(harmless)
    const { highlight, paint, isHidden = false, menuRows = 8 } = this.#setup
    if (isHidden) return lines.map((line, index) => (index === 0 || index === lines.length - 1 ? line : masked(line)))
    const first = lines[1]
    if (highlight !== undefined && first !== undefined) lines[1] = highlight(first, this.getText())
    if (this.#menu === undefined) return lines
    const rows = Math.max(1, Math.min(menuRows, this.tui.terminal.rows - linesBesideMenu))
    return [...lines, ...menuLines(this.#menu, { width, rows, paint })]
  }

  /** Asks again for what stands there: what can be suggested has changed. */
  refresh(): void {
    if (this.#menu !== undefined || this.#request !== undefined) this.#ask()
  }

  /** Suggests at once, without a key: for a field that has just been opened. */
  open(): void {
    this.#ask()
  }

  closeMenu(): void {
    this.#request?.abort()
    this.#request = undefined
    this.#menu = undefined
  }

  /** Whether the next Esc only closes the menu. In a form it does so when the person has moved in it: nobody else called for it. */
  escapesMenu(): boolean {
    const { isPicker = false, isSubmittedByChoice = false } = this.#setup
    return this.#hasItems() && !isPicker && (!isSubmittedByChoice || this.#menu?.isChosen === true)
  }

  /** Puts a text there that nobody typed, and suggests nothing for it. */
  replaceText(text: string): void {
    this.closeMenu()
    this.setText(text)
    this.tui.requestRender()
  }

  #press(key: string, isDue = false): void {
    const isTab = matchesKey(key, 'tab')
    const isEnter = matchesKey(key, 'enter')
    if ((isTab || isEnter) && this.#request !== undefined && !isDue) return this.#hold(key)
    const menu = this.#menu
    if (menu !== undefined && this.#hasItems() && this.#useMenu(menu, key)) return
    if (isTab) return this.#menu === undefined ? this.#ask() : undefined
    if (matchesKey(key, 'ctrl+c')) this.replaceText('')
    if (this.#setup.onKey?.(key) === true) return
    this.#edit(key)
  }

  /** Whether the key was for the menu. */
  #useMenu(menu: Menu, key: string): boolean {
    if (matchesKey(key, 'up') || matchesKey(key, 'down')) {
      this.#menu = moved(menu, matchesKey(key, 'up') ? -1 : 1)
      this.tui.requestRender()
      return true
    }
    if (matchesKey(key, 'escape') && this.escapesMenu()) {
      this.closeMenu()
      this.tui.requestRender()
      return true
    }
    // Suggestions for a text that has changed since are only shown, so that nothing flickers.
    if (menu.text !== this.getText()) return false
    const item = selectedIn(menu) ?? (matchesKey(key, 'tab') ? menu.suggestions.items[0] : undefined)
    if (item === undefined) return false
    if (matchesKey(key, 'tab')) this.#accept(menu, item)
    else if (!matchesKey(key, 'enter')) return false
    else if (this.#setup.isSubmittedByChoice === true) {
      this.#accept(menu, item)
      this.closeMenu()
      this.#edit(key)
    } else if (this.#isThereAlready(menu, item)) return false
    else this.#accept(menu, item)
    return true
  }

  #hasItems(): boolean {
    return (this.#menu?.suggestions.items.length ?? 0) > 0
  }

  #isThereAlready({ text, suggestions: { from, to } }: Menu, { insert }: Suggestion): boolean {
    return text.slice(from, to).trim() === insert.trim()
  }

  /** Key by key, because setting the text would forget what large pastes stand for. */
  #accept({ suggestions: { from, to } }: Menu, { insert }: Suggestion): void {
    while (this.#cursor() < to) {
      const before = this.#cursor()
      super.handleInput(keys.right)
      if (this.#cursor() === before) break
    }
    while (this.#cursor() > from) super.handleInput(keys.backspace)
    // It may be a server's value.
    this.insertTextAtCursor(plainText(insert))
    this.#ask()
  }

  #edit(key: string): void {
    const [text, cursor] = [this.getText(), this.#cursor()]
    super.handleInput(key)
    if (this.getText() !== text) {
      // A line from the history is looked at, not completed: the arrows must go on to the next one.
      if (matchesKey(key, 'up') || matchesKey(key, 'down')) this.closeMenu()
      else this.#ask()
    } else if (this.#cursor() !== cursor && this.#menu !== undefined) this.#ask()
  }

  #ask(): void {
    this.#request?.abort()
    const [text, cursor] = [this.getText(), this.#cursor()]
    const request = new AbortController()
    this.#request = request
    const { suggest, isChoice, isPicker = false } = this.#setup
    const answered = (suggestions: Suggestions | undefined): void => {
      if (this.#request !== request) return
      this.#request = undefined
      const isEmpty =
        suggestions === undefined || (suggestions.items.length === 0 && suggestions.argument === undefined)
      this.#menu = isEmpty
        ? undefined
        : menuFor(suggestions, { text, cursor }, { before: this.#menu, isChoice: isChoice?.() ?? false, isPicker })
      this.#release()
      this.tui.requestRender()
    }
    // A menu is a help: where it fails, typing goes on without.
    void (async () => suggest(text, cursor, { signal: request.signal }))().then(answered, () => answered(undefined))
  }

  #hold(key: string): void {
    this.#held = [key]
    this.#holding = setTimeout(() => this.#release(), this.#setup.holdMs ?? 150)
  }

  #release(): void {
    clearTimeout(this.#holding)
    const [first, ...rest] = this.#held
    this.#held = []
    if (first === undefined) return
    this.#press(first, true)
    for (const key of rest) this.handleInput(key)
    this.tui.requestRender()
  }

  #cursor(): number {
    const { line, col } = this.getCursor()
    return this.getLines()
      .slice(0, line)
      .reduce((sum, text) => sum + text.length + 1, col)
  }
}

/** The text with its borders, the line above it, and what a menu says besides its items. */
const linesBesideMenu = 8

/** What was pasted may hold anything; the mark of the cursor is ours. */
function harmless(line: string): string {
  return line.split(CURSOR_MARKER).map(harmlessLine).join(CURSOR_MARKER)
}

/** Every letter is a dot; the sequences that draw the cursor stay. */
function masked(line: string): string {
  // oxlint-disable-next-line no-control-regex -- control sequences are what is looked for
  return line.replaceAll(/(\u001B\[[0-9;]*m|\u001B_[^\u0007]*\u0007)|\S/gu, (_, sequence?: string) => sequence ?? '•')
}

const keys = { right: '\u001B[C', backspace: '\u007F' }

function themeOf(paint: Palette): EditorTheme {
  const { faint } = paint
  const list = { selectedPrefix: faint, selectedText: faint, description: faint, scrollInfo: faint, noMatch: faint }
  return { borderColor: faint, selectList: list }
}
