import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callLog, type CallRecord } from '../../src/hub/call-log.ts'
import { tempFolder } from '../config/temp-folder.ts'

const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
const tool = { server: 'github', tool: 'login' }

async function recordsOf(file: string): Promise<readonly CallRecord[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as CallRecord)
}

test('a call is kept with its outcome, and no secret of its arguments, result or error', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'state', 'calls.jsonl')
  const log = callLog(file, 'cli')

  log.record({
    tool,
    ms: 1.234,
    outcome: 'ok',
    args: { api_key: token, note: 'hi' },
    result: { content: [{ type: 'text', text: token }] },
  })
  log.record({ tool, ms: 2, outcome: 'arguments_invalid', args: {}, error: `not string "${token}"` })
  await log.settled()

  const text = await readFile(file, 'utf8')
  expect(text).not.toContain(token)
  expect(await recordsOf(file)).toMatchObject([
    { caller: 'cli', tool: 'github.login', ms: 1.2, outcome: 'ok', args: { note: 'hi' } },
    { outcome: 'arguments_invalid' },
  ])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('a full log becomes the old one, so that it never takes more than two files', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'calls.jsonl')
  await writeFile(file, 'x'.repeat(5 * 2 ** 20))
  const log = callLog(file, 'cli')

  log.record({ tool, ms: 1, outcome: 'ok', args: {} })
  await log.settled()

  expect(await recordsOf(file)).toHaveLength(1)
  expect((await stat(`${file}.old`)).size).toBe(5 * 2 ** 20)
})

test('a place that cannot be written costs nobody a call', async () => {
  const log = callLog('/dev/null/calls.jsonl', 'cli')

  log.record({ tool, ms: 1, outcome: 'ok', args: {} })

  await expect(log.settled()).resolves.toBeUndefined()
})

test('of a large result the start is kept, and how large it was', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'calls.jsonl')
  const log = callLog(file, 'cli')
  const result = { content: [{ type: 'text' as const, text: `${token} ${'x'.repeat(1_000_000)}` }] }
  const bytes = JSON.stringify(result).length

  log.record({ tool, ms: 1, outcome: 'ok', args: {}, result })
  await log.settled()

  const [record] = await recordsOf(file)
  expect(record?.bytes).toBe(bytes)
  expect(record?.result).toMatch(new RegExp(`^\\{"co.*\\(${bytes} bytes in all\\)$`, 'su'))
  expect(JSON.stringify(record)).not.toContain(token)
  expect(JSON.stringify(record).length).toBeLessThan(5000)
})

test('when calls come without end, results of a few a second are kept, and those of failures', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'calls.jsonl')
  let nowMs = 0
  const log = callLog(file, 'cli', () => nowMs)
  const result = { content: [{ type: 'text' as const, text: 'hello' }] }
  const flood = (count: number) => {
    for (let index = 0; index < count; index++) log.record({ tool, ms: 1, outcome: 'ok', args: {}, result })
  }

  flood(150)
  log.record({ tool, ms: 1, outcome: 'tool_error', args: {}, result: { ...result, isError: true } })
  nowMs = 1000
  flood(50)
  await log.settled()

  const records = await recordsOf(file)
  const kept = records.map(({ result: value }) => typeof value !== 'string')
  expect(kept.slice(0, 150).filter(Boolean)).toHaveLength(100)
  expect(kept[150]).toBe(true)
  expect(kept.slice(151).filter(Boolean)).toHaveLength(10)
  expect(records[149]?.result).toMatch(/^\(not kept, because many calls came at once; \d+ bytes\)$/)
})
