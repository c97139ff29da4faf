import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CapstanError } from '../../src/errors.ts'
import type { Prompt } from '../../src/prompts/prompt.ts'
import { renderPrompt, type RenderOptions } from '../../src/prompts/render-prompt.ts'
import { argument, promptOf } from './makers.ts'

type Values = Readonly<Record<string, string>>

/** The text of the first message, rendered. Its arguments are `a`, `b` and `c`, all optional, unless given. */
async function render(text: string, values: Values = {}, rest: Partial<Prompt> = {}, options: RenderOptions = {}) {
  const declared = { arguments: ['a', 'b', 'c'].map((name) => argument(name)), ...rest }
  const [message] = await renderPrompt(promptOf('outer', text, declared), values, options)
  return message?.content.type === 'text' ? message.content.text : undefined
}

const plus = { template: 'plus' } as const

describe('arguments', () => {
  test.each([
    ['Hello {{a}}, {{ b }}!', { a: 'x', b: 'y' }, 'Hello x, y!'],
    ['{{a}}{{a}}', { a: '1' }, '11'],
    ['{{a}} and {{b}}', { a: '{{b}}', b: '{{a}}' }, '{{b}} and {{a}}'],
    ['cost: {{a}}', { a: '$& $1 $$ $`' }, 'cost: $& $1 $$ $`'],
    ['{{{a}}}', { a: 'x' }, '{x}'],
    ['{{Hostname}} {{base64("x")}} {{ }} {a} {{a}', {}, '{{Hostname}} {{base64("x")}} {{ }} {a} {{a}'],
    ['{{#if a}}x{{/if}} {{> other}}', { a: '1' }, '{{#if a}}x{{/if}} {{> other}}'],
    ['{{constructor}} {{__proto__}}', {}, '{{constructor}} {{__proto__}}'],
  ])('fill %j with %j to make %j', async (text, values, expected) => {
    expect(await render(text, values)).toBe(expected)
  })

  test('are filled in whatever their values hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ minLength: 1 }), async (a, b) => {
        expect(await render('1 {{a}} 2\n{{b}}\n3 {{a}}', { a, b })).toBe(`1 ${a} 2\n${b}\n3 ${a}`)
      }),
    )
  })

  test('may have names of other scripts', async () => {
    const rest = { arguments: [argument('größe'), argument('名前')] }

    expect(await render('{{größe}} {{名前}}', { größe: 'L', 名前: '花' }, rest)).toBe('L 花')
  })

  test('have their default when none is given, also when they are required', async () => {
    const rest = { arguments: [argument('a', { default: 'all', required: true })] }

    expect(await render('{{a}}', {}, rest)).toBe('all')
    expect(await render('{{a}}', { a: '' }, rest)).toBe('all')
    expect(await render('{{a}}', { a: 'one' }, rest)).toBe('one')
  })

  test.each([
    ['Review the {{a}} code', 'Review the code'],
    ['Review {{a}}.', 'Review.'],
    ['Review {{a}}\nNow', 'Review\nNow'],
    ['One\n  {{a}}\nTwo', 'One\nTwo'],
    ['One\r\n{{a}}\r\nTwo', 'One\r\nTwo'],
    ['One\n{{a}}', 'One'],
    ['{{a}} {{b}}', ''],
    ['{{a}}', ''],
    ['{{a}} code', 'code'],
    ['x{{a}}y', 'xy'],
    ['({{a}})', '()'],
    ['One\n{{a}} {{b}}\nTwo', 'One\nTwo'],
  ])('that are missing vanish cleanly from %j', async (text, expected) => {
    expect(await render(text)).toBe(expected)
  })

  test('that are missing take nothing from the values beside them', async () => {
    expect(await render('{{a}}{{b}} .', { a: 'x  ' })).toBe('x   .')
    expect(await render('{{b}}{{a}}', { a: '\n x' })).toBe('\n x')
  })

  test.each([
    [{}, { required: true }, /"a" is missing/],
    [{ a: '' }, { required: true }, /"a" is missing/],
    [{ z: '1' }, {}, /no argument "z"/],
    [{ toString: '1' }, {}, /no argument "toString"/],
    [{ a: 'x' }, { type: 'number' }, /"a" must be a number, but is "x"/],
    [{ a: 'Infinity' }, { type: 'number' }, /a number/],
    [{ a: '1.5' }, { type: 'integer' }, /a whole number/],
    [{ a: 'yes' }, { type: 'boolean' }, /true or false/],
    [{ a: 'three' }, { enum: ['one', 'two'] }, /one of one, two/],
  ] as const)('%j for %j are refused with a message that names the argument', async (values, rest, message) => {
    const outcome = render('{{a}}', values, { arguments: [argument('a', rest)] })

    await expect(outcome).rejects.toThrow(message)
    await expect(outcome).rejects.toMatchObject({ code: 'arguments_invalid' })
  })

  test('are named all at once when several are wrong', async () => {
    const rest = {
      arguments: [argument('a', { required: true, description: 'what to do' }), argument('b', { type: 'integer' })],
    }

    await expect(render('', { b: 'x', c: 'y' }, rest)).rejects.toThrow(
      'Prompt "outer": there is no argument "c"; "a" is missing (what to do); "b" must be a whole number, but is "x".',
    )
  })
})

describe('blocks of prompts that opt in', () => {
  test.each([
    ['{{#if a}}yes{{else}}no{{/if}}', { a: '1' }, 'yes'],
    ['{{#if a}}yes{{else}}no{{/if}}', {}, 'no'],
    ['{{#if a}}{{#if b}}both{{else}}a{{/if}}{{/if}}!', { a: '1', b: '2' }, 'both!'],
    ['{{#if a}}{{#if b}}both{{else}}a{{/if}}{{/if}}!', { a: '1' }, 'a!'],
    ['One\n{{#if a}}\nTwo {{a}}\n{{else}}\nNone\n{{/if}}\nThree', { a: '1' }, 'One\nTwo 1\nThree'],
    ['One\n{{#if a}}\nTwo {{a}}\n{{else}}\nNone\n{{/if}}\nThree', {}, 'One\nNone\nThree'],
    ['Review {{#if a}}well{{/if}} now', {}, 'Review now'],
    ['{{#if a}}{{a}}{{/if}}', { a: '{{#if b}}' }, '{{#if b}}'],
    ['{{Hostname}}', {}, '{{Hostname}}'],
  ])('make of %j with %j the text %j', async (text, values, expected) => {
    expect(await render(text, values, plus)).toBe(expected)
  })

  test('take the boolean false for no', async () => {
    const rest = { ...plus, arguments: [argument('a', { type: 'boolean' })] }

    expect(await render('{{#if a}}yes{{else}}no{{/if}}', { a: 'false' }, rest)).toBe('no')
    expect(await render('{{#if a}}yes{{else}}no{{/if}}', { a: 'true' }, rest)).toBe('yes')
  })

  test.each([
    ['x\n{{#if a}}', 'line 2: {{#if a}} without its {{/if}}'],
    ['{{/if}}', '{{/if}} without an {{#if …}} before it'],
    ['{{else}}', '{{else}} without an {{#if …}} before it'],
    ['{{#if a}}{{else}}{{else}}{{/if}}', 'a second {{else}}'],
    ['{{#if z}}{{/if}}', '{{#if z}} asks for an argument that is not declared'],
  ])('%j is refused with a reason', async (text, reason) => {
    await expect(render(text, {}, plus)).rejects.toMatchObject({
      code: 'prompt_invalid',
      message: expect.stringContaining(reason) as string,
    })
  })
})

describe('inclusions', () => {
  const library = (prompts: readonly Prompt[]): RenderOptions => ({
    include: async (name) => {
      const found = prompts.find((prompt) => prompt.name === name)
      if (found === undefined) throw new CapstanError('prompt_unknown', name)
      return found
    },
  })

  test('bring in the texts of another prompt, with the values for its arguments', async () => {
    const tone = promptOf('tone', 'Be {{a}}. {{secret}}', { arguments: [argument('a')] })

    const text = await render('{{> tone}} {{b}}', { a: 'kind {{b}}', b: '!' }, plus, library([tone]))

    expect(text).toBe('Be kind {{b}}. {{secret}} !')
  })

  test('that make a circle are refused, with the way around it', async () => {
    const prompts = [promptOf('one', '{{> two}}', plus), promptOf('two', '{{> one}}', plus)]

    await expect(render('{{> one}}', {}, plus, library(prompts))).rejects.toThrow('outer → one → two → one')
  })

  test('go eight levels deep and no deeper', async () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, index) =>
        promptOf(`p${index}`, index === length - 1 ? 'end' : `{{> p${index + 1}}}`, plus),
      )

    expect(await render('{{> p0}}', {}, plus, library(chain(7)))).toBe('end')
    await expect(render('{{> p0}}', {}, plus, library(chain(8)))).rejects.toThrow('more than 8 levels')
  })

  test('that multiply are stopped before they fill the memory', async () => {
    const doubling = Array.from({ length: 7 }, (_, index) =>
      promptOf(`p${index}`, index === 6 ? 'x'.repeat(500_000) : `{{> p${index + 1}}}`.repeat(12), plus),
    )

    await expect(render('{{> p0}}', {}, plus, library(doubling))).rejects.toMatchObject({ code: 'prompt_invalid' })
  })

  test('of a prompt that does not exist are refused by name', async () => {
    await expect(render('{{> gone}}', {}, plus, library([]))).rejects.toThrow(
      '"outer" includes "gone", which does not exist',
    )
    await expect(render('{{> gone}}', {}, plus)).rejects.toThrow('no other prompts here')
  })
})

test('images and links stay as they are, and the text inside of a resource is filled in', async () => {
  const image = { type: 'image', data: 'e3thfX0=', mimeType: 'image/png' } as const
  const link = { type: 'resource_link', uri: 'file:///{{a}}', name: 'x' } as const
  const prompt: Prompt = {
    ...promptOf('kinds', '', { arguments: [argument('a')] }),
    messages: [
      { role: 'user', content: image },
      { role: 'assistant', content: link },
      { role: 'user', content: { type: 'resource', resource: { uri: 'note:1', text: 'see {{a}}' } } },
      { role: 'user', content: { type: 'resource', resource: { uri: 'note:2', blob: 'e3thfX0=' } } },
    ],
  }

  const contents = (await renderPrompt(prompt, { a: 'X' })).map(({ content }) => content)

  expect(contents).toEqual([
    image,
    link,
    { type: 'resource', resource: { uri: 'note:1', text: 'see X' } },
    { type: 'resource', resource: { uri: 'note:2', blob: 'e3thfX0=' } },
  ])
})

test('the steps of a runbook come as a numbered list after the messages', async () => {
  const steps = [{ title: 'Stop {{a}}', text: 'Then wait.\n\nLong.' }, { title: 'Start it' }]
  const prompt = promptOf('runbook', 'Do this:', { steps, arguments: [argument('a')] })

  const messages = await renderPrompt(prompt, { a: 'nginx' })

  expect(messages.at(-1)).toEqual({
    role: 'user',
    content: { type: 'text', text: '1. Stop nginx\n   Then wait.\n\n   Long.\n2. Start it' },
  })
})
