import { array, constantFrom, record, stringMatching, tuple, uniqueArray, type Arbitrary } from 'fast-check'
import type { Prompt, PromptArgument } from '../../../src/prompts/prompt.ts'

const words = stringMatching(/^[A-Za-z$0-9{}:"',#[\]<>é漢 -]{1,30}$/).filter(
  (text) => text.trim() === text && text !== '',
)
const line = constantFrom(
  'plain',
  '$1',
  '$ARGUMENTS',
  '${input:x}',
  '${y:z}',
  '---',
  '# Heading',
  'a: b',
  '{{other}}',
  '1. step',
)
const optional = <Key extends string, Value>(key: Key, value: Arbitrary<Value>) =>
  tuple(constantFrom(true, false), value).map(
    ([has, chosen]) => (has ? { [key]: chosen } : {}) as { [K in Key]?: Value },
  )

const argument: Arbitrary<PromptArgument> = tuple(
  stringMatching(/^[a-z][a-zA-Z_.-]{0,8}$/),
  constantFrom(true, false),
  optional('description', words),
  optional('default', words),
).map(([name, required, description, preset]) => ({ name, ...description, required, ...preset }))

/** Prompts with what real ones have: several lines and messages, arguments in the text, odd characters, text that looks like somebody's syntax. */
const arbitraryPrompt: Arbitrary<Prompt> = record({
  name: stringMatching(/^[a-z0-9_]{1,20}$/),
  declared: uniqueArray(argument, { maxLength: 3, selector: ({ name }) => name }),
  texts: array(tuple(constantFrom('user', 'assistant'), array(line, { minLength: 1, maxLength: 5 })), {
    minLength: 1,
    maxLength: 3,
  }),
  tags: uniqueArray(stringMatching(/^[a-z]{1,5}(?:\/[a-z]{1,4})?$/), { maxLength: 2 }),
  rest: tuple(optional('title', words), optional('description', words)).map(([title, about]) => ({
    ...title,
    ...about,
  })),
}).map(({ name, declared, texts, tags, rest }) => {
  const uses = declared.map((one) => `Use {{${one.name}}} here.`)
  const messages = texts.map(([role, lines]) => ({
    role,
    content: { type: 'text', text: ['Begin', ...lines, ...uses, 'end'].join('\n') },
  }))
  return { name, ...rest, arguments: declared, messages, tags } as Prompt
})

/** Different names, as a store has them. */
export const arbitraryPrompts = uniqueArray(arbitraryPrompt, {
  minLength: 1,
  maxLength: 4,
  selector: ({ name }) => name,
})
