import { expect, test } from 'vitest'
import { builtinPrompts } from '../../src/prompts/builtins.ts'
import { lintPrompt } from '../../src/prompts/lint-prompt.ts'
import { readPrompt } from '../../src/prompts/read-prompt.ts'
import { renderPrompt } from '../../src/prompts/render-prompt.ts'

const byName = builtinPrompts.map((prompt) => [prompt.name, prompt] as const)

test('the built-in prompts are those that the documentation names', () => {
  expect(builtinPrompts.map(({ name }) => name).toSorted()).toEqual([
    'code_review',
    'document_function',
    'explain_code',
    'fix_bugs',
    'generate_tests',
    'improve_prompt',
    'incident_response',
    'refactor_extract',
    'simplify_code',
    'write_runbook',
  ])
})

test.each(byName)('%s is a prompt that the library itself would accept, without a warning', (_, prompt) => {
  expect(readPrompt(JSON.parse(JSON.stringify(prompt)))).toEqual(prompt)
  expect(lintPrompt(prompt)).toEqual([])
})

test.each(byName)('%s reads well with only what it must be given', async (_, prompt) => {
  const given = Object.fromEntries(prompt.arguments.filter((a) => a.required).map(({ name }) => [name, `<${name}>`]))

  const messages = await renderPrompt(prompt, given)

  const text = messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('\n')
  for (const value of Object.values(given)) expect(text).toContain(value)
  expect(text).not.toMatch(/\{\{|\}\}|\S {2}\S|\n{3}/)
})

test.each(byName)('%s shows every value that it is given', async (_, prompt) => {
  const given = Object.fromEntries(prompt.arguments.map(({ name }) => [name, `<${name}>`]))

  const messages = await renderPrompt(prompt, given)

  const text = messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('\n')
  for (const value of Object.values(given)) expect(text).toContain(value)
})
