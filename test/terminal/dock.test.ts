import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeDock } from '../../src/terminal/dock.ts'
import { paletteFor } from '../../src/terminal/paint.ts'
import type { Panel } from '../../src/terminal/panels/panel.ts'
import { PromptEditor } from '../../src/terminal/prompt-editor.ts'
import { SessionTui } from '../../src/terminal/session-tui.ts'
import { makeTranscript } from '../../src/terminal/transcript.ts'
import { literalTerminal } from './literal-terminal.ts'

const paint = paletteFor({ NO_COLOR: '1' })

function openDock() {
  const tui = new SessionTui(literalTerminal(), makeTranscript())
  const suggest = async (_: string, cursor: number) => ({ from: cursor, to: cursor, items: [], hasMore: false })
  const editor = new PromptEditor({ tui, paint, suggest })
  const dock = makeDock({ editor, above: () => ['status'], rows: () => 8, onChange() {}, paint, now: Date.now })
  return { dock, editor }
}

/** A panel that notes the keys that it got. */
function notingPanel(name: string): Panel & { readonly keys: string[] } {
  const keys: string[] = []
  return { keys, render: () => [name], handleInput: (key) => void keys.push(key), setActive() {}, invalidate() {} }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('who gets the keys', () => {
  test('a question that comes by itself waits until nobody has typed for a moment', () => {
    const { dock, editor } = openDock()
    const panel = notingPanel('question')
    dock.handleInput('a')
    dock.open(panel, { isCalledFor: false })

    dock.handleInput('1')
    vi.advanceTimersByTime(300)
    dock.handleInput('b')
    vi.advanceTimersByTime(399)
    dock.handleInput('c')
    vi.advanceTimersByTime(400)
    dock.handleInput('2')

    expect(editor.getText()).toBe('a1bc')
    expect(panel.keys).toEqual(['2'])
  })

  test('a panel that the person called for has them at once', () => {
    const { dock } = openDock()
    const panel = notingPanel('form')
    dock.handleInput('a')

    dock.open(panel, { isCalledFor: true })
    dock.handleInput('b')

    expect(panel.keys).toEqual(['b'])
  })

  test('the next question is not answered by a key that came twice', () => {
    const { dock, editor } = openDock()
    const [first, second] = [notingPanel('first'), notingPanel('second')]
    dock.open(first, { isCalledFor: false })
    dock.open(second, { isCalledFor: false })
    expect(dock.render(60)).toEqual(['status', '1 more question waits behind this one.', 'first'])

    dock.handleInput('1')
    dock.close(first)
    dock.handleInput('1')
    vi.advanceTimersByTime(400)
    dock.handleInput('2')

    expect([first.keys, second.keys, editor.getText()]).toEqual([['1'], ['2'], '1'])
  })
})

describe('what is drawn', () => {
  test('never exceeds the window: the editor stays, the rest loses its beginning', () => {
    const { dock } = openDock()
    const panel = { ...notingPanel(''), render: () => ['one', 'two', 'three', 'four', 'five', 'six'] }

    dock.handleInput('a')
    dock.open(panel, { isCalledFor: false })

    expect(dock.render(10)).toEqual([
      'three',
      'four',
      'five',
      'six',
      expect.any(String),
      expect.any(String),
      expect.any(String),
    ])
  })
})
