import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { command } from '../../../src/cli/commands/calls.ts'
import { tempFolder } from '../../config/temp-folder.ts'
import { record } from '../recorded-context.ts'

const line = (id: string, tool: string) =>
  `${JSON.stringify({ id, at: '2026-11-15T10:00:00.000Z', caller: 'cli', tool, ms: 1.2, bytes: 46, outcome: 'ok', args: { a: 1 } })}\n`

async function homeWithCalls() {
  const home = await tempFolder()
  const records = `${line('aaaaaaaa', 'everything.echo')}${line('bbbbbbbb', 'memory.read_graph')}{"id": "cut o`
  await home.write({ '.local/state/capstan/calls.jsonl': records })
  return home
}

test('the columns of the table stand under their heads, in colour too', async () => {
  await using home = await homeWithCalls()
  const io = { env: { HOME: home.path, FORCE_COLOR: '1' }, stdoutIsTerminal: true, columns: 120 }

  const { out } = await record(command, { io })

  const [head = '', ...rows] = stripVTControlCharacters(out).trimEnd().split('\n')
  expect(out).not.toBe(stripVTControlCharacters(out))
  expect(rows.map((row) => row.indexOf('ok'))).toEqual([head.indexOf('OUTCOME'), head.indexOf('OUTCOME')])
  expect(rows.map((row) => row.slice(head.indexOf('TOOL')).split(' ')[0])).toEqual([
    'everything.echo',
    'memory.read_graph',
  ])
})

test('a line that was cut off by a crash is left out, and --json leaves arguments to show', async () => {
  await using home = await homeWithCalls()

  const { out } = await record(command, { io: { env: { HOME: home.path } }, flags: { json: true } })

  expect(JSON.parse(out)).toMatchObject([{ id: 'aaaaaaaa' }, { id: 'bbbbbbbb' }])
  expect(out).not.toContain('"args"')
})

test('show prints one call with its arguments, and says when it is not kept', async () => {
  await using home = await homeWithCalls()
  const io = { env: { HOME: home.path } }

  const { out } = await record(command, { io, positionals: ['show', 'aaaaaaaa'] })

  expect(JSON.parse(out)).toMatchObject({ tool: 'everything.echo', args: { a: 1 } })
  await expect(record(command, { io, positionals: ['show', 'zzz'] })).rejects.toMatchObject({ code: 'usage' })
})
