import { describe, expect, test } from 'vitest'
import { showGroup } from '../../src/terminal/blocks/group.ts'
import { wholeParagraphs } from '../../src/terminal/blocks/reply-stream.ts'
import { harmlessLine } from '../../src/terminal/harmless-line.ts'
import { sessionTerminal } from '../../src/terminal/session-terminal.ts'
import { SessionTui } from '../../src/terminal/session-tui.ts'
import { makeTranscript, type Block } from '../../src/terminal/transcript.ts'
import { literalTerminal } from './literal-terminal.ts'

const block = (...lines: readonly string[]): Block => ({ render: () => lines })

describe('the transcript', () => {
  test('leaves out what has scrolled away, in the middle of a block too', () => {
    const transcript = makeTranscript()
    transcript.add(block('a', 'b'), block('c', 'd', 'e'))
    transcript.render(10)

    expect(transcript.forget(3)).toBe(3)

    expect(transcript.render(10)).toEqual(['d', 'e'])
  })

  test('forgets no more than it has', () => {
    const transcript = makeTranscript()
    transcript.add(block('a'))
    transcript.render(10)

    expect(transcript.forget(5)).toBe(1)
    transcript.add(block('b'))

    expect(transcript.render(10)).toEqual(['b'])
  })

  test('keeps a block that has nothing to draw yet, as the overview before the first news of a server', () => {
    const transcript = makeTranscript()
    const lines: string[] = []
    transcript.add(block('a'), { render: () => lines })
    transcript.render(10)
    transcript.forget(1)
    transcript.render(10)
    transcript.forget(0)

    lines.push('late')

    expect(transcript.render(10)).toEqual(['late'])
  })

  test('brings lines back when the window has grown', () => {
    const transcript = makeTranscript()
    transcript.add(block('a', 'b'), block('c', 'd'))
    transcript.render(10)
    transcript.forget(3)

    transcript.fit(10, 3)

    expect(transcript.render(10)).toEqual(['b', 'c', 'd'])
  })

  test('can take a block back that no longer holds', () => {
    const transcript = makeTranscript()
    const [kept, gone] = [block('kept'), block('gone')]
    transcript.add(kept, gone)

    transcript.remove(gone)

    expect(transcript.render(10)).toEqual(['kept'])
    expect([transcript.isInWindow(kept), transcript.isInWindow(gone)]).toEqual([true, false])
  })

  test('has what a command prints below its own line, in whatever order they end, and at the end once that has scrolled away', () => {
    const transcript = makeTranscript()
    const first = showGroup(block('> first'), transcript)
    const second = showGroup(block('> second'), transcript)

    second.show(block('two'))
    first.show(block('one'))
    expect(transcript.render(20)).toEqual(['> first', 'one', '> second', 'two'])
    transcript.forget(3)
    first.show(block('late'))

    expect(transcript.render(20)).toEqual(['two', 'late'])
  })

  test('is drawn by its window: a long one costs no more than a short one', () => {
    const terminal = literalTerminal(20, 5)
    const transcript = makeTranscript()
    const tui = new SessionTui(terminal, transcript)
    tui.addChild({ render: () => ['> '], invalidate() {} })
    let drawn = 0
    for (let index = 0; index < 50; index += 1) {
      transcript.add({ render: () => [`line ${((drawn += 1), index)}`] })
      tui.renderNow()
    }

    drawn = 0
    tui.renderNow()

    expect(drawn).toBeLessThanOrEqual(5)
    const seen = Array.from(terminal.written().matchAll(/line (\d+)/g), ([, number]) => Number(number))
    expect([...new Set(seen)]).toEqual(Array.from({ length: 50 }, (_, index) => index))
  })
})

test.each([
  [true, '\u001B[H\u001B[2K\u001B[B\u001B[2K\u001B[B\u001B[2K\u001B[H'],
  [false, '\u001B[2J\u001B[H'],
])(
  'what has scrolled away is never wiped, and a window that is ours (%s) not cleared at once, for tmux keeps a copy then',
  (isOurs, cleared) => {
    const terminal = literalTerminal(60, 3)

    sessionTerminal(terminal, { isOurs }).write('\u001B[2J\u001B[H\u001B[3Jtext')

    expect(terminal.written()).toBe(`${cleared}text`)
  },
)

test.each([
  ['plain text', 'plain text'],
  ['\u001B[1;31mred\u001B[0m', '\u001B[1;31mred\u001B[0m'],
  ['\u001B]0;title\u0007after', 'after'],
  ['\u001B]8;;http://x\u001B\\link', 'link'],
  ['\u001B[2J\u001B[10;10Hhere', 'here'],
  ['\u001B_pi:c\u0007x', 'x'],
  ['a\u0007b\u009Bc\rd', 'abcd'],
  ['日本語 ✓', '日本語 ✓'],
])('a drawn line keeps its text and colours, and nothing else: %j', (line, kept) => {
  expect(harmlessLine(line)).toBe(kept)
})

test.each<[string, readonly string[], string]>([
  ['one', [], 'one'],
  ['one\n\ntwo', ['one'], '\n\ntwo'],
  ['one\n\n', [], 'one\n\n'],
  ['```\na\n\nb\n```\n\nafter', ['```\na\n\nb\n```'], '\n\nafter'],
  ['```\na\n\nb', [], '```\na\n\nb'],
  ['- item\n\n  more of it\n\nafter', ['- item\n\n  more of it'], '\n\nafter'],
  ['````\n```\n\nx\n````\n\ny', ['````\n```\n\nx\n````'], '\n\ny'],
])('paragraphs are whole when nothing can change them: %j', (text, paragraphs, rest) => {
  expect(wholeParagraphs(text)).toEqual({ paragraphs, rest })
})
