import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { bin, world, type World } from '../../e2e/cli.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { startModelServer, type ModelServer, type Scripted } from '../../fixtures/model-server.ts'
import { call, type Message } from './editor.ts'

const acpx = fileURLToPath(import.meta.resolve('acpx'))
const { command, args } = fixture('echo')
const add = { text: 'Let me add. ', calls: [call('theirs__add', { a: 40, b: 2 })] }

interface Place extends AsyncDisposable {
  readonly home: World
  readonly model: ModelServer
  /** Runs `acpx` with our agent to its end, and never fails. */
  readonly acpx: (...words: readonly string[]) => Promise<{ code: number; stdout: string; stderr: string }>
}

/** The published client, headless, in a fresh home, with a server of its own. */
async function place(script: readonly Scripted[], env: Readonly<Record<string, string>> = {}): Promise<Place> {
  const [home, model] = [await world(), await startModelServer({ dialect: 'chat', script })]
  await home.write({
    '~/.config/capstan/config.toml': `[model]\nname = "scripted"\nurl = "${model.url}"\n`,
    '~/client.json': { mcpServers: [{ name: 'theirs', command, args, env: [] }] },
  })
  const fixed = [
    '--agent',
    `${process.execPath} ${bin} acp`,
    '--mcp-config',
    join(home.home, 'client.json'),
    '--ttl',
    '30',
  ]
  const given = { PATH: process.env['PATH'], HOME: home.home, CAPSTAN_DAEMON: 'off', ...env }
  return {
    home,
    model,
    acpx: (...words) =>
      new Promise((resolve) => {
        execFile(process.execPath, [acpx, ...fixed, ...words], { cwd: home.cwd, env: given }, (error, stdout, stderr) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr }),
        )
      }),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

describe('acpx', () => {
  test('holds a whole turn: its own server, the permission, the answer', async () => {
    await using here = await place([add, { text: 'It is 42.' }])

    const outcome = await here.acpx('--approve-all', '--format', 'json', 'exec', 'what is 40+2?')

    const messages = outcome.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Message)
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect(messages.map(({ method }) => method)).toContain('session/request_permission')
    expect(messages.at(-1)).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(here.model.requests[1]?.text).toContain('"42"')
  })

  test('prints the answer as text', async () => {
    await using here = await place([add, { text: 'It is 42.' }])

    const outcome = await here.acpx('--approve-all', '--format', 'quiet', 'exec', 'what is 40+2?')

    expect(outcome).toMatchObject({ code: 0 })
    expect(outcome.stdout).toContain('It is 42.')
  })

  test.each(['--deny-all', '--approve-reads'])(
    'with %s runs no tool, though it calls itself read-only',
    async (policy) => {
      await using here = await place([add, { text: 'As you like.' }])

      await here.acpx(policy, '--non-interactive-permissions', 'deny', '--format', 'json', 'exec', 'what is 40+2?')

      expect(here.model.requests[1]?.text).toContain('The user does not want this call.')
    },
  )

  test('runs a prompt of a server as a slash command', async () => {
    await using here = await place([{ text: 'Hello, Ann!' }])

    const outcome = await here.acpx('--format', 'quiet', 'exec', '/theirs:greet who="Ann Lee"')

    expect(outcome.stdout).toContain('Hello, Ann!')
    expect(here.model.requests[0]?.text).toContain('Say hello to Ann Lee.')
  })

  test('keeps a session over several commands, in the mode and with the model that it chose', async () => {
    await using here = await place([{ text: 'One.' }, add, { text: 'Two.' }], { CAPSTAN_MODEL: 'usual' })

    const outcomes = [
      await here.acpx('sessions', 'new'),
      await here.acpx('--format', 'quiet', 'prompt', 'first words'),
      await here.acpx('set-mode', 'all'),
      await here.acpx('set', 'model', 'scripted'),
      await here.acpx('--deny-all', '--format', 'quiet', 'prompt', 'second words'),
      await here.acpx('sessions', 'close'),
    ]

    expect(outcomes.map(({ code, stderr }) => (code === 0 ? code : stderr))).toEqual([0, 0, 0, 0, 0, 0])
    expect(outcomes[4]?.stdout).toContain('Two.')
    expect(here.model.requests.map(({ body }) => body['model'])).toEqual(['usual', 'scripted', 'scripted'])
    expect(here.model.requests[2]?.text).toMatch(/first words.*One\..*second words.*"42"/s)
  })

  test('says what is wrong where the provider refuses', async () => {
    await using here = await place([{ status: 401 }])

    const outcome = await here.acpx('--format', 'quiet', 'exec', 'hi')

    expect(outcome.code).not.toBe(0)
    expect(outcome.stdout + outcome.stderr).toContain('Check the key')
  })
})
