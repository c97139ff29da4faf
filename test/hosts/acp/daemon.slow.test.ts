import { expect, test } from 'vitest'
import { fixture } from '../../fixtures/fixture.ts'
import { editorWorld, newSession, prompt, textOf, type EditorWorld, type TestEditor } from './editor.ts'

const env = { CAPSTAN_DAEMON: 'on' }
const { command, args } = fixture('echo')
const theirs = { name: 'theirs', command, args: [...args], env: [{ name: 'OTHER', value: 'yes' }] }

test('editors and sessions share servers through the daemon, their own too, and come back when it was stopped', async () => {
  await using place = await editorWorld({ env, servers: { mine: fixture('echo') } })
  const other = await place.again({ env })
  const stop = () => place.home.capstan(['stop'], { env })
  await using _end = { [Symbol.asyncDispose]: () => leave([place.editor, other], stop) }

  const pids = [
    await pidOf(place, place.editor, 'mine'),
    await pidOf(place, place.editor, 'theirs'),
    await pidOf(place, other, 'mine'),
    await pidOf(place, other, 'theirs'),
  ]
  const { sessionId } = await newSession(place, [theirs])
  await stop()
  await prompt(place.editor, sessionId, '/call mine.add a=40 b=2')

  expect(pids[0]).toBe(pids[2])
  expect(pids[1]).toBe(pids[3])
  expect(pids[0]).not.toBe(pids[1])
  expect(textOf(place.editor.updates)).toContain('42')
  expect(place.editor.stderr()).not.toContain('No daemon can be had')
})

async function pidOf({ home }: EditorWorld, editor: TestEditor, server: string): Promise<string> {
  const before = editor.updates.length
  const { sessionId } = await newSession({ editor, home }, [theirs])
  await prompt(editor, sessionId, `/call ${server}.pid`)
  return /\d+/.exec(textOf(editor.updates.slice(before)))?.[0] ?? 'none'
}

/** An editor that is still open would start the daemon again. */
async function leave(editors: readonly TestEditor[], stop: () => Promise<unknown>): Promise<void> {
  for (const { hangUp } of editors) hangUp()
  await Promise.all(editors.map(({ ended }) => ended))
  await stop()
}
