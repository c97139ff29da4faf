import { ProtocolError } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { CapstanError } from '../../../src/errors.ts'
import { answering } from '../../../src/prompts/server/refusal.ts'
import { serverLog } from '../../../src/prompts/server/server-log.ts'

async function told(thrown: unknown) {
  const lines: string[] = []
  const log = serverLog(
    (line) => void lines.push(line),
    () => 0,
  )
  const failing = async () => {
    throw thrown
  }
  try {
    await answering('prompts/get', log, failing)
    return { refusal: undefined, logged: lines.join('') }
  } catch (refusal) {
    return { refusal, logged: lines.join('') }
  }
}

test.each([
  ['/home/ada/prompts/user.jsonl', 'The file /home/ada/prompts/user.jsonl is odd.', 'The file … is odd.'],
  ['~/prompts', 'Look into "~/prompts" (there).', 'Look into "…" (there).'],
  ['C:\\Users', 'In C:\\Users\\ada\\x.jsonl, line 3.', 'In …, line 3.'],
  ['file:', 'See file:///home/ada.', 'See …'],
])('the path %s does not reach a client', async (_, message, shown) => {
  const { refusal, logged } = await told(new CapstanError('prompt_invalid', message))

  expect(refusal).toMatchObject({ code: -32602, message: shown, data: { reason: 'prompt_invalid' } })
  expect(logged).toContain(message)
})

test('what only looks like a path stays', async () => {
  const message = 'Tag "language/go" and/or 1/2: no prompt "x". Run: capstan library list'

  expect((await told(new CapstanError('prompt_unknown', message))).refusal).toMatchObject({ message })
})

test('a bug is an internal error to the client, and a stack with its cause in the log', async () => {
  const { refusal, logged } = await told(new Error('secret detail', { cause: new Error('deeper') }))

  expect(refusal).toMatchObject({ code: -32603, message: expect.not.stringContaining('secret') })
  expect(logged).toMatch(
    /^1970-01-01T00:00:00\.000Z prompts\/get failed: Error: secret detail\n {2}.*at [^]*caused by Error: deeper/,
  )
})

test('what is thrown without being an error is logged all the same', async () => {
  expect((await told('just text')).logged).toContain('just text')
})

test('a refusal of the protocol itself passes as it is', async () => {
  const error = new ProtocolError(-32002, 'gone')

  expect((await told(error)).refusal).toBe(error)
})
