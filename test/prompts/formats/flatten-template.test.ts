import { expect, test } from 'vitest'
import { flattenTemplate } from '../../../src/prompts/formats/flatten-template.ts'
import type { Prompt } from '../../../src/prompts/prompt.ts'
import { argument, promptOf } from '../makers.ts'

function flat(text: string, others: readonly Prompt[] = []): string {
  const prompt = promptOf('main', text, { template: 'plus', arguments: [argument('who')] })
  const { messages, template } = flattenTemplate(prompt, (name) => others.find((other) => other.name === name))
  expect(template).toBeUndefined()
  const content = messages[0]?.content
  return content?.type === 'text' ? content.text : ''
}

test.each([
  ['Greet{{#if who}} {{who}}{{/if}}.', 'Greet [If who is given: {{who}}].'],
  ['{{#if who}}A{{else}}B{{/if}}', '[If who is given: A] [If who is not given: B]'],
  ['Begin\n{{#if who}}\nOn a line: {{who}}\n{{/if}}\nEnd', 'Begin\n[If who is given: On a line: {{who}}]\nEnd'],
  ['{{#if who}}{{else}}Only else{{/if}}', '[If who is not given: Only else]'],
])('%j is said in words', (text, wanted) => {
  expect(flat(text)).toBe(wanted)
})

test('what is included stands in the text, with its own blocks in words', () => {
  const tone = promptOf('tone', 'Be {{#if who}}kind{{/if}}.', { template: 'plus', arguments: [argument('who')] })

  expect(flat('{{> tone}} {{> plain}}', [tone, promptOf('plain', 'Plain {{x}}.')])).toBe(
    'Be [If who is given: kind]. Plain {{x}}.',
  )
})

test('a circle and a prompt that is not there stay as they are', () => {
  const [a, b] = [promptOf('a', 'A {{> b}}', { template: 'plus' }), promptOf('b', 'B {{> a}}', { template: 'plus' })]

  expect(flat('{{> a}} {{> nobody}}', [a, b])).toBe('A B {{> a}} {{> nobody}}')
})

test('a prompt without blocks is left alone', () => {
  const prompt = promptOf('plain', '{{#if x}} stays')

  expect(flattenTemplate(prompt, () => undefined)).toBe(prompt)
})
