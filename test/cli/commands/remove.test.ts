import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { command as remove } from '../../../src/cli/commands/remove.ts'
import { workbench, type Workbench } from '../workbench.ts'

const mine =
  '{\n  // mine\n  "mcpServers": {\n    "a": {"command": "a"},\n    "both": {"command": "b"} // keep\n  }\n}\n'
const theirs = '{"mcpServers": {"both": {"command": "c"}, "team": {"command": "t"}}}\n'

async function withServers(): Promise<Workbench> {
  const bench = await workbench()
  await bench.write({ 'home/.config/capstan/mcp.json': mine })
  await writeFile(bench.projectFile, theirs)
  return bench
}

test('a server goes from the file where it stands, and everything else stays', async () => {
  await using bench = await withServers()

  const { printed } = await bench.run(remove, ['a', 'team'])

  expect(printed).toBe(`Removed a from ${bench.userFile}.\nRemoved team from ${bench.projectFile}.\n`)
  expect(await readFile(bench.userFile, 'utf8')).toBe(mine.replace('    "a": {"command": "a"},\n', ''))
  expect(await readFile(bench.projectFile, 'utf8')).toBe('{"mcpServers": {"both": {"command": "c"}}}\n')
})

test('of two entries with one name the one in force goes, and the other is pointed out', async () => {
  await using bench = await withServers()

  const { said } = await bench.run(remove, ['both'])

  expect(await readFile(bench.userFile, 'utf8')).toBe(mine)
  expect(await readFile(bench.projectFile, 'utf8')).not.toContain('both')
  expect(said).toContain(`both also stands in ${bench.userFile}`)
})

test('--project leaves the user file alone', async () => {
  await using bench = await withServers()

  await expect(bench.run(remove, ['a', '--project'])).rejects.toMatchObject({ code: 'server_unknown' })
})

test('a typo removes nothing and gets the closest names', async () => {
  await using bench = await withServers()

  await expect(bench.run(remove, ['a', 'teem'])).rejects.toMatchObject({
    code: 'server_unknown',
    message: expect.stringContaining('Closest: team.'),
  })
  expect(await readFile(bench.userFile, 'utf8')).toBe(mine)
})

test('without a name it says how to write it', async () => {
  await using bench = await workbench()

  await expect(bench.run(remove, [])).rejects.toMatchObject({ code: 'usage', next: 'Write: capstan remove NAME' })
})

test('--json says what went and what is still there', async () => {
  await using bench = await withServers()

  const { printed } = await bench.run(remove, ['both'], { flags: { json: true } })

  expect(JSON.parse(printed)).toEqual([{ name: 'both', file: bench.projectFile, stillIn: [bench.userFile] }])
})
