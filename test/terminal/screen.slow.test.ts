/* oxlint-disable no-control-regex -- control characters are what is looked for here */
import { describe, expect, test } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { keys, sessionPlace } from './session-place.ts'

const ready = 'servers 1/1'
const paragraphs = (count: number) => Array.from({ length: count }, (_, index) => `Paragraph number ${index}.`)

describe('the screen', () => {
  test('opens as it is shown here', async () => {
    await using place = await sessionPlace({
      servers: {
        echo: fixture('echo'),
        broken: { command: 'not-there-at-all' },
        off: { command: 'x', disabled: true },
      },
    })
    await using eye = place.open([], { columns: 60, rows: 20 })
    await eye.shows('servers 1/2')
    await eye.shows('3 prompts')
    await eye.shows('Needs you')

    const lines = eye.window().map((line) => line.trimEnd())
    await expect(`${lines.join('\n').trimEnd()}\n`).toMatchFileSnapshot('first-screen.txt')
  })

  test('keeps what has scrolled away, once and in order, when the window changes its size', async () => {
    await using place = await sessionPlace({
      script: [{ text: paragraphs(60).join('\n\n') }, { text: 'After all that.' }],
    })
    await using eye = place.open(['chat'], { columns: 80, rows: 24 })
    await eye.shows(ready)
    eye.type(`tell me much${keys.enter}`)
    await eye.shows('Paragraph number 59.')
    await eye.hides('working')

    for (const [columns, rows] of [
      [60, 24],
      [100, 30],
      [80, 12],
      [80, 24],
    ] as const) {
      eye.resize(columns, rows)
      // A window that shrinks and grows again before it is drawn takes lines back that nobody draws anew.
      await eye.redraws('─'.repeat(columns))
    }
    eye.type(`and?${keys.enter}`)
    await eye.shows('After all that.')

    const all = eye.everything().join('\n')
    expect(eye.bytes()).not.toContain('\u001B[3J')
    expect(paragraphs(60).filter((text) => !all.includes(text))).toEqual([])
    const early = paragraphs(30)
    expect(early.filter((text) => all.split(text).length !== 2)).toEqual([])
  })

  test('takes control sequences out of what servers and models say, however they are written', async () => {
    const evil =
      '\u001B]0;owned\u0007\u001B[2J\u009B31mred \u202Ereversed &#27;]0;owned&#7; [link](https://evil.example/\u001B]52;c;AAAA\u0007)'
    await using place = await sessionPlace({
      servers: { echo: { ...fixture('echo'), alwaysAllow: ['*'] } },
      script: [
        { text: evil, calls: [{ id: 'c1', name: 'echo__control', json: '{}' }] },
        { calls: [{ id: 'c2', name: 'echo__fail', json: JSON.stringify({ reason: evil }) }] },
        { text: 'Nothing happened.' },
      ],
    })
    await using eye = place.open()
    await eye.shows(ready)

    eye.type(`try${keys.enter}`)
    await eye.shows('Nothing happened.')

    expect(eye.bytes()).not.toMatch(/\u001B\](?:0|52)|owned\u0007|\u009B|\u202E/u)
    expect(eye.window().join('\n')).toContain('Servers')
    expect(eye.window().join('\n')).toContain('https://evil.example/')
  })

  test('writes out what hides in the arguments of a call that is asked about', async () => {
    const message = 'rm \u202E\u200Bfile\u001B[8m'
    await using place = await sessionPlace({
      script: [{ calls: [{ id: 'c1', name: 'echo__echo', json: JSON.stringify({ message }) }] }],
    })
    await using eye = place.open()
    await eye.shows(ready)

    eye.type(`go${keys.enter}`)

    await eye.shows('message = rm \\u{202e}\\u{200b}file\\u{1b}[8m')
  })

  test('draws wide characters in their columns, also in the editor and in the menu', async () => {
    await using place = await sessionPlace({ script: [{ text: '| 名前 | 値 |\n|---|---|\n| 東京 | 👍🏽 |' }] })
    await using eye = place.open(['chat'], { columns: 60 })
    await eye.shows(ready)

    eye.type(`こんにちは、世界 👩‍👩‍👧${keys.enter}`)
    await eye.shows('東京')

    const table = eye.window().filter((line) => line.includes('│'))
    expect(table).toHaveLength(2)
    expect(eye.window().join('\n')).toContain('› こんにちは、世界')
  })

  test('has no colours with NO_COLOR', async () => {
    await using place = await sessionPlace({ script: [{ text: '# Title\n\n`code` and **bold**' }] })
    await using eye = place.open(['chat'], { env: { NO_COLOR: '1' } })
    await eye.shows(ready)
    eye.type(`go${keys.enter}`)
    await eye.shows('code and bold')

    // Inverse video marks what is selected, and is no colour.
    const codes = Array.from(eye.bytes().matchAll(/\u001B\[([0-9;]*)m/g), ([, code]) => code ?? '')
    expect(codes.filter((code) => !['0', '7', '27'].includes(code))).toEqual([])
  })

  test.each([40, 60, 133])('fits into %i columns, with a menu, a form and a question open', async (columns) => {
    const call = { id: 'c1', name: 'echo__echo', json: JSON.stringify({ message: 'word '.repeat(80) }) }
    await using place = await sessionPlace({ script: [{ calls: [call] }] })
    await using eye = place.open(['chat'], { columns, rows: 40 })
    await eye.shows('servers 1/1')

    eye.type('/')
    await eye.shows('/tools')
    eye.type(keys.escape)
    await eye.hides('/tools')
    eye.type(`\u007F/echo:greet${keys.enter}`)
    await eye.shows('1 of 2')
    eye.type(keys.escape)
    await eye.hides('1 of 2')
    eye.type(keys.ctrlC)
    eye.type(`go${keys.enter}`)
    await eye.shows('May echo.echo run?')

    // A line that does not fit ends the program of the library.
    expect(eye.window().some((line) => line.includes('message = word'))).toBe(true)
  })
})
