import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { command } from '../../../src/cli/commands/overview.ts'
import { displayWidth } from '../../../src/cli/render/width.ts'
import type { ConfiguredServer } from '../../../src/config/types.ts'
import { tempFolder } from '../../config/temp-folder.ts'
import { failed, literalHub, promptOf, ready, toolOf, untrusted } from '../literal-hub.ts'
import { configOf, record } from '../recorded-context.ts'

const echo = toolOf('alpha', 'echo', {
  inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  annotations: { readOnlyHint: true },
})
const wipe = toolOf('alpha', 'wipe', { annotations: { destructiveHint: true } })
const catalogue = { tools: [echo, wipe], prompts: [promptOf('alpha', 'hi')] }

function configured(name: string): ConfiguredServer {
  return { name, entry: {}, origin: { layer: 'user' }, standing: { kind: 'disabled' } }
}

const config = configOf([configured('alpha')])

test('it shows each server with state, tools, tokens and time, and the total', async () => {
  const { code, out } = await record(command, { config, hub: literalHub({ statuses: [ready('alpha')], catalogue }) })

  expect(out).toMatch(/alpha {2}ready {2}2 tools {2}about \d+ tokens {2}312 ms/)
  expect(out).toMatch(/2 tools in all\..*about \d+ tokens/)
  expect(out).not.toContain('Needs you')
  expect(code).toBe(0)
})

test('what needs the person comes with the command that settles it', async () => {
  const statuses = [
    ready('alpha'),
    failed('gone'),
    failed('wrong', { code: 'config_bad_type', message: 'wrong.args must be a list', next: 'Correct it in mcp.json.' }),
    untrusted('theirs'),
  ]
  const warned = configOf([configured('alpha')], { warnings: ['"comand" looks like "command"'] })

  const { code, out } = await record(command, { config: warned, hub: literalHub({ statuses, catalogue }) })

  expect(out).toContain('Project servers that wait for your approval: theirs\n    capstan review\n')
  expect(out).toContain('gone: Server "gone" cannot start.\n    capstan doctor gone\n')
  expect(out).toContain('wrong: wrong.args must be a list Correct it in mcp.json.\n    capstan config\n')
  expect(out).toContain('"comand" looks like "command"')
  expect(code).toBe(0)
})

test('it suggests three commands that work here and change nothing', async () => {
  const { out } = await record(command, {
    config,
    hub: literalHub({ statuses: [ready('alpha')], catalogue }),
    flags: { config: ['my servers.json'] },
  })

  expect(out.split('Try\n')[1]?.split('\n').slice(0, 3)).toEqual([
    "  capstan list alpha --config 'my servers.json'",
    "  capstan inspect alpha.echo --config 'my servers.json'",
    "  capstan call alpha.echo message=hello --config 'my servers.json'",
  ])
})

test('a tool that may change something is never suggested as a call', async () => {
  const { out } = await record(command, {
    config,
    hub: literalHub({ statuses: [ready('alpha')], catalogue: { tools: [wipe] } }),
  })

  expect(out).not.toContain('capstan call')
})

test.each([40, 80])('no line but the commands is wider than a terminal of %i columns', async (columns) => {
  const hub = literalHub({ statuses: [ready('alpha'), failed('a-server-with-a-long-name')], catalogue })

  const { out } = await record(command, {
    config,
    hub,
    io: { stdoutIsTerminal: true, columns, env: { NO_COLOR: '1' } },
  })

  const lines = out.split('\n').filter((line) => !line.includes('capstan '))
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns)
})

test('--json has the same facts', async () => {
  const { out } = await record(command, {
    config,
    hub: literalHub({ statuses: [ready('alpha')], catalogue }),
    flags: { json: true },
  })

  const value = JSON.parse(out) as { total: { tokens: number } }
  expect(value).toMatchObject({ servers: [{ name: 'alpha', tools: 2, prompts: 1 }], total: { tools: 2 }, needs: [] })
  expect(value.total.tokens).toBeGreaterThan(20)
})

test('on the first run the servers of other clients are shown, and nothing is started or written', async () => {
  await using home = await tempFolder()
  await home.write({
    '.cursor/mcp.json': JSON.stringify({ mcpServers: { weather: { command: 'weather-server' } } }),
    'work/': '',
  })
  const io = { env: { HOME: home.path }, cwd: `${home.path}/desk` }

  const { code, out } = await record(command, { io })

  expect(out).toContain('weather')
  expect(out).toContain('Cursor')
  expect(out).toContain('capstan import --all')
  expect(code).toBe(0)
  expect((await readdir(home.path)).sort()).toEqual(['.cursor', 'work'])
})

test('with no servers anywhere it says which command adds one', async () => {
  await using home = await tempFolder()
  const io = { env: { HOME: home.path }, cwd: home.path }

  const { out } = await record(command, { io })
  const json = await record(command, { io, flags: { json: true } })

  expect(out).toContain('No servers are configured')
  expect(out).toContain('capstan add files -- npx')
  expect(JSON.parse(json.out)).toMatchObject({ servers: [], importable: [] })
})
