import { describe, expect, test } from 'vitest'
import { isPromptName, promptNameFor } from '../../src/prompts/prompt-name.ts'
import { readPrompt, unknownFieldsOf } from '../../src/prompts/read-prompt.ts'
import { promptOf } from './makers.ts'

describe('readPrompt', () => {
  test('gives a whole prompt back as it came', () => {
    const prompt = {
      name: 'all_fields',
      title: 'Alles, 全部',
      description: 'x',
      arguments: [
        {
          name: 'a',
          description: 'y',
          required: true,
          type: 'integer',
          default: '1',
          enum: ['1', '2'],
          examples: ['1'],
        },
      ],
      messages: [
        { role: 'user', content: { type: 'text', text: '{{a}}' } },
        { role: 'assistant', content: { type: 'image', data: 'AA==', mimeType: 'image/png' } },
        { role: 'user', content: { type: 'audio', data: 'AA==', mimeType: 'audio/wav' } },
        { role: 'user', content: { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/plain', text: 'z' } } },
        { role: 'user', content: { type: 'resource', resource: { uri: 'a:b', blob: 'AA==' } } },
        { role: 'user', content: { type: 'resource_link', uri: 'a:b', name: 'n', description: 'd', mimeType: 'm/n' } },
      ],
      steps: [{ title: 'one', text: 'two' }, { title: 'three' }],
      tags: ['language/go', 'review'],
      template: 'plus',
      meta: { claude: { tools: ['Read', null, 1, true] } },
      created: '2026-01-01T00:00:00Z',
      updated: '2026-01-02T00:00:00Z',
    }

    expect(readPrompt(prompt)).toEqual(prompt)
  })

  test('takes the short forms that people write by hand', () => {
    const prompt = readPrompt({
      name: 'short',
      title: null,
      arguments: [{ name: 'n', default: 5, enum: [5, true] }],
      messages: [{ role: 'user', content: 'Hello' }],
      tags: [' /language / go/', 'language/go'],
    })

    expect(prompt).toEqual({
      name: 'short',
      arguments: [{ name: 'n', required: false, default: '5', enum: ['5', 'true'] }],
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
      tags: ['language/go'],
    })
  })

  const wrong: readonly (readonly [object | string | null, string])[] = [
    [null, 'A prompt must be an object, but is null.'],
    [[], 'A prompt must be an object, but is a list.'],
    ['x', 'A prompt must be an object, but is a text.'],
    [{}, 'A prompt: name must be a text, but is missing.'],
    [{ name: 'Bad-Name' }, '"Bad-Name" cannot be the name of a prompt'],
    [{ name: '../x' }, '"../x" cannot be the name of a prompt'],
    [{ name: 'x' }, 'Prompt "x" has neither messages nor steps.'],
    [{ ...promptOf('x'), title: 5 }, 'Prompt "x": title must be a text, but is the number 5.'],
    [{ ...promptOf('x'), tags: 'a' }, 'Prompt "x": tags must be a list, but is a text.'],
    [{ ...promptOf('x'), tags: ['a', '/'] }, 'Prompt "x": tags[1] must be a word'],
    [{ ...promptOf('x'), template: 'liquid' }, 'Prompt "x": template must be plus, but is "liquid".'],
    [{ ...promptOf('x'), created: 'soon' }, 'Prompt "x": created must be a date'],
    [{ ...promptOf('x'), meta: { f: () => 1 } }, 'Prompt "x": meta must be an object of plain JSON'],
    [{ ...promptOf('x'), arguments: [{ name: 'a' }, 5] }, 'Prompt "x": arguments[1] must be an object'],
    [{ ...promptOf('x'), arguments: [{ name: 'a b' }] }, 'Prompt "x": arguments[0].name must be a name of letters'],
    [{ ...promptOf('x'), arguments: [{ name: 'a', required: 'yes' }] }, 'arguments[0].required must be true or false'],
    [{ ...promptOf('x'), arguments: [{ name: 'a', enum: [] }] }, 'arguments[0].enum must be a list of at least one'],
    [
      { ...promptOf('x'), arguments: [{ name: 'a', enum: ['1'], default: 2 }] },
      'arguments[0].default must be one of 1',
    ],
    [{ ...promptOf('x'), arguments: [{ name: 'a' }, { name: 'a' }] }, 'has two arguments called "a"'],
    [{ ...promptOf('x'), messages: [{ role: 'system', content: 'x' }] }, 'messages[0].role must be user or assistant'],
    [{ ...promptOf('x'), messages: [{ role: 'user', content: {} }] }, 'messages[0].content.type must be a text'],
    [
      { ...promptOf('x'), messages: [{ role: 'user', content: { type: 'resource', resource: { uri: 'a' } } }] },
      'messages[0].content.resource.text must be a text, but is missing.',
    ],
  ]

  test.each(wrong)('refuses %j and names the field', (value, message) => {
    expect(() => readPrompt(value)).toThrow(message)
    expect(() => readPrompt(value)).toThrow(expect.objectContaining({ code: 'prompt_invalid' }))
  })

  test('leaves it to its caller to mention fields that it does not know', () => {
    const value = { ...promptOf('x'), argumets: [] }

    expect(readPrompt(value)).toEqual(promptOf('x'))
    expect(unknownFieldsOf(value)).toEqual(['argumets'])
    expect(unknownFieldsOf('x')).toEqual([])
  })
})

describe('promptNameFor', () => {
  test.each([
    ['Code Review', 'code_review'],
    ["What's new?", 'whats_new'],
    ['Über-Prüfung (v2)', 'uber_prufung_v2'],
    ['  __x__ ', 'x'],
    ['y'.repeat(100), 'y'.repeat(64)],
  ])('makes of %j the name %s', (title, name) => {
    expect(promptNameFor(title)).toBe(name)
  })

  test.each(['面试官', '', '!!!', '🙂'])('makes a name of %j, the same each time', (title) => {
    expect(promptNameFor(title)).toMatch(/^prompt_[0-9a-f]{10}$/)
    expect(promptNameFor(title)).toBe(promptNameFor(title))
  })

  test('numbers names that are taken, within the length of a name', () => {
    const taken = new Set<string>()
    for (let count = 0; count < 12; count += 1) taken.add(promptNameFor('z'.repeat(80), (name) => taken.has(name)))

    expect(taken.size).toBe(12)
    expect([...taken].every(isPromptName)).toBe(true)
    expect([...taken].at(-1)).toBe(`${'z'.repeat(61)}_12`)
  })
})
