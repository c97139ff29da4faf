import { expect, test } from 'vitest'
import { command } from '../../../src/cli/commands/inspect.ts'
import { displayWidth } from '../../../src/cli/render/width.ts'
import { failed, literalHub, promptOf, ready, toolOf } from '../literal-hub.ts'
import { configOf, record } from '../recorded-context.ts'

const write = toolOf('files', 'write_file', {
  title: 'Write File',
  description: 'Writes a file.\n\nOverwrites what is there.\u001b[2J',
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where' },
      mode: { enum: ['text', 'base64'], default: 'text' },
      options: { type: 'object', properties: { backup: { type: 'boolean' } } },
    },
    required: ['path'],
  },
  outputSchema: { type: 'object', properties: { bytes: { type: 'number', description: 'How many' } } },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
})
const catalogue = {
  tools: [write, toolOf('files', 'list'), toolOf('notes', 'list')],
  prompts: [
    promptOf('notes', 'daily', {
      description: 'Sums up a day.',
      arguments: [{ name: 'day', required: true, description: 'Which' }],
    }),
  ],
}
const statuses = [
  ready('files', { instructions: 'Be careful.', implementation: { name: 'fs', version: '1.2' }, pid: 7 }),
  ready('notes'),
]
const config = configOf(
  statuses.map(({ name }) => ({
    name,
    entry: {},
    origin: { layer: 'user' as const },
    standing: { kind: 'disabled' as const },
  })),
)
const setting = { hub: literalHub({ statuses, catalogue }), config }

test('a tool is shown in full: description, arguments, signature, claims, example, output', async () => {
  const { code, out } = await record(command, { ...setting, positionals: ['files.write_file'] })

  expect(code).toBe(0)
  expect(out).toContain('files.write_file  Write File')
  expect(out).toContain('Overwrites what is there.')
  expect(out).toMatch(/path +string +required +Where/)
  expect(out).toMatch(/mode +"text" \| "base64" +optional +default "text"/)
  expect(out).toMatch(/options\.backup +boolean +optional/)
  expect(out).toContain('write_file(args: {')
  expect(out).toContain('may destroy data')
  expect(out).toContain('doing it twice is the same as doing it once')
  expect(out).toContain('capstan call files.write_file path=PATH')
  expect(out).toMatch(/bytes +number +How many/)
  expect(out).toMatch(/about \d+ tokens/)
  expect(out).not.toContain('\u001b')
})

test.each([40, 60, 100])('no line but the example is wider than a terminal of %i columns', async (columns) => {
  const io = { stdoutIsTerminal: true, columns, env: { NO_COLOR: '1' } }

  const { out } = await record(command, { ...setting, io, positionals: ['files.write_file'] })

  const lines = out.split('\n').filter((line) => !line.includes('capstan call'))
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns)
})

test('only the server that the name belongs to is asked', async () => {
  const hub = literalHub({ statuses, catalogue })

  await record(command, { ...setting, hub, positionals: ['files.write_file'] })

  expect(hub.asked).toMatchObject([{ servers: ['files'], kinds: ['tools', 'prompts'] }])
})

test('--json is the definition as the server gave it', async () => {
  const { out } = await record(command, { ...setting, flags: { json: true }, positionals: ['write_file'] })

  expect(JSON.parse(out)).toEqual(write)
})

test('a prompt is shown with its arguments and a command that renders it', async () => {
  const { out } = await record(command, { ...setting, positionals: ['notes:daily'] })

  expect(out).toContain('Sums up a day.')
  expect(out).toMatch(/day +string +required +Which/)
  expect(out).toContain('capstan prompt notes:daily day=DAY')
})

test('a server is shown with its state, protocol, program, counts, cost and instructions', async () => {
  const { out } = await record(command, { ...setting, positionals: ['files'] })

  expect(out).toContain('ready, connected in 312 ms')
  expect(out).toContain('legacy, protocol 2025-11-25')
  expect(out).toContain('fs 1.2')
  expect(out).toContain('2 tools, 0 prompts')
  expect(out).toMatch(/about \d+ tokens for all tools/)
  expect(out).toContain('Be careful.')
})

test('a server that failed is shown with its reason and exit code 3', async () => {
  const hub = literalHub({ statuses: [failed('gone', { next: 'Install it.' })] })

  const gone = { name: 'gone', entry: {}, origin: { layer: 'user' }, standing: { kind: 'disabled' } } as const

  const { code, out } = await record(command, { hub, config: configOf([gone]), positionals: ['gone'] })

  expect(code).toBe(3)
  expect(out).toContain('Server "gone" cannot start. Install it.')
})

test('a name that several servers have is refused with all of them', async () => {
  const inspecting = record(command, { ...setting, positionals: ['list'] })

  await expect(inspecting).rejects.toMatchObject({
    code: 'tool_unknown',
    message: expect.stringContaining('files.list, notes.list'),
  })
})

test('a typo gets the closest names, and servers that did not answer are named', async () => {
  const hub = literalHub({ statuses: [...statuses, failed('gone')], catalogue })
  let err = ''

  const inspecting = record(command, {
    ...setting,
    hub,
    io: { err: (text) => void (err += text) },
    positionals: ['write_flie'],
  })

  await expect(inspecting).rejects.toMatchObject({
    code: 'tool_unknown',
    message: expect.stringContaining('Closest: files.write_file'),
  })
  expect(err).toContain('gone: Server "gone" cannot start.')
})

test('a tool of a server that is down says why it is down', async () => {
  const hub = literalHub({ statuses: [failed('gone')] })

  await expect(record(command, { hub, positionals: ['gone.tool'] })).rejects.toMatchObject({
    code: 'start_failed',
    server: 'gone',
  })
})

test.each([[[]], [['a', 'b']]])('it takes exactly one name, not %j', async (positionals) => {
  await expect(record(command, { ...setting, positionals })).rejects.toMatchObject({ code: 'usage' })
})
