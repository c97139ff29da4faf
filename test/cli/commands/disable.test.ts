import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { command as disable } from '../../../src/cli/commands/disable.ts'
import { command as enable } from '../../../src/cli/commands/enable.ts'
import { readServerFile } from '../../../src/config/edit.ts'
import { readTrust, recordDecisions, standingOf, type Decision } from '../../../src/config/trust.ts'
import { workbench, type Workbench } from '../workbench.ts'

const mine = '{\n  "mcpServers": {\n    "a": { "command": "a" }, // mine\n    "both": { "command": "b" }\n  }\n}\n'
const theirs = '{"mcpServers": {"both": {"command": "c"}, "team": {"command": "t"}}}\n'

async function withServers(): Promise<Workbench> {
  const bench = await workbench()
  await bench.write({ 'home/.config/capstan/mcp.json': mine })
  await writeFile(bench.projectFile, theirs)
  return bench
}

test('disabling writes the field where the entry stands, and enabling gives the file back as it was', async () => {
  await using bench = await withServers()

  const { printed } = await bench.run(disable, ['a'])
  expect(await readFile(bench.userFile, 'utf8')).toBe(mine.replace('"a" }', '"a", "disabled": true }'))
  expect(printed).toBe(`a is disabled in ${bench.userFile}.\nTo undo: capstan enable a\n`)

  await bench.run(enable, ['a'])
  expect(await readFile(bench.userFile, 'utf8')).toBe(mine)
})

test('of two entries with one name the one in force is switched', async () => {
  await using bench = await withServers()

  await bench.run(disable, ['both'])

  expect((await readServerFile(bench.projectFile)).get('both')).toEqual({ command: 'c', disabled: true })
  expect(await readFile(bench.userFile, 'utf8')).toBe(mine)
})

test('doing it twice changes nothing and says so', async () => {
  await using bench = await withServers()
  await bench.run(disable, ['a'])

  const { code, printed } = await bench.run(disable, ['a'])

  expect(code).toBe(0)
  expect(printed).toContain(`a was disabled already in ${bench.userFile}.`)
})

test.each<[Decision]>([['trusted'], ['refused']])(
  'a project server that was %s stays so when it is switched',
  async (decision) => {
    await using bench = await withServers()
    const entry = { command: 't' }
    await recordDecisions(bench.trustFile, [{ projectFile: bench.projectFile, name: 'team', entry, decision }])

    await bench.run(disable, ['team'])

    const store = await readTrust(bench.trustFile)
    expect(standingOf(store, bench.projectFile, 'team', { ...entry, disabled: true })).toBe(decision)
  },
)

test('switching a project server that nobody approved does not approve it', async () => {
  await using bench = await withServers()

  await bench.run(disable, ['team'])
  await bench.run(enable, ['team'])

  expect(standingOf(await readTrust(bench.trustFile), bench.projectFile, 'team', { command: 't' })).toBe('new')
})

test('a typo changes nothing and gets the closest names', async () => {
  await using bench = await withServers()

  await expect(bench.run(disable, ['a', 'boht'])).rejects.toMatchObject({
    code: 'server_unknown',
    message: expect.stringContaining('Closest: both.'),
  })
  expect(await readFile(bench.userFile, 'utf8')).toBe(mine)
})

test('--json names the files and what changed', async () => {
  await using bench = await withServers()

  const { printed } = await bench.run(enable, ['a'], { flags: { json: true } })

  expect(JSON.parse(printed)).toEqual([{ name: 'a', file: bench.userFile, changed: false }])
})
