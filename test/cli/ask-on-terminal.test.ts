import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('./asks-twice.ts', import.meta.url))

test('on a real terminal a typed answer is edited and shown, a hidden one is not, and the process ends by itself', async () => {
  const screen = await onTerminal([
    ['Name? ', 'Adx\u007Fa\r'],
    ['Token? ', 'secret\r'],
  ])

  expect(screen).toContain('<Ada|6>')
  expect(screen).not.toContain('secret')
})

test('Ctrl-C on a real terminal cancels the question and gives the terminal back', async () => {
  expect(await onTerminal([['Name? ', '\u0003']])).toContain('<cancelled>')
})

/** Types each answer when its question appears; resolves to everything the terminal showed. */
function onTerminal(answers: readonly (readonly [question: string, keys: string])[]): Promise<string> {
  const terminal = spawn(process.execPath, [script], { cols: 80, rows: 24 })
  const waiting = [...answers]
  let screen = ''
  let read = 0
  terminal.onData((text) => {
    screen += text
    const [question, keys] = waiting[0] ?? []
    const at = question === undefined ? -1 : screen.indexOf(question, read)
    if (question === undefined || keys === undefined || at === -1) return
    read = at + question.length
    waiting.shift()
    terminal.write(keys)
  })
  return new Promise((resolve) => terminal.onExit(() => resolve(screen)))
}
