import { describe, expect, onTestFinished, test } from 'vitest'
import { checkField } from '../../src/commands/fields.ts'
import { openCommands, prepareLine, type Commands } from '../../src/commands/open-commands.ts'
import type { Block, Form, Outcome } from '../../src/commands/outcome.ts'
import { fixture } from '../fixtures/fixture.ts'
import { inlineServer } from '../hub/inline-server.ts'
import { openTestHub, type Servers } from '../hub/makers.ts'
import { contextOver } from './session-view.ts'

async function open(servers: Servers = { echo: fixture('echo') }): Promise<Commands> {
  const hub = await openTestHub(servers)
  const commands = openCommands(contextOver(hub), { completion: { debounceMs: 0 } })
  onTestFinished(async () => {
    commands[Symbol.dispose]()
    await hub[Symbol.asyncDispose]()
  })
  await Promise.all(Object.keys(servers).map((server) => commands.execute(`/${server}:nothing`)))
  return commands
}

function shown(outcome: Outcome): string {
  return outcome.kind === 'printed' ? outcome.blocks.map(blockText).join('\n') : JSON.stringify(outcome)
}

function blockText(block: Block): string {
  if (block.kind === 'table') return block.rows.map((row) => row.join(' | ')).join('\n')
  if (block.kind === 'content') return block.part.kind === 'media' ? `<${block.part.mimeType}>` : block.part.text
  return block.text
}

function formOf(outcome: Outcome): Form {
  if (outcome.kind !== 'form') throw new Error(`no form: ${JSON.stringify(outcome)}`)
  return outcome.form
}

describe('a prompt', () => {
  test.each([
    ['/echo:greet alice', 'Say hello to alice.'],
    ['/greet "Ada Lovelace" Aachen am Dom', 'Say hello to Ada Lovelace in Aachen am Dom.'],
    ['/echo:greet city=Bonn who=alice', 'Say hello to alice in Bonn.'],
    ['/echo:greet --args {"who":"alice"} city=Bonn', 'Say hello to alice in Bonn.'],
    ['/echo:greet --args {"who":7}', 'Say hello to 7.'],
    ['/echo:greet who="first\nsecond"', 'Say hello to first\nsecond.'],
    ['/echo.greet who=x', 'Say hello to x.'],
  ])('%j reaches its server with the real values', async (line, said) => {
    const outcome = await (await open()).execute(line)

    expect(outcome).toMatchObject({
      kind: 'prompt',
      prompt: 'echo:greet',
      messages: [{ role: 'user', parts: [{ kind: 'text', text: said }], prompt: 'echo:greet' }],
    })
  })

  test('keeps its roles and all kinds of content', async () => {
    expect(await (await open()).execute('/echo:talk')).toMatchObject({
      kind: 'prompt',
      messages: [
        { role: 'user', parts: [{ kind: 'text', text: 'What stands in the note?' }] },
        { role: 'assistant', text: 'I will look.' },
        { role: 'user', parts: [{ kind: 'resource', uri: 'note://one', text: '# One' }] },
      ],
      notices: [],
    })
  })

  test('says which part of it no model takes', async () => {
    const image = `{ type: 'image', mimeType: 'image/png', data: 'AAAA' }`
    const pictures = inlineServer(`serveRaw({ name: 'pictures', prompts: [{ name: 'p', render: () => [
      { role: 'user', content: ${image} }, { role: 'assistant', content: ${image} },
      { role: 'user', content: { type: 'resource_link', uri: 'a://b', name: 'B' } }, { role: 'user', content: { type: 'dance' } },
    ] }] })`)

    const outcome = await (await open({ pictures })).execute('/pictures:p')

    expect(outcome).toMatchObject({
      messages: [
        { parts: [{ kind: 'media', mimeType: 'image/png', data: 'AAAA' }] },
        { parts: [{ kind: 'text', text: 'Resource a://b: B' }] },
        { parts: [{ kind: 'text', text: '{"type":"dance"}' }] },
      ],
      notices: [expect.stringContaining('image/png')],
    })
  })

  test('two servers with a prompt of the same name need the full name', async () => {
    const outcome = await (await open({ a: fixture('echo'), b: fixture('echo') })).execute('/greet x')

    expect(outcome).toMatchObject({
      kind: 'error',
      error: { message: 'Several prompts are called "greet": /a:greet, /b:greet.', next: 'Write the full name.' },
    })
  })
})

describe('a form', () => {
  test('asks for what is required and missing, with what was given filled in', async () => {
    const { form } = { form: formOf(await (await open()).execute('/echo:greet city="Bad Aibling"')) }

    expect(form).toEqual({
      command: 'prompt:echo:greet',
      title: 'Greet someone',
      description: 'Writes a greeting.',
      fields: [
        { name: 'who', description: 'Whom to greet', required: true, kind: 'text' },
        { name: 'city', description: 'Where they are', required: false, kind: 'text' },
      ],
      values: { city: 'Bad Aibling' },
      missing: ['who'],
    })
  })

  test('a key without a value counts as missing', async () => {
    expect(formOf(await (await open()).execute('/echo:greet who=')).missing).toEqual(['who'])
  })

  test('completes its fields by the server, given the other fields', async () => {
    const commands = await open()
    const form = formOf(await commands.execute('/echo:greet'))

    const who = await commands.completeField(form, 'who', { typed: 'al', values: {} })
    const city = await commands.completeField(form, 'city', { typed: '', values: { who: 'alice', city: '' } })

    expect(who.map(({ value }) => value)).toEqual(['alice', 'albert'])
    expect(city.map(({ value }) => value)).toEqual(['Aachen', 'Bonn'])
  })

  test('runs the command with its values, sends no empty ones, and gives the line that says the same', async () => {
    const commands = await open()
    const form = formOf(await commands.execute('/echo:greet'))

    const outcome = await commands.submit(form, { values: { who: 'Ada "A" L', city: '' } })

    expect(outcome).toMatchObject({
      kind: 'prompt',
      line: String.raw`/echo:greet who="Ada \"A\" L"`,
      messages: [{ parts: [{ text: 'Say hello to Ada "A" L.' }] }],
    })
    expect(await commands.execute(outcome.kind === 'prompt' ? outcome.line : '')).toEqual(outcome)
  })

  test('for a call first asks for the tool, then for its arguments', async () => {
    const commands = await open()
    const first = formOf(await commands.execute('/call'))

    const second = formOf(await commands.submit(first, { values: { [first.fields[0]?.name ?? '']: 'echo.echo' } }))
    const done = await commands.submit(second, { values: { ...second.values, message: 'a = b' } })

    expect(first.fields.map(({ title }) => title)).toEqual(['tool'])
    expect(second).toMatchObject({ title: '/call echo.echo', description: 'Says the message again.' })
    expect(second.missing).toEqual(['message'])
    expect(shown(done)).toContain('a = b')
  })

  test.each<[kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices', value: string, isGood: boolean]>([
    ['text', 'anything', true],
    ['number', '1.5', true],
    ['number', 'one', false],
    ['integer', '2', true],
    ['integer', '2.5', false],
    ['boolean', 'true', true],
    ['boolean', 'yes', false],
    ['choice', 'a', true],
    ['choice', 'c', false],
    ['choices', 'a\nb', true],
    ['choices', 'a\nc', false],
    ['choices', 'a, b', true],
    ['choices', 'a, c', false],
    ['text', '', false],
  ])('a required field of kind %s takes %j: %s', (kind, value, isGood) => {
    const field = { name: 'x', required: true, kind, choices: [{ value: 'a' }, { value: 'b' }] }

    expect(checkField(field, value) === undefined).toBe(isGood)
    expect(checkField({ ...field, required: false }, '')).toBeUndefined()
  })
})

test('the end of a URI is completed by the server of its template', async () => {
  const commands = await open()

  const { items } = await commands.suggest('/read person://al', 17)

  expect(items.map(({ label }) => label).slice(0, 2)).toEqual(['person://alice', 'person://albert'])
})

describe('an error', () => {
  test.each([
    ['/hlep', /no command \/hlep\. Closest: help/],
    ['/echo:gret x', /no command \/echo:gret\. Closest: echo:greet/],
    ['/echo:plain something', /takes no arguments/],
    ['/echo:greet who="never closed', /never closed/],
    ['/call echo.nosuch', /No tool "echo\.nosuch"/],
    ['/read nothing://here', /No server lists a resource/],
    ['/servers nosuch', /no server "nosuch"/],
    ['/queue remove 7', /no number 7/],
    ['/queue jump', /not one of remove, clear, resume/],
    ['/resume nosuch', /no conversation "nosuch"/],
    ['/echo:greet --args {"who":1,"nosuch":2}', /no argument "nosuch"/],
  ])('of %j says what is wrong', async (line, message) => {
    const outcome = await (await open()).execute(line)

    expect(outcome).toMatchObject({ kind: 'error', error: { message: expect.stringMatching(message) } })
  })

  test('in the line has its place', async () => {
    const line = '/echo:greet who=a who=b'

    const outcome = await (await open()).execute(line)

    expect(outcome).toMatchObject({ kind: 'error', place: { start: line.indexOf('who=b'), end: line.length } })
  })
})

describe('text', () => {
  test.each(['hello', '/etc/hosts is wrong', '// what does this do?'])(
    '%j goes to the model as it is',
    async (line) => {
      expect(await (await open()).execute(line)).toEqual({
        kind: 'message',
        messages: [{ role: 'user', parts: [{ kind: 'text', text: line }] }],
        notices: [],
      })
    },
  )
})

describe('as the path of a line in a session', () => {
  test('prompts and text become messages, everything else is shown', async () => {
    const seen: Outcome[] = []
    const prepare = prepareLine(await open(), (outcome) => void seen.push(outcome))
    const { signal } = new AbortController()

    expect(await prepare('/echo:plain', { signal })).toMatchObject({ kind: 'messages', messages: [{ role: 'user' }] })
    expect(await prepare('hello', { signal })).toMatchObject({ kind: 'messages', messages: [{ role: 'user' }] })
    expect(await prepare('/help', { signal })).toEqual({ kind: 'handled' })
    expect(await prepare('/echo:greet', { signal })).toEqual({ kind: 'handled' })
    expect(seen.map(({ kind }) => kind)).toEqual(['printed', 'form'])
  })

  test('what should be known about a message is shown before it is sent', async () => {
    const seen: Outcome[] = []
    const prepare = prepareLine(await open(), (outcome) => void seen.push(outcome))

    await prepare('/echo:greet titel=x', { signal: new AbortController().signal })
    await prepare('/echo:greet wo=x', { signal: new AbortController().signal })

    expect(seen.map(shown).join()).toContain('Did you mean who=?')
  })
})
