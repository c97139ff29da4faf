import { describe, expect, test } from 'vitest'
import { fixture } from '../../fixtures/fixture.ts'
import { startHttpServer } from '../../fixtures/http-server.ts'
import { editorWorld, newSession, prompt, textOf } from './editor.ts'

const { command, args } = fixture('echo')
const theirs = { name: 'theirs', command, args: [...args], env: [{ name: 'WHO', value: '${HOME} $${x}' }] }

describe("the editor's own servers", () => {
  test("stand beside the person's, for its sessions alone, with their values as they are", async () => {
    await using place = await editorWorld({ servers: { mine: fixture('echo') } })
    const { editor } = place
    const [one, two] = [await newSession(place, [theirs]), await newSession(place)]

    await prompt(editor, one.sessionId, '/call theirs.env name=WHO')
    await prompt(editor, one.sessionId, '/call mine.add a=1')
    await prompt(editor, two.sessionId, '/call theirs.add a=1')

    const said = textOf(editor.updates)
    expect(said).toContain('```\n${HOME} $${x}\n```')
    expect(said).toContain('```\n2\n```')
    expect(said).toContain('"theirs.add"')
  })

  test('run in the folder of the session', async () => {
    await using place = await editorWorld()
    const { sessionId } = await newSession(place, [theirs])

    await prompt(place.editor, sessionId, '/call theirs.cwd')

    expect(textOf(place.editor.updates)).toContain(place.home.cwd)
  })

  test('are asked about like any other before a model runs their tools', async () => {
    const call = { id: 'c1', name: 'theirs__add', json: '{"a":1}' }
    await using place = await editorWorld({ script: [{ calls: [call] }, { text: 'Done.' }] })
    const { editor } = place
    const { sessionId } = await newSession(place, [theirs])

    const turn = prompt(editor, sessionId, 'go')
    const asked = await editor.seen(({ method }) => method === 'session/request_permission')
    editor.notify('session/cancel', { sessionId })

    expect(asked.params).toMatchObject({ toolCall: { title: 'theirs.add {"a":1}' } })
    expect(await turn).toBe('cancelled')
  })

  test('get names that can be typed, none takes the place of another, and Capstan itself is left out', async () => {
    await using place = await editorWorld()
    const { sessionId } = await newSession(place, [
      { ...theirs, name: 'My Server!' },
      { ...theirs, name: 'My Server?' },
      { name: 'capstan', command: 'capstan', args: ['serve'], env: [] },
    ])

    await prompt(place.editor, sessionId, '/servers')

    const said = textOf(place.editor.updates)
    expect(said).toContain('| My-Server |')
    expect(said).toContain('| My-Server-2 |')
    expect(said).not.toContain('| capstan |')
  })

  test('can be remote, over HTTP and over SSE', async () => {
    await using remote = await startHttpServer({ token: 'secret', sse: true })
    await using place = await editorWorld()
    const headers = [{ name: 'Authorization', value: 'Bearer secret' }]
    const { sessionId } = await newSession(place, [
      { type: 'http', name: 'one', url: remote.url, headers },
      { type: 'sse', name: 'two', url: remote.sseUrl, headers },
    ])

    await prompt(place.editor, sessionId, '/call one.grow')
    await prompt(place.editor, sessionId, '/call two.grow')

    expect(textOf(place.editor.updates)).not.toContain('No tool')
    expect(remote.requests.some(({ path }) => path === '/sse')).toBe(true)
  })

  test('one that does not start hurts no other, and the person is told', async () => {
    const broken = { name: 'broken', command: 'no-such-program-here', args: [], env: [] }
    await using place = await editorWorld({ script: [{ text: 'Hello.' }] })
    const { sessionId } = await newSession(place, [broken, theirs])

    await prompt(place.editor, sessionId, 'hi')

    expect(textOf(place.editor.updates)).toBe('Hello.')
    expect(textOf(place.editor.updates, 'agent_thought_chunk')).toContain('Not there for the model: broken.')
    expect(place.model.requests[0]?.text).toContain('theirs__add')
  })
})

test('a config that cannot be read is a reason that the editor shows, and the next session works', async () => {
  await using place = await editorWorld({ files: { '~/.config/capstan/mcp.json': '{ "mcpServers": ' } })

  await expect(newSession(place)).rejects.toMatchObject({ data: { code: 'config_invalid' } })
  await place.home.write({ '~/.config/capstan/mcp.json': '{}' })

  await expect(newSession(place)).resolves.toHaveProperty('sessionId')
})

test('calls are noted with the name of the editor', async () => {
  await using place = await editorWorld({ servers: { echo: fixture('echo') } })
  await place.editor.request('initialize', { protocolVersion: 1, clientInfo: { name: 'My Editor', version: '1' } })
  await prompt(place.editor, (await newSession(place)).sessionId, '/call echo.add a=1')

  const { stdout } = await place.home.capstan(['calls', '--json'])

  expect(stdout).toMatch(/"caller":"My-Editor-\d+"/)
})

describe("a project's servers", () => {
  const files = { '.mcp.json': { mcpServers: { project: fixture('echo') } } }

  test('are not started before a person approved them, and the editor says so', async () => {
    await using place = await editorWorld({ script: [{ text: 'Hello.' }], files })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, 'hi')

    const told = textOf(place.editor.updates, 'agent_thought_chunk')
    expect(told).toContain('wait for your approval and are not started: project. Run: capstan review')
    expect(place.model.requests[0]?.text).not.toContain('project__add')
  })

  test('are told of as a notice where the editor shows notices', async () => {
    await using place = await editorWorld({ script: [{ text: 'Hello.' }], files, can: { session: { notices: {} } } })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, 'hi')

    expect(place.editor.updates).toContainEqual(
      expect.objectContaining({
        sessionUpdate: 'notice',
        severity: 'warning',
        title: expect.stringContaining('capstan review'),
      }),
    )
    expect(textOf(place.editor.updates, 'agent_thought_chunk')).toBe('')
  })
})
