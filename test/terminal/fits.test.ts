import { visibleWidth } from '@earendil-works/pi-tui'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CallView } from '../../src/agent/session.ts'
import { askPermission } from '../../src/terminal/ask-permission.ts'
import { callBlock } from '../../src/terminal/blocks/call-block.ts'
import { noticeBlock, printedBlock } from '../../src/terminal/blocks/printed.ts'
import { previewBlock, replyBlock, userBlock } from '../../src/terminal/blocks/said.ts'
import { makeMarkdown } from '../../src/terminal/markdown.ts'
import { menuFor, menuLines } from '../../src/terminal/menu.ts'
import { overviewLines } from '../../src/terminal/overview.ts'
import { paletteFor } from '../../src/terminal/paint.ts'
import type { Panel } from '../../src/terminal/panels/panel.ts'
import { queueLines } from '../../src/terminal/queue-lines.ts'
import { SessionTui } from '../../src/terminal/session-tui.ts'
import { statusLine } from '../../src/terminal/status-line.ts'
import { makeTranscript } from '../../src/terminal/transcript.ts'
import { literalTerminal } from './literal-terminal.ts'

const paint = paletteFor({ FORCE_COLOR: '1' })
const markdown = makeMarkdown(paint)
const now = () => 0

const hostile = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '\u001B]0;title\u0007',
    '\u001B[2J',
    '| a | b |\n|---|---|\n| 東京 | x |',
    '```\ncode\n',
    '- item\n  - item',
    '名前'.repeat(30),
    'word '.repeat(40),
    '&#27;[31m',
    '\u202Eabc',
    '👩‍👩‍👧'.repeat(10),
    'a\tb\tc',
  ),
)
const text = fc.array(hostile, { maxLength: 5 }).map((pieces) => pieces.join(''))
const width = fc.integer({ min: 12, max: 100 })

/** What must hold of every line, whoever wrote the text in it. */
function expectLines(lines: readonly string[], columns: number): void {
  expect(lines.filter((line) => visibleWidth(line) > columns)).toEqual([])
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  expect(lines.filter((line) => /[\u202A-\u202E\u0080-\u009F\n\r]|\u001B(?!\[[0-9;]*m)/.test(line))).toEqual([])
}

function callWith(content: string): CallView {
  return {
    callId: 'c',
    label: content,
    input: { kind: 'json', value: { [content]: content } },
    state: { kind: 'ended', end: 'failed', parts: [{ kind: 'text', text: content }], ms: 1234 },
  }
}

function permissionPanel(content: string): Panel | undefined {
  let opened: Panel | undefined
  const transcript = makeTranscript()
  askPermission(
    {
      kind: 'permission',
      id: 'a',
      callId: 'c',
      label: content,
      input: { [content]: content },
      hints: [content],
      isChanged: true,
      choices: ['once', 'no'],
    },
    {
      place: {
        tui: new SessionTui(literalTerminal(), transcript),
        transcript,
        panels: {
          open(panel) {
            opened = panel
          },
          close() {},
        },
        paint,
        markdown,
        now,
        show() {},
        detach() {},
        onAnyKey: () => false,
      },
      onAnswer() {},
      onStop() {},
    },
  )
  return opened
}

describe('whatever text there is, the lines of it fit into the window', () => {
  test.each<[string, (content: string, columns: number) => readonly string[]]>([
    [
      'what a person says',
      (content, columns) => userBlock([{ kind: 'text', text: content }], paint, content).render(columns),
    ],
    ['a reply', (content, columns) => replyBlock(content, markdown).render(columns)],
    [
      'a preview',
      (content, columns) => previewBlock(content, [{ role: 'assistant', text: content }], paint).render(columns),
    ],
    ['a call', (content, columns) => callBlock(callWith(content), { paint, now, isWhole: true }).render(columns)],
    ['a folded call', (content, columns) => callBlock(callWith(content), { paint, now }).render(columns)],
    [
      'a notice',
      (content, columns) => noticeBlock({ level: 'error', text: content, next: content }, paint).render(columns),
    ],
    [
      'a table',
      (content, columns) => {
        const table = {
          kind: 'table',
          columns: ['Name', 'State', 'About'],
          rows: [[content, content, content]],
        } as const
        return printedBlock(table, paint, markdown).render(columns)
      },
    ],
    [
      'a resource',
      (content, columns) =>
        printedBlock(
          { kind: 'content', part: { kind: 'resource', uri: content, text: content } },
          paint,
          markdown,
        ).render(columns),
    ],
    ['the queue', (content, columns) => queueLines([{ text: content }], { isHeld: true, width: columns, paint })],
    [
      'the menu',
      (content, columns) => {
        const item = { key: 'k', kind: 'value', label: content, insert: content, detail: content, matches: [] } as const
        const argument = { name: content, description: content, isRequired: true }
        const menu = menuFor({ from: 0, to: 0, items: [item], hasMore: true, argument }, { text: content, cursor: 0 })
        return menuLines(menu, { width: columns, rows: 8, paint })
      },
    ],
    ['a question', (content, columns) => permissionPanel(content)?.render(columns) ?? []],
    [
      'the status',
      (content, columns) => [
        statusLine(
          {
            session: undefined,
            servers: [],
            work: { what: content.slice(0, 8).replaceAll(/\s|\p{C}/gu, ''), sinceMs: 0 },
            hint: undefined,
            nowMs: 5,
          },
          columns,
          paint,
        ),
      ],
    ],
    [
      'the overview',
      (content, columns) => {
        const error = { code: 'start_failed', message: content } as const
        const state = { kind: 'failed', error, stderrTail: [] } as const
        const catalogue = { tools: [], prompts: [], resources: [], templates: [], servers: [] }
        return overviewLines({ servers: [{ name: content, state }], catalogue }, columns, paint)
      },
    ],
  ])('%s', (_, draw) => {
    fc.assert(
      fc.property(text, width, (content, columns) => {
        const transcript = makeTranscript()
        transcript.add({ render: () => draw(content, columns) })

        expectLines(transcript.render(columns), columns)
      }),
      { numRuns: 300 },
    )
  })
})
