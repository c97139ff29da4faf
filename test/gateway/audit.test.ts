import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openAudit, type AuditedCall } from '../../src/gateway/audit.ts'
import { tempFolder } from '../config/temp-folder.ts'

const call: AuditedCall = {
  caller: 'anna',
  client: 'test',
  tool: { server: 'one', id: 'one.echo' },
  args: { message: 'hello', token: 'ghp_1234567890abcdef1234' },
  via: 'direct',
}

test('full files are moved on, so many are kept, and only their owner may read them', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'gateway.jsonl')
  const options = { file, withArguments: () => false, onFailure: () => {}, maxFileBytes: 500, maxFiles: 2 }

  for (let times = 0; times < 20; times++) {
    const audit = openAudit(options)
    audit.begin(call)('ok')
    await audit.settled()
  }

  expect((await readdir(folder.path)).toSorted()).toEqual(['gateway.jsonl', 'gateway.jsonl.1', 'gateway.jsonl.2'])
  expect((await stat(file)).size).toBeLessThanOrEqual(500)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('arguments are written only where that is wished, with secrets masked', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'gateway.jsonl')
  const audit = openAudit({ file, withArguments: () => true, onFailure: () => {} })

  audit.begin(call)('tool_error')
  await audit.settled()

  const text = await readFile(file, 'utf8')
  expect(JSON.parse(text)).toMatchObject({ outcome: 'tool_error', args: { message: 'hello' } })
  expect(text).not.toContain('1234567890abcdef')
})

test('a disk that takes nothing costs nobody a call', async () => {
  const failures: unknown[] = []
  const audit = openAudit({
    file: '/dev/null/x.jsonl',
    withArguments: () => false,
    onFailure: (error) => failures.push(error),
  })

  audit.begin(call)('ok')
  await audit.settled()

  expect(failures).toHaveLength(1)
})
