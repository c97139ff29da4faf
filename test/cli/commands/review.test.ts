import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { command as review } from '../../../src/cli/commands/review.ts'
import type { RawEntry } from '../../../src/config/types.ts'
import { workbench, type Workbench } from '../workbench.ts'

const servers = { one: { command: 'npx', args: ['one'] }, two: { url: 'https://two.example/mcp' } }

async function withProject(entries: Readonly<Record<string, RawEntry>> = servers): Promise<Workbench> {
  const bench = await workbench()
  await writeFile(bench.projectFile, JSON.stringify({ mcpServers: entries }))
  return bench
}

test('with nothing to review it says so and succeeds', async () => {
  await using bench = await workbench()

  expect(await bench.run(review, [])).toMatchObject({ code: 0, printed: expect.stringContaining('Nothing waits') })
})

test('without a terminal it lists what waits, decides nothing, and exits with 5', async () => {
  await using bench = await withProject()

  const { code, printed } = await bench.run(review, [])

  expect(code).toBe(5)
  expect(printed).toBe(
    `These wait for your approval in ${bench.projectFile}:\n  one: npx one\n  two: https://two.example/mcp\nNext: capstan review --all, or capstan review NAME…\n`,
  )
  expect((await bench.run(review, [])).code).toBe(5)
})

test('--all approves everything that waits', async () => {
  await using bench = await withProject()

  expect(await bench.run(review, ['--all'])).toMatchObject({
    code: 0,
    printed: `Approved: one, two.\nNothing waits in ${bench.projectFile}.\n`,
  })
  expect((await bench.run(review, [])).code).toBe(0)
})

test('servers of the file that the pi extension reads wait here too', async () => {
  await using bench = await workbench()
  const file = join(dirname(bench.projectFile), '.pi', 'mcp.json')
  await mkdir(dirname(file))
  await writeFile(file, JSON.stringify({ mcpServers: servers }))

  const waiting = await bench.run(review, [])
  const approved = await bench.run(review, ['--all'])

  expect(waiting).toMatchObject({ code: 5, printed: expect.stringContaining(`approval in ${file}:\n  one: npx one`) })
  expect(approved).toMatchObject({ code: 0, printed: `Approved: one, two.\nNothing waits in ${file}.\n` })
})

test('names approve only those', async () => {
  await using bench = await withProject()

  const { code, printed } = await bench.run(review, ['two'])

  expect(code).toBe(5)
  expect(printed).toContain('Approved: two.')
  expect(printed).toContain('one: npx one')
})

test('after a change only the difference is shown, and it waits again', async () => {
  await using bench = await withProject()
  await bench.run(review, ['--all'])
  await writeFile(
    bench.projectFile,
    JSON.stringify({ mcpServers: { ...servers, one: { command: 'npx', args: ['evil'] } } }),
  )

  const { code, printed } = await bench.run(review, [])

  expect(code).toBe(5)
  expect(printed).toContain('  one has changed:\n    args: ["one"] → ["evil"]\nNext:')
  expect(printed).not.toContain('two')
})

test('on a terminal it asks; what is refused no longer waits, is named, and can be approved by name', async () => {
  await using bench = await withProject()

  const asked = await bench.run(review, [], { isAtTerminal: true, types: 'choose\ryes\rno\r' })
  expect(asked.code).toBe(0)
  expect(asked.printed).toContain('Refused: two.')

  expect((await bench.run(review, ['--all'])).printed).toContain('Refused: two.')
  expect((await bench.run(review, ['two'])).printed).not.toContain('Refused')
})

test('a server that the project does not have gets the closest names', async () => {
  await using bench = await withProject()

  await expect(bench.run(review, ['oen'])).rejects.toMatchObject({
    code: 'server_unknown',
    message: expect.stringContaining('Closest: one.'),
  })
})

test('a disabled server does not wait', async () => {
  await using bench = await withProject({ off: { command: 'x', disabled: true } })

  expect((await bench.run(review, [])).code).toBe(0)
})

test('a store of trust that cannot be read is said and put aside, and everything waits again', async () => {
  await using bench = await withProject()
  await bench.run(review, ['--all'])
  await writeFile(bench.trustFile, '{broken')

  const { code, said } = await bench.run(review, [])

  expect(code).toBe(5)
  expect(said).toMatch(/could not be read.*kept as/)
})

test('--json says how each server stands, with secrets masked', async () => {
  await using bench = await withProject({ gh: { command: 'x', env: { API_TOKEN: `ghp_${'a1B2'.repeat(9)}` } } })

  const { code, printed } = await bench.run(review, [], { flags: { json: true } })

  expect(code).toBe(5)
  expect(JSON.parse(printed)).toEqual({
    servers: [
      { name: 'gh', file: bench.projectFile, standing: 'new', entry: { command: 'x', env: { API_TOKEN: 'ghp_****' } } },
    ],
    tools: [],
    proposals: [],
    pins: [],
    decided: [],
    asks: [],
    answered: [],
  })
})

test('a project file that does not parse is reported with line and column', async () => {
  await using bench = await workbench()
  await writeFile(bench.projectFile, '{"mcpServers": }')

  await expect(bench.run(review, [])).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(`${bench.projectFile}:1:16`),
  })
})
