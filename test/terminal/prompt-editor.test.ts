import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Suggestion, Suggestions } from '../../src/commands/suggestions.ts'
import { paletteFor } from '../../src/terminal/paint.ts'
import { PromptEditor, type PromptEditorSetup, type Suggest } from '../../src/terminal/prompt-editor.ts'
import { SessionTui } from '../../src/terminal/session-tui.ts'
import { makeTranscript } from '../../src/terminal/transcript.ts'
import { literalTerminal } from './literal-terminal.ts'
import { keys } from './session-place.ts'

const names = ['/help', '/hello', '/exit', '/echo:greet ']

/** Suggests the names that begin with what is typed, after as many turns of the clock as are asked for. */
function suggesting(delayMs = 0, offered: readonly string[] = names): Suggest {
  return async (text, cursor) => {
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    const typed = text.slice(0, cursor)
    const items = typed === '' ? [] : offered.filter((name) => name.startsWith(typed)).map(suggestion)
    return { from: 0, to: cursor, items, hasMore: false }
  }
}

function suggestion(insert: string): Suggestion {
  return { key: insert, kind: 'command', label: insert.trim(), insert, matches: [] }
}

function editorWith(setup: Partial<PromptEditorSetup>) {
  const tui = new SessionTui(literalTerminal(), makeTranscript())
  const sent: string[] = []
  const editor = new PromptEditor({ tui, paint: paletteFor({ NO_COLOR: '1' }), suggest: suggesting(), ...setup })
  editor.onSubmit = (text) => void sent.push(text)
  const type = (text: string): void => {
    for (const key of text.split('')) editor.handleInput(key)
  }
  return {
    editor,
    sent,
    type,
    menu: () =>
      editor
        .render(60)
        .slice(3)
        .map((line) => line.trimEnd()),
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('the editor with a menu', () => {
  test('holds a Tab until its suggestions have come, and what is typed behind it as well', async () => {
    const { editor, type } = editorWith({ suggest: suggesting(100) })

    type('/ec\twho=Ada')
    expect(editor.getText()).toBe('/ec')
    await vi.advanceTimersByTimeAsync(100)

    expect(editor.getText()).toBe('/echo:greet who=Ada')
  })

  test('lets an Enter go after 150 ms when no suggestions come', async () => {
    const { sent, type } = editorWith({ suggest: () => new Promise(() => {}) })

    type('/ec\r')
    await vi.advanceTimersByTimeAsync(149)
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(1)

    expect(sent).toEqual(['/ec'])
  })

  test('takes the selected item with Enter without sending it, and sends a name that is there already', async () => {
    const { editor, sent, type } = editorWith({})

    type('/he')
    await vi.advanceTimersByTimeAsync(0)
    type('\r')
    expect([editor.getText(), sent]).toEqual(['/help', []])
    await vi.advanceTimersByTimeAsync(0)
    type('\r')

    expect(sent).toEqual(['/help'])
  })

  test('presumes a value that was begun, and not one that only has the letters in it', async () => {
    const value = (label: string) => ({ key: label, kind: 'value', label, insert: label, matches: [] }) as const
    const suggest: Suggest = async (text) => ({
      from: 0,
      to: text.length,
      items: text.startsWith('al') ? [value('alice')] : [value('echo.add')],
      hasMore: false,
    })
    const { editor, sent, type } = editorWith({ suggest })

    type('add')
    await vi.advanceTimersByTimeAsync(0)
    type('\r')
    expect(sent).toEqual(['add'])
    type('al')
    await vi.advanceTimersByTimeAsync(0)
    type('\r')

    expect(editor.getText()).toBe('alice')
  })

  test('moves with the arrows, and keeps what was chosen while the list changes around it', async () => {
    let offered: readonly string[] = ['/help', '/hello']
    const { editor, type, menu } = editorWith({
      suggest: (text, cursor, options) => suggesting(0, offered)(text, cursor, options),
    })
    type('/h')
    await vi.advanceTimersByTimeAsync(0)

    editor.handleInput(keys.down)
    expect(menu()).toEqual(['  /help', expect.stringContaining('/hello')])
    offered = ['/ha', '/hb', '/hello', '/help']
    editor.refresh()
    await vi.advanceTimersByTimeAsync(0)
    type('\t')

    expect(editor.getText()).toBe('/hello')
  })

  test('closes on Esc, so that Enter sends what was typed', async () => {
    const { editor, sent, type, menu } = editorWith({})
    type('/he')
    await vi.advanceTimersByTimeAsync(0)

    editor.handleInput(keys.escape)
    expect(menu()).toEqual([])
    type('\r')

    expect(sent).toEqual(['/he'])
  })

  test('clears the line on Ctrl-C, and takes its menu away', async () => {
    const pressed: string[] = []
    const { editor, type, menu } = editorWith({ onKey: (key) => pressed.push(key) > 0 && key === keys.ctrlC })
    type('/he')
    await vi.advanceTimersByTimeAsync(0)

    editor.handleInput(keys.ctrlC)
    await vi.advanceTimersByTimeAsync(0)

    expect([editor.getText(), menu()]).toEqual(['', []])
    expect(pressed.at(-1)).toBe(keys.ctrlC)
  })

  test.each<[string, Suggest]>([
    ['rejects', () => Promise.reject(new Error('no'))],
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
  ])('goes on without a menu when whoever suggests %s', async (_, suggest) => {
    const { editor, sent, type } = editorWith({ suggest })

    type('/he\tllo\r')
    await vi.advanceTimersByTimeAsync(1000)

    expect(sent).toEqual(['/hello'])
    expect(editor.getText()).toBe('')
  })

  test('drops suggestions for a text that has changed since', async () => {
    const late: { text: string; answer: (value: Suggestions) => void }[] = []
    const { type, menu } = editorWith({ suggest: (text) => new Promise((answer) => void late.push({ text, answer })) })
    type('/h')
    type('e')

    for (const { text, answer } of late.toReversed())
      answer({ from: 0, to: 2, items: [suggestion(`for ${text}`)], hasMore: false })
    await vi.advanceTimersByTimeAsync(0)

    expect(menu().join()).toContain('for /he')
  })

  test('replaces the whole word around the cursor, and leaves large pastes what they are', async () => {
    const paste = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n')
    const items = [suggestion('@file ')]
    const { editor, sent, type } = editorWith({
      suggest: async (text) => {
        const at = text.indexOf('@')
        return { from: at, to: at + 3, items: text.endsWith('@fi') ? items : [], hasMore: false }
      },
    })

    editor.handleInput(`\u001B[200~${paste}\u001B[201~`)
    type(' @fi')
    editor.handleInput('\u001B[D')
    await vi.advanceTimersByTimeAsync(0)
    type('\tis large\r')
    await vi.advanceTimersByTimeAsync(1000)

    expect(sent).toEqual([`${paste} @file is large`])
  })

  test('shows nothing that could steer the terminal, be it pasted or suggested', async () => {
    const evil = '\u009B2J\u001B]0;owned\u0007value'
    const { editor, type, menu } = editorWith({
      suggest: async (text) => ({ from: 0, to: text.length, items: [suggestion(evil)], hasMore: false }),
    })

    editor.handleInput('\u001B[200~/\u009B2Jx\u001B[201~')
    await vi.advanceTimersByTimeAsync(0)
    const [pasted, suggested] = [editor.render(60).join(), menu().join()]
    type('\t')

    expect(pasted + suggested + editor.render(60).join()).not.toMatch(/\u009B|owned/)
    expect(editor.getText()).toBe('value')
  })

  test('sends exactly what is typed, whatever the pace of suggestions, where none fits', async () => {
    const piece = fc.record({ text: fc.stringMatching(/^[a-z ]{0,8}$/), waitMs: fc.integer({ min: 0, max: 200 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), fc.integer({ min: 0, max: 300 }), async (pieces, delayMs) => {
        const { sent, type } = editorWith({ suggest: suggesting(delayMs) })
        for (const { text, waitMs } of pieces) {
          type(`${text}\t`)
          await vi.advanceTimersByTimeAsync(waitMs)
        }
        type('end\r')
        await vi.advanceTimersByTimeAsync(5000)

        expect(sent).toEqual([`${pieces.map(({ text }) => text).join('')}end`.trim()])
      }),
      { numRuns: 50 },
    )
  })
})
