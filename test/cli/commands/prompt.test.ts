import { expect, test } from 'vitest'
import { command as prompt } from '../../../src/cli/commands/prompt.ts'
import type { ConfiguredServer } from '../../../src/config/types.ts'
import type { PromptResult } from '../../../src/hub/api.ts'
import { literalHub, promptOf, ready } from '../literal-hub.ts'
import { configOf, record, type Setting } from '../recorded-context.ts'

const one: ConfiguredServer = {
  name: 'one',
  entry: {},
  origin: { layer: 'user' },
  standing: { kind: 'untrusted', change: 'new' },
}

const conversation: PromptResult = {
  messages: [
    { role: 'user', content: { type: 'text', text: 'What is this?' } },
    { role: 'user', content: { type: 'image', data: 'AAEC', mimeType: 'image/png' } },
    { role: 'assistant', content: { type: 'text', text: 'A \u001B[31mpicture.' } },
  ],
}

async function promptWith(setting: Partial<Setting>) {
  const asked: unknown[] = []
  const hub = {
    ...literalHub({ statuses: [ready('one')], catalogue: { prompts: [promptOf('one', 'talk')] } }),
    prompt: async (_prompt: unknown, args: Readonly<Record<string, string>>) => {
      asked.push(args)
      return conversation
    },
  }
  const recorded = await record(prompt, { hub, config: configOf([one]), positionals: ['one:talk'], ...setting })
  return { ...recorded, asked }
}

test('each message stands under its role, and files are named on stderr', async () => {
  const { code, out, err } = await promptWith({})

  expect(code).toBe(0)
  expect(out).toBe('[user]\nWhat is this?\n[user]\n\n[assistant]\nA \u001B[31mpicture.\n')
  expect(err).toBe('[image/png, 3 bytes; pass --save DIR to keep it]\n')
})

test('on a terminal the messages are plain', async () => {
  const { out } = await promptWith({ io: { stdoutIsTerminal: true, env: { NO_COLOR: '1' } } })

  expect(out).toContain('[assistant]\nA picture.\n')
})

test('arguments are text, whatever they look like, and pairs win over --args', async () => {
  const { asked } = await promptWith({
    positionals: ['one:talk', 'a=1', 'b={"x":2}'],
    values: { args: '{"a": "weak", "c": 3, "d": {"e": null}, "f": "text"}' },
  })

  expect(asked).toEqual([{ a: '1', b: '{"x":2}', c: '3', d: '{"e":null}', f: 'text' }])
})

test('--json is the prompt as the server sent it', async () => {
  const { out } = await promptWith({ flags: { json: true } })

  expect(JSON.parse(out)).toEqual(conversation)
})

test('without a name it says how it is used', async () => {
  await expect(promptWith({ positionals: [] })).rejects.toMatchObject({
    code: 'usage',
    next: 'Run: capstan list --prompts',
  })
})
