import { describe, expect, test } from 'vitest'
import { isRunning, world } from '../../e2e/cli.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { call, choosing, editorWorld, newSession, prompt, startEditor, textOf, type Message } from './editor.ts'

const servers = { echo: fixture('echo') }

describe('an editor that does not keep to the protocol', () => {
  test('is refused everything before it has introduced itself', async () => {
    await using home = await world()
    await using editor = startEditor(home)

    const early = editor.request('session/new', { cwd: home.cwd, mcpServers: [] })

    await expect(early).rejects.toMatchObject({ code: -32600 })
  })

  test('is answered with version 1, whatever it speaks', async () => {
    await using home = await world()
    await using editor = startEditor(home)

    const welcome = await editor.request('initialize', { protocolVersion: 99, clientInfo: { name: 'x', version: '0' } })

    expect(welcome).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'capstan' },
      agentCapabilities: { loadSession: true, promptCapabilities: { image: true, embeddedContext: true } },
    })
  })

  test('gets an error for each thing that is none, and can go on', async () => {
    await using place = await editorWorld({ script: [{ text: 'Here.' }] })
    const { editor, home } = place

    editor.write('this is no JSON\n{"jsonrpc":"2.0","id":"cut"\n[]\n42\n"text"\nnull\n\n')
    const wrong = [
      ['no/such_method', {}],
      ['session/new', {}],
      ['session/new', { cwd: 'relative', mcpServers: [] }],
      ['session/new', { cwd: '/nowhere/at/all', mcpServers: [] }],
      ['session/new', { cwd: home.cwd, mcpServers: 'none' }],
      ['session/new', { cwd: home.cwd, mcpServers: [{ name: 'x', command: 7 }] }],
      ['session/prompt', { sessionId: 7, prompt: [] }],
    ] as const
    for (const [method, params] of wrong) {
      const code = method === 'no/such_method' ? -32601 : -32602
      await expect(editor.request(method, params)).rejects.toMatchObject({ code })
    }
    editor.notify('session/cancel', { sessionId: 'nobody' })
    editor.notify('session/cancel', {})
    const { sessionId } = await newSession(place)

    expect(await prompt(editor, sessionId, 'still there?')).toBe('end_turn')
    const errors = editor.lines.map((line) => JSON.parse(line) as Message).filter(({ id }) => id === null)
    expect(errors.map(({ error }) => error?.code)).toEqual([-32700, -32700, -32600, -32600, -32600, -32600])
  })

  test('can send an empty prompt, or blocks that nobody knows, without doing harm', async () => {
    await using place = await editorWorld({ script: [{ text: 'Here.' }] })
    const { editor } = place
    const { sessionId } = await newSession(place)

    await expect(prompt(editor, sessionId, [])).rejects.toMatchObject({ code: -32602 })
    await expect(prompt(editor, sessionId, '  \n ')).rejects.toMatchObject({ code: -32602 })
    const odd = editor.request('session/prompt', { sessionId, prompt: [{ type: 'hologram' }] })
    await expect(odd).rejects.toMatchObject({ code: -32602 })

    expect(await prompt(editor, sessionId, 'still there?')).toBe('end_turn')
    expect(place.model.requests).toHaveLength(1)
  })

  test('leaves nothing behind when it hangs up in the middle of a call', async () => {
    const script = [{ calls: [call('echo__pid')] }, { calls: [call('echo__slow', { ms: 60_000 }, 'c2')] }]
    await using place = await editorWorld({ script, servers, answers: choosing('once') })
    const { editor } = place
    const { sessionId } = await newSession(place)
    void prompt(editor, sessionId, 'slowly').catch(() => undefined)
    await editor.seen(({ params }) => isAbout(params, 'c2') && JSON.stringify(params).includes('in_progress'))
    const pid = Number(/"text":"(\d+)"/.exec(editor.lines.find((line) => line.includes('completed')) ?? '')?.[1])

    editor.hangUp()

    expect(await editor.ended).toBe(0)
    expect(pid).toBeGreaterThan(1)
    await gone(pid)
  })

  test('that is stopped by a signal takes its servers with it, and says so in its exit code', async () => {
    await using place = await editorWorld({ servers })
    const { editor } = place
    const { sessionId } = await newSession(place)
    await prompt(editor, sessionId, '/call echo.pid')
    const pid = Number(/(\d+)/.exec(textOf(editor.updates))?.[1])

    process.kill(editor.pid, 'SIGTERM')

    expect(await editor.ended).toBe(130)
    await gone(pid)
  })
})

describe('a server that lies', () => {
  test('does not become harmless in the eyes of an editor by calling itself read-only', async () => {
    const script = [{ calls: [call('echo__look'), call('echo__echo', { message: 'x' }, 'c2')] }, { text: 'Done.' }]
    await using place = await editorWorld({ script, servers, answers: choosing('no') })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, 'go')

    const kinds = place.editor.asked.map(({ params }) => (params['toolCall'] as { kind: string }).kind)
    expect(kinds).toEqual(['other', 'other'])
  })
})

describe('a model that lies', () => {
  test('can call tools by any name, and the editor gets valid messages', async () => {
    const names = ['constructor', '__proto__', 'toString', 'x\u001B[2J\ny']
    const script = [{ calls: names.map((name, at) => call(name, {}, `c${at}`)) }, { text: 'Done.' }]
    await using place = await editorWorld({ script, servers })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, 'go')

    const told = place.editor.updates.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call')
    expect(told.map((update) => 'kind' in update && update.kind)).toEqual(['other', 'other', 'other', 'other'])
    expect(JSON.stringify(told.map((update) => 'title' in update && update.title))).not.toContain('u001b')
  })
})

test('capstan acp with words behind it says that it takes none', async () => {
  await using home = await world()

  const outcome = await home.capstan(['acp', 'zed'])

  expect(outcome).toMatchObject({ code: 2, stdout: '' })
  expect(outcome.stderr).toContain('acp takes only flags')
})

function isAbout(params: Message['params'], callId: string): boolean {
  return JSON.stringify(params ?? {}).includes(`"toolCallId":"${callId}"`)
}

/** A process that was told to end may take a moment. */
async function gone(pid: number): Promise<void> {
  await expect.poll(() => isRunning(pid), { timeout: 5000, interval: 10 }).toBe(false)
}
