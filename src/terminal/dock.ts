import { type Component, truncateToWidth } from '@earendil-works/pi-tui'
import type { Palette } from './paint.ts'
import type { Panel, PanelStack } from './panels/panel.ts'
import type { PromptEditor } from './prompt-editor.ts'

/** What stands at the bottom: what waits, the status, and the editor or a panel in its place. */
export interface Dock extends Component, PanelStack {
  readonly handleInput: (key: string) => void
  /** Nothing of it is drawn any more: the session is over. */
  readonly leave: () => void
}

export interface DockSetup {
  readonly editor: PromptEditor
  /** The lines above the editor. */
  readonly above: (width: number) => readonly string[]
  /** The lines of the window. */
  readonly rows: () => number
  readonly onChange: () => void
  readonly paint: Palette
  readonly now: () => number
  /** For how long nobody may have typed before a panel that comes by itself gets the keys. */
  readonly restMs?: number
}

export function makeDock({ editor, above, rows, onChange, paint, now, restMs = 400 }: DockSetup): Dock {
  let waiting: readonly { readonly panel: Panel; readonly isCalledFor: boolean }[] = []
  let active: Panel | undefined
  let typedAtMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  editor.focused = true

  return {
    open(panel, { isCalledFor }) {
      waiting = [...waiting, { panel, isCalledFor }]
      settle()
    },
    close(panel) {
      waiting = waiting.filter((entry) => entry.panel !== panel)
      settle()
    },
    render(width) {
      if (isOver) return []
      const [first] = waiting
      const lines = [
        ...above(width),
        ...behind(width),
        ...(first?.panel.render(width) ?? []),
        ...(first !== undefined && first.panel === active ? [] : editor.render(width)),
      ]
      // What does not fit would be pushed into the scrollback, again with every change: the clock in it changes five times a second.
      return lines.slice(-Math.max(1, rows() - 1))
    },
    handleInput(key) {
      typedAtMs = now()
      ;(active ?? editor).handleInput(key)
    },
    leave() {
      isOver = true
      clearTimeout(timer)
    },
    invalidate() {},
  }

  function behind(width: number): readonly string[] {
    const more = waiting.length - 1
    if (more < 1) return []
    const text = `${more} more ${more === 1 ? 'question waits' : 'questions wait'} behind this one.`
    return [paint.faint(truncateToWidth(text, width, '…'))]
  }

  /** Decides who gets the keys. An answer must never be a key that was meant for the line that was being typed. */
  function settle(): void {
    clearTimeout(timer)
    const [first] = waiting
    const restLeft = first === undefined || first.isCalledFor ? 0 : typedAtMs + restMs - now()
    if (restLeft > 0) timer = setTimeout(settle, restLeft)
    activate(restLeft > 0 ? undefined : first?.panel)
    onChange()
  }

  function activate(panel: Panel | undefined): void {
    if (panel === active) return
    active?.setActive(false)
    active = panel
    active?.setActive(true)
    editor.focused = active === undefined
  }
}
