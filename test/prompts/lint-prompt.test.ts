import { expect, test } from 'vitest'
import { includesOf, lintPrompt } from '../../src/prompts/lint-prompt.ts'
import { argument, promptOf } from './makers.ts'

const described = { description: 'Does something' }
const messagesOf = (findings: ReturnType<typeof lintPrompt>) =>
  findings.map(({ severity, where, message }) => `${severity} ${where}: ${message}`)

test('a prompt whose braces are all declared and used gives no finding', () => {
  const prompt = promptOf('good', '{{a}}', { ...described, arguments: [argument('a')] })

  expect(lintPrompt(prompt)).toEqual([])
})

test('undeclared braces, unused arguments and a missing description are warned about', () => {
  const prompt = promptOf('odd', '{{focus}} {{ focus }}', { arguments: [argument('a')] })

  expect(messagesOf(lintPrompt(prompt))).toEqual([
    'warning messages[0]: {{focus}} stays as it is: no argument of that name is declared',
    'warning arguments.a: "a" is declared but {{a}} is nowhere in the text',
    'warning description: there is none, which makes the prompt hard to find',
  ])
})

test('blocks without the opt-in are warned about, and broken ones with it are errors', () => {
  const text = '{{#if a}}'
  const rest = { ...described, arguments: [argument('a')] }

  expect(messagesOf(lintPrompt(promptOf('plain', text, rest)))[0]).toMatch(
    /^warning messages\[0\]: .*"template": "plus"/,
  )
  expect(messagesOf(lintPrompt(promptOf('plus', text, { ...rest, template: 'plus' })))[0]).toMatch(
    /^error messages\[0\]: .*without its \{\{\/if\}\}/,
  )
})

test('steps and resources are looked at too', () => {
  const prompt = {
    ...promptOf('runbook', '', described),
    messages: [{ role: 'user', content: { type: 'resource', resource: { uri: 'x:1', text: '{{one}}' } } }],
    steps: [{ title: '{{two}}', text: '{{three}}' }],
  } as const

  expect(lintPrompt(prompt).map(({ where }) => where)).toEqual(['messages[0]', 'steps[0]', 'steps[0]'])
})

test('inclusions are found inside of blocks, each once', () => {
  const text = '{{> one}}{{#if a}}{{> two}}{{else}}{{> one}}{{/if}}'
  const prompt = promptOf('outer', text, { template: 'plus', arguments: [argument('a')] })

  expect(includesOf(prompt)).toEqual(['one', 'two'])
  expect(includesOf({ ...prompt, arguments: [] })).toEqual([])
})
