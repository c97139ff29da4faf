import { describe, expect, test } from 'vitest'
import { describeCode, describeCodeChange } from '../../src/cli/describe-tool-file.ts'

const lines = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, index) => `${word} ${index + 1}`).join('\n')

describe('the code of a tool, as it is asked about', () => {
  test('is shown whole, with tabs as blanks and hidden characters written out', () => {
    const shown = describeCode('a\tb\r\nc\u202Ed\n', '/p/a.ts')

    expect(shown).toEqual(['| a  b', '| c\\u{202e}d'])
  })

  test('is cut when it is long, and says how much is missing and where it is', () => {
    const shown = describeCode(lines(100), '/p/a.ts')

    expect(shown).toHaveLength(61)
    expect(shown.at(-1)).toBe('… and 40 more lines: read /p/a.ts before you approve it')
  })
})

describe('a change of code', () => {
  test.each<[string, string, string, readonly string[]]>([
    ['a line more', 'a\nb', 'a\nx\nb', ['+ 2: x']],
    ['a line less', 'a\nb\nc', 'a\nc', ['- 2: b']],
    ['another line', 'a\nb\nc', 'a\nx\nc', ['- 2: b', '+ 2: x']],
    ['two places', 'a\nb\nc\nd', 'x\nb\nc\ny', ['- 1: a', '+ 1: x', '- 4: d', '+ 4: y']],
    ['a repeated line', 'a\na', 'a\na\na', ['+ 3: a']],
    ['everything', '', 'a', ['+ 1: a']],
    ['a blank at the end of a line', 'a', 'a ', ['- 1: a', '+ 1: a ']],
  ])('shows %s', (_what, before, after, expected) => {
    expect(describeCodeChange(before, after, '/p/a.ts')).toEqual(expected)
  })

  test('of very much is shown without looking for the shortest way, in no time', () => {
    const startedAtMs = performance.now()

    const shown = describeCodeChange(lines(20_000, 'old'), lines(20_000, 'new'), '/p/a.ts')

    expect(performance.now() - startedAtMs).toBeLessThan(1000)
    expect(shown.at(-1)).toBe('… and 39940 more lines: read /p/a.ts before you approve it')
  })
})
