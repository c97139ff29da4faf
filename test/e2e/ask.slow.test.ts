import type { ChildProcess } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openConversations } from '../../src/agent/conversations.ts'
import { openPermissions } from '../../src/agent/permissions.ts'
import { openSession } from '../../src/agent/open-session.ts'
import { modelAt } from '../agent/model-at.ts'
import { startModelServer, type Dialect, type Scripted } from '../fixtures/model-server.ts'
import { fixture } from '../fixtures/fixture.ts'
import { openTestHub } from '../hub/makers.ts'
import { world, type RunOptions, type World } from './cli.ts'

const add = { calls: [{ id: 'c1', name: 'echo__add', json: '{"a":1,"b":2}' }] }

interface Setting extends RunOptions {
  readonly script?: readonly Scripted[]
  readonly dialect?: Dialect
  readonly entry?: object
}

/** Runs `capstan ask` in a fresh home, with one server and a scripted model. */
async function ask(args: readonly string[], { script = [], dialect = 'chat', entry = {}, ...options }: Setting = {}) {
  await using server = await startModelServer({ dialect, script })
  await using home = await world()
  await home.write({
    '~/.config/capstan/mcp.json': { mcpServers: { echo: { ...fixture('echo'), ...entry } } },
    '~/.config/capstan/config.toml': modelTable(dialect, server.url),
  })
  const outcome = await home.capstan(['ask', ...args], options)
  return { ...outcome, requests: server.requests, conversations: await conversationsIn(home) }
}

function modelTable(dialect: Dialect, url: string): string {
  const names = {
    chat: 'scripted',
    responses: 'openai/scripted',
    anthropic: 'anthropic/scripted',
    google: 'google/scripted',
  }
  return `[model]\nname = "${names[dialect]}"\nurl = "${url}"\nkey_command = "echo key-1"\n`
}

async function conversationsIn({ home }: World): Promise<readonly string[]> {
  const names = await readdir(join(home, '.local/state/capstan/conversations')).catch(() => [])
  return names.filter((name) => name.endsWith('.jsonl'))
}

describe.each(['chat', 'responses', 'anthropic', 'google'] as const)('capstan ask over %s', (dialect) => {
  test('prints the answer, and nothing else, on standard output', async () => {
    const script = [{ text: 'Let me see. ', ...add }, { text: 'It is three ✓.' }]

    const outcome = await ask(['what is', '1+2?'], { dialect, script, entry: { alwaysAllow: ['add'] } })

    expect(outcome).toMatchObject({ code: 0, stdout: 'It is three ✓.\n', stderr: '' })
    expect(outcome.requests[0]?.text).toContain('what is 1+2?')
    expect(JSON.stringify(outcome.requests[0]?.headers)).toContain('key-1')
    expect(outcome.conversations).toHaveLength(1)
  })
})

describe('capstan ask', () => {
  test('gives standard input as context', async () => {
    const both = await ask(['any mistakes?'], { script: [{ text: 'No.' }], input: 'diff --git a b' })
    const alone = await ask([], { script: [{ text: 'Hi.' }], input: 'hello there' })

    expect(both.requests[0]?.text).toMatch(/diff --git a b.*any mistakes\?/)
    expect(alone).toMatchObject({ code: 0, stdout: 'Hi.\n' })
    expect(alone.requests[0]?.text).toContain('hello there')
  })

  test('without a question says how to ask one', async () => {
    const outcome = await ask([])

    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toContain('capstan ask "QUESTION"')
  })

  test('ends with 5 where a tool was refused, with the answer and the flag that allows it', async () => {
    const outcome = await ask(['1+2?'], { script: [add, { text: 'I may not.' }] })

    expect(outcome).toMatchObject({ code: 5, stdout: 'I may not.\n' })
    expect(outcome.stderr).toContain('not allowed to run: echo.add')
    expect(outcome.stderr).toContain('--allow echo.add')
  })

  test('lets the model call what --allow names, and see nothing else', async () => {
    const outcome = await ask(['1+2?', '--allow', 'echo.ad*'], { script: [add, { text: 'Three.' }] })

    expect(outcome).toMatchObject({ code: 0, stdout: 'Three.\n' })
    expect(outcome.requests[0]?.text).not.toContain('echo__erase')
  })

  test('renders a prompt first, with its roles', async () => {
    const outcome = await ask(['--prompt', 'echo:talk'], { script: [{ text: 'One.' }] })
    const greeting = await ask(['--prompt', 'echo:greet', 'who=bob', 'and be brief'], { script: [{ text: 'Hi.' }] })

    expect(outcome).toMatchObject({ code: 0, stdout: 'One.\n' })
    expect(outcome.requests[0]?.text).toMatch(/What stands in the note.*"assistant".*I will look.*# One/)
    expect(greeting.requests[0]?.text).toMatch(/bob.*and be brief/)
  })

  test('names the missing arguments of a prompt, with exit code 2', async () => {
    const outcome = await ask(['--prompt', 'echo:greet'])

    expect(outcome).toMatchObject({ code: 2, requests: [] })
    expect(outcome.stderr).toContain('who')
  })

  test('prints one JSON value with --json', async () => {
    const outcome = await ask(['1+2?', '--json', '--allow', 'add'], { script: [add, { text: 'Three.' }] })

    expect(outcome.code).toBe(0)
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      answer: 'Three.',
      model: 'scripted',
      usage: { inputTokens: 20, outputTokens: 10 },
      calls: [{ tool: 'echo__add', end: 'done' }],
      refusals: [],
    })
  })

  test('prints every event as a line with --stream-json', async () => {
    const outcome = await ask(['1+2?', '--stream-json', '--allow', 'add'], { script: [add, { text: 'Three.' }] })

    const events = outcome.stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as { readonly kind: string })
    expect(events[0]).toEqual({ kind: 'turn_started' })
    expect(events.at(-1)).toMatchObject({ kind: 'turn_ended', outcome: { kind: 'answered', text: 'Three.' } })
    expect(new Set(events.map(({ kind }) => kind))).toContain('call')
  })

  test('ends after --max-turns steps, with exit code 4', async () => {
    const outcome = await ask(['go', '--max-turns', '2', '--allow', 'add'], { script: [add, add, add] })

    expect(outcome).toMatchObject({ code: 4, stdout: '' })
    expect(outcome.requests).toHaveLength(2)
    expect(await ask(['go', '--max-turns', 'x'])).toMatchObject({ code: 2 })
  })

  test('ends with 3 where the provider takes no such request', async () => {
    const outcome = await ask(['hi'], { script: [{ status: 401 }] })

    expect(outcome).toMatchObject({ code: 3, stdout: '' })
    expect(outcome.stderr).toContain('401')
  })

  test('ends with 3 where no provider is there', async () => {
    await using home = await world()
    await home.write({ '~/.config/capstan/config.toml': '[model]\nname = "x"\nurl = "http://127.0.0.1:9/v1"\n' })

    const outcome = await home.capstan(['ask', 'hi', '--json'])

    expect(outcome.code).toBe(3)
    expect(JSON.parse(outcome.stdout)).toMatchObject({ error: { code: 'model_unavailable' } })
  }, 60_000)

  test('ends with 2 where no model is set, with how to set one', async () => {
    await using home = await world()

    const outcome = await home.capstan(['ask', 'hi'])

    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toContain('ANTHROPIC_API_KEY')
  })

  test('takes -p in place of the verb, and the model from flag and environment', async () => {
    await using server = await startModelServer({ dialect: 'chat', script: [{ text: 'a' }, { text: 'b' }] })
    await using home = await world()
    const env = { CAPSTAN_MODEL_URL: server.url, CAPSTAN_MODEL: 'small', CAPSTAN_MODEL_KEY: 'key-2' }

    const first = await home.capstan(['-p', 'hi'], { env })
    const second = await home.capstan(['-p', 'hi', '--model', 'large'], { env })

    expect([first, second]).toMatchObject([
      { code: 0, stdout: 'a\n' },
      { code: 0, stdout: 'b\n' },
    ])
    expect(server.requests.map(({ body }) => body['model'])).toEqual(['small', 'large'])
    expect(server.requests[0]?.headers.authorization).toBe('Bearer key-2')
  })

  test('is stopped by --timeout, with exit code 4, and keeps what was said', async () => {
    const outcome = await ask(['hi', '--timeout', '3'], { script: [{ text: 'A very long text', stallsAfter: 4 }] })

    expect(outcome).toMatchObject({ code: 4, stdout: '' })
    expect(outcome.conversations).toHaveLength(1)
  })
})

test('a question whose process is killed in the middle of a call can be gone on with', async () => {
  await using server = await startModelServer({
    dialect: 'anthropic',
    script: [
      { text: 'I wait.', calls: [{ id: 'c1', name: 'echo__slow', json: '{"ms":60000,"steps":600}' }] },
      { text: 'Who knows.' },
    ],
  })
  await using home = await world()
  const entry = { ...fixture('echo'), alwaysAllow: ['*'] }
  await home.write({
    '~/.config/capstan/mcp.json': { mcpServers: { echo: entry } },
    '~/.config/capstan/config.toml': modelTable('anthropic', server.url),
  })
  const running = home.start(['ask', 'wait for me', '--stream-json'])
  await untilSays(running.child, '"progress":')

  running.child.kill('SIGKILL')
  await running.ended

  const stateFolder = join(home.home, '.local/state/capstan')
  const store = openConversations({ stateFolder })
  const [kept] = await store.list()
  await using hub = await openTestHub({ echo: entry })
  const session = openSession({
    hub,
    model: modelAt('anthropic', server.url),
    conversation: await store.open(kept?.id ?? ''),
    permissions: await openPermissions({ stateFolder, project: '/', config: { servers: [] } }),
  })
  const outcome = await session.send({ kind: 'line', text: 'what happened?' })

  expect(kept).toMatchObject({ title: 'wait for me', messages: 2 })
  expect(outcome).toMatchObject({ kind: 'answered', text: 'Who knows.' })
  expect(session.history().map(({ kind }) => kind)).toEqual(['start', 'user', 'reply', 'result', 'user', 'reply'])
  expect(server.requests[1]?.text).toContain('whether this call took effect is unknown')
})

function untilSays(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes(words)) resolve()
    })
  })
}
