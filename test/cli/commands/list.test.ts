import { expect, test } from 'vitest'
import { command } from '../../../src/cli/commands/list.ts'
import { displayWidth } from '../../../src/cli/render/width.ts'
import type { Catalogue } from '../../../src/hub/api.ts'
import { failed, literalHub, promptOf, ready, toolOf, untrusted } from '../literal-hub.ts'
import { record } from '../recorded-context.ts'

const inputSchema = {
  type: 'object',
  properties: { message: { type: 'string', description: 'What | to say' } },
  required: ['message'],
}
const catalogue: Partial<Catalogue> = {
  tools: [
    toolOf('alpha', 'echo', { description: 'Says it back. Nothing more.', inputSchema }),
    toolOf('alpha', 'a_tool_with_a_rather_long_name', { description: `Explains ${'at length '.repeat(20)}.` }),
    toolOf('beta', 'note', { description: '\u001b[31mRed\u001b[0m text' }),
  ],
  prompts: [promptOf('alpha', 'hello', { description: 'Greets.' })],
  resources: [{ server: 'alpha', uri: 'demo://one', name: 'One', mimeType: 'text/plain' }],
  templates: [{ server: 'alpha', uriTemplate: 'demo://{id}', name: 'Any' }],
}
const both = { statuses: [ready('alpha'), ready('beta', { connectMs: 1900 })], catalogue }

test('tools stand under their server, each with its first sentence', async () => {
  const { code, out, err } = await record(command, { hub: literalHub(both) })

  expect(out).toContain('alpha  2 tools · legacy 2025-11-25, connected in 312 ms\n')
  expect(out).toContain('echo                            Says it back.\n')
  expect(out).toContain('connected in 1.9 s')
  expect(err).toBe('')
  expect(code).toBe(0)
})

test('control sequences of a server never reach the screen', async () => {
  const { out } = await record(command, {
    hub: literalHub(both),
    io: { stdoutIsTerminal: true, env: { NO_COLOR: '1' } },
  })

  expect(out).toContain('Red text')
  expect(out).not.toContain('\u001b')
})

test.each([40, 60, 120])('no line is wider than a terminal of %i columns', async (columns) => {
  const io = { stdoutIsTerminal: true, columns, env: { NO_COLOR: '1' } }

  const { out } = await record(command, { hub: literalHub(both), io, values: { all: true } })

  expect(Math.max(...out.split('\n').map(displayWidth))).toBeLessThanOrEqual(columns)
  expect(out).toContain('a_tool_with_a_rather_long_name')
})

test('in a pipe no sentence is cut', async () => {
  const { out } = await record(command, { hub: literalHub(both) })

  expect(out).toContain('at length '.repeat(20).trim())
})

test.each([
  [{}, ['tools']],
  [{ prompts: true }, ['prompts']],
  [{ resources: true }, ['resources', 'templates']],
  [{ prompts: true, resources: true }, ['prompts', 'resources', 'templates']],
  [{ all: true }, ['tools', 'prompts', 'resources', 'templates']],
  [{ markdown: true }, ['tools', 'prompts', 'resources', 'templates']],
])('with %j only the lists that are needed are asked for', async (values, kinds) => {
  const hub = literalHub(both)

  await record(command, { hub, values })

  expect(hub.asked.map((options) => options.kinds)).toEqual([kinds])
})

test('only the servers that were named are asked and shown', async () => {
  const hub = literalHub(both)

  const { out } = await record(command, { hub, positionals: ['beta'] })

  expect(hub.asked[0]?.servers).toEqual(['beta'])
  expect(out).not.toContain('alpha')
})

test('a server that failed is named on stderr with its reason, and the others are listed', async () => {
  const statuses = [...both.statuses, failed('gone', { next: 'Run: capstan doctor gone' }, ['boom'])]

  const { code, out, err } = await record(command, { hub: literalHub({ statuses, catalogue }) })

  expect(out).toContain('echo')
  expect(out).toContain('gone  failed\n')
  expect(err).toBe('gone: Server "gone" cannot start. Run: capstan doctor gone\n')
  expect(code).toBe(0)
})

test('--debug adds the last lines of its stderr', async () => {
  const hub = literalHub({ statuses: [failed('gone', {}, ['boom\u0007'])] })

  const { err } = await record(command, { hub, flags: { debug: true } })

  expect(err).toContain('  boom\n')
})

test('when all servers are down the exit code is 3', async () => {
  const hub = literalHub({ statuses: [failed('a'), failed('b', { code: 'connect_timed_out' })] })

  expect((await record(command, { hub })).code).toBe(3)
})

test('when all that were asked wait for trust the exit code is 5', async () => {
  const hub = literalHub({ statuses: [ready('a'), untrusted('b')] })

  const { code, err } = await record(command, { hub, positionals: ['b'] })

  expect(code).toBe(5)
  expect(err).toContain('capstan review')
})

test('a server that does not exist is refused with the closest names', async () => {
  const listing = record(command, { hub: literalHub(both), positionals: ['alhpa'] })

  await expect(listing).rejects.toMatchObject({ code: 'server_unknown', message: 'No server "alhpa". Closest: alpha.' })
})

test('a disabled server is no failure, unless it was asked for', async () => {
  const hub = literalHub({ statuses: [ready('alpha'), { name: 'off', state: { kind: 'disabled' } }], catalogue })

  const all = await record(command, { hub })

  expect(all.out).toContain('off  disabled')
  expect(all.err).toBe('')
  await expect(record(command, { hub, positionals: ['off'] })).rejects.toMatchObject({ code: 'server_disabled' })
})

test('with nothing configured it says which command adds a server', async () => {
  const { code, out, err } = await record(command, { hub: literalHub({ statuses: [] }) })

  expect(out).toBe('')
  expect(err).toContain('capstan add files -- npx')
  expect(code).toBe(0)
})

test('--json is one value with states, coverage and full definitions, raw', async () => {
  const statuses = [...both.statuses, failed('gone')]

  const { out } = await record(command, { hub: literalHub({ statuses, catalogue }), flags: { json: true } })

  const value = JSON.parse(out) as Record<string, unknown>
  expect(Object.keys(value)).toEqual(['servers', 'tools'])
  expect(value['tools']).toEqual(catalogue.tools)
  expect(value['servers']).toMatchObject([
    { name: 'alpha', state: { kind: 'ready' }, coverage: 'listed' },
    { name: 'beta' },
    { name: 'gone', state: { kind: 'failed' }, coverage: 'missing', error: { code: 'start_failed' } },
  ])
})

test('--json says the error when no server answered', async () => {
  const { out, code } = await record(command, {
    hub: literalHub({ statuses: [failed('gone')] }),
    flags: { json: true },
  })

  expect(JSON.parse(out)).toMatchObject({ error: { code: 'start_failed', server: 'gone' } })
  expect(code).toBe(3)
})

test('--ts declares every tool', async () => {
  const { out } = await record(command, { hub: literalHub(both), values: { ts: true } })

  expect(out).toContain('echo(a:{message:string}):R // Says it back.\n')
  expect(out).toContain('declare const tools:{')
})

test('--tokens ranks the tools, adds up the servers and says "about"', async () => {
  const { out } = await record(command, { hub: literalHub(both), values: { tokens: true } })

  const lines = out.split('\n')
  expect(lines[1]).toContain('alpha.a_tool_with_a_rather_long_name')
  expect(out).toMatch(/alpha \(2 tools\)/)
  expect(out).toMatch(/Total: about \d+ tokens/)
})

test('--markdown documents tools with parameters and an example, prompts and resources, escaped', async () => {
  const { out } = await record(command, { hub: literalHub(both), values: { markdown: true } })

  expect(out).toContain('#### `alpha.echo`')
  expect(out).toContain(String.raw`| ${'`message`'} | ${'`string`'} | yes |  | What \| to say |`)
  expect(out).toContain('```sh\ncapstan call alpha.echo message=hello\n```')
  expect(out).toContain('capstan prompt alpha:hello')
  expect(out).toContain('| `demo://one` | One | text/plain |')
  expect(out).not.toContain('\u001b')
})

test.each([
  [{ ts: true, markdown: true }, {}],
  [{ ts: true }, { json: true }],
  [{ tokens: true, prompts: true }, {}],
])('flags that contradict each other are refused: %j %j', async (values, flags) => {
  await expect(record(command, { hub: literalHub(both), values, flags })).rejects.toMatchObject({ code: 'usage' })
})
