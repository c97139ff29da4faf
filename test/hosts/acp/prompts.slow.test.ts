import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fixture } from '../../fixtures/fixture.ts'
import { editorWorld, newSession, prompt, textOf, updatesOf, type Answering, type TestEditor } from './editor.ts'

const servers = { echo: fixture('echo') }
const done = { text: 'Done.' }
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('a prompt', () => {
  test('brings pictures and embedded files to the model, in the place where they were mentioned', async () => {
    await using place = await editorWorld({ script: [done] })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, [
      { type: 'text', text: 'Compare ' },
      { type: 'resource', resource: { uri: 'file:///p/a.txt', text: 'ALPHA' } },
      { type: 'text', text: ' with this:' },
      { type: 'image', mimeType: 'image/png', data: pixel },
    ])

    const { text } = place.model.requests[0] ?? { text: '' }
    expect(text).toContain('Compare [a.txt](file:///p/a.txt) with this:')
    expect(text).toContain('ALPHA')
    expect(text).toContain(pixel)
  })

  test('can be a picture alone', async () => {
    await using place = await editorWorld({ script: [done] })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, [{ type: 'image', mimeType: 'image/png', data: pixel }])

    expect(place.model.requests[0]?.text).toContain(pixel)
  })

  test('follows links to files and to resources of servers, and leaves others as they are', async () => {
    await using place = await editorWorld({ script: [done], servers, files: { 'b.txt': 'BETA' } })
    const { editor, home } = place
    const { sessionId } = await newSession(place)
    await knows(editor, 'echo:greet')
    const uri = pathToFileURL(join(home.cwd, 'b.txt')).href

    await prompt(editor, sessionId, [
      { type: 'resource_link', name: 'b.txt', uri },
      { type: 'resource_link', name: 'one', uri: 'note://one' },
      { type: 'resource_link', name: 'elsewhere', uri: 'https://example.invalid/x' },
      { type: 'resource_link', name: 'missing.txt', uri: 'file:///nowhere/missing.txt' },
    ])

    const { text } = place.model.requests[0] ?? { text: '' }
    expect(text).toContain('BETA')
    expect(text).toContain('# One')
    expect(text).toContain('[elsewhere](https://example.invalid/x)')
    expect(textOf(editor.updates, 'agent_thought_chunk')).toContain('missing.txt was not attached')
  })

  test('takes a file as it stands in the editor, saved or not', async () => {
    const answers: Answering = ({ method }) => (method === 'fs/read_text_file' ? { content: 'UNSAVED' } : undefined)
    await using place = await editorWorld({ script: [done], answers, can: { fs: { readTextFile: true } } })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, [{ type: 'resource_link', name: 'c.txt', uri: 'file:///p/c.txt' }])

    expect(place.editor.asked).toMatchObject([{ params: { sessionId, path: '/p/c.txt' } }])
    expect(place.model.requests[0]?.text).toContain('UNSAVED')
  })
})

describe('slash commands', () => {
  test('are every prompt of every server, with hints, and those of our own that an editor has use for', async () => {
    await using place = await editorWorld({ servers })
    await newSession(place)

    const list = await knows(place.editor, 'echo:greet')

    expect(list).toContainEqual({
      name: 'echo:greet',
      description: 'Writes a greeting.',
      input: { hint: 'WHO [CITY]' },
    })
    expect(list).toContainEqual({ name: 'echo:plain', description: 'Takes no arguments.' })
    const names = list.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['help', 'tools', 'model', 'compact', 'prompts:code_review']))
    expect(names).not.toContain('exit')
  })

  test('put a rendered prompt into the conversation, with what came along', async () => {
    await using place = await editorWorld({ script: [done], servers })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, [
      { type: 'text', text: '/echo:greet who="Ann Lee" city=Bonn' },
      { type: 'resource', resource: { uri: 'file:///p/a.txt', text: 'ALPHA' } },
    ])

    expect(place.model.requests[0]?.text).toContain('Say hello to Ann Lee in Bonn')
    expect(place.model.requests[0]?.text).toContain('ALPHA')
  })

  test('ask for what is missing with a form, where the editor shows one', async () => {
    const answers: Answering = () => ({ action: 'accept', content: { who: 'Ann' } })
    await using place = await editorWorld({ script: [done], servers, answers, can: { elicitation: { form: {} } } })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, '/echo:greet')

    expect(place.editor.asked[0]?.params).toMatchObject({
      mode: 'form',
      requestedSchema: { properties: { who: { type: 'string', description: 'Whom to greet' } }, required: ['who'] },
    })
    expect(place.model.requests[0]?.text).toContain('Say hello to Ann.')
  })

  test('else say what is missing, and ask no model', async () => {
    await using place = await editorWorld({ servers })
    const { sessionId } = await newSession(place)

    expect(await prompt(place.editor, sessionId, '/echo:greet')).toBe('end_turn')

    expect(textOf(place.editor.updates)).toContain('- who: Whom to greet\n\nType it with who=…')
    expect(place.model.requests).toHaveLength(0)
  })

  test.each([
    ['/echo:gret', 'echo:greet'],
    ['/call echo.fail', 'reported an error'],
    ['/exit', 'Your editor does this'],
    ['/tools', '| echo.add | Adds two numbers. |'],
  ])('%s is answered in the editor', async (line, answer) => {
    await using place = await editorWorld({ servers })
    const { sessionId } = await newSession(place)
    await knows(place.editor, 'echo:greet')

    expect(await prompt(place.editor, sessionId, line)).toBe('end_turn')

    expect(textOf(place.editor.updates)).toContain(answer)
  })

  test('/compact lets the model sum up, and goes on from there', async () => {
    const script = [{ text: 'The secret is 42.' }, { text: 'SUMMARY: 42' }, { text: 'Yes.' }]
    await using place = await editorWorld({ script })
    const { sessionId } = await newSession(place)
    await prompt(place.editor, sessionId, 'a secret?')

    await prompt(place.editor, sessionId, '/compact')
    await prompt(place.editor, sessionId, 'sure?')

    expect(textOf(place.editor.updates)).toContain('SUMMARY: 42')
    expect(place.model.requests[2]?.text).toContain('SUMMARY: 42')
    expect(place.model.requests[2]?.text).not.toContain('The secret is')
  })

  test('show text of servers as text, not as links, pictures or control sequences', async () => {
    await using place = await editorWorld({ servers })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, '/call echo.control')
    await prompt(place.editor, sessionId, '/call echo.echo message="![x](https://example.invalid/y)"')

    const said = textOf(place.editor.updates)
    expect(['\u001B', '\u009B', '\u0007'].filter((sign) => said.includes(sign))).toEqual([])
    expect(said).toContain('```\n![x](https://example.invalid/y)\n```')
  })
})

/** Waits until a command is offered, and resolves to all that are. */
async function knows(editor: TestEditor, name: string) {
  await editor.seen(({ params }) => JSON.stringify(params ?? {}).includes(`"name":"${name}"`))
  return updatesOf(editor.updates, 'available_commands_update').at(-1)?.availableCommands ?? []
}
