import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffLines } from '../../src/prompts/diff-lines.ts'
import { diffPrompts, diffText } from '../../src/prompts/diff-prompts.ts'
import { readPrompt } from '../../src/prompts/read-prompt.ts'

const review = readPrompt({
  name: 'review',
  description: 'Reviews.',
  arguments: [{ name: 'code', required: true }],
  messages: [{ role: 'user', content: 'Look at\n{{code}}\nand be kind.' }],
})

test('what is the same has no difference, whatever its dates', () => {
  expect(diffPrompts(review, { ...review, updated: '2026-01-31T12:00:00Z' })).toEqual([])
})

test('a changed line is shown with what stands around it', () => {
  const after = readPrompt({ ...review, messages: [{ role: 'user', content: 'Look at\n{{code}}\nand be strict.' }] })

  expect(diffText(diffPrompts(review, after))).toBe(
    ['… 4 lines', '  user:', '  Look at', '  {{code}}', '- and be kind.', '+ and be strict.'].join('\n'),
  )
})

test('a prompt that comes or goes is shown whole', () => {
  expect(diffPrompts(undefined, review).every(({ kind }) => kind === 'added')).toBe(true)
  expect(diffPrompts(review, undefined).every(({ kind }) => kind === 'removed')).toBe(true)
})

test('every field that makes a difference is seen', () => {
  const changes = [
    { title: 'Review' },
    { description: 'Reviews well.' },
    { tags: ['code'] },
    { template: 'plus' },
    { meta: { a: 1 } },
    { steps: [{ title: 'Look', text: 'twice' }] },
    { arguments: [{ name: 'code', required: true, type: 'integer', default: '1', enum: ['1'], examples: ['1'] }] },
    { messages: [{ role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } }] },
    { messages: [{ role: 'user', content: { type: 'resource', resource: { uri: 'a:b', text: 'x' } } }] },
  ]

  for (const change of changes) expect(diffPrompts(review, readPrompt({ ...review, ...change }))).not.toEqual([])
})

test('from the difference of any two texts both can be told again', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })

  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before, after)
      fc.pre(diff.every(({ kind }) => kind !== 'skipped'))
      const sideOf = (side: 'removed' | 'added') =>
        diff.filter(({ kind }) => kind === 'same' || kind === side).map(({ text }) => text)

      const isSame = JSON.stringify(before) === JSON.stringify(after)
      expect(diff.length === 0).toBe(isSame)
      if (!isSame) expect([sideOf('removed'), sideOf('added')]).toEqual([before, after])
    }),
  )
})

test('texts with nothing in common are compared in no time', () => {
  const many = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`)
  const startedAtMs = performance.now()

  const diff = diffLines(many('old'), many('new'))

  expect(diff).toHaveLength(40_000)
  expect(performance.now() - startedAtMs).toBeLessThan(2000)
})
