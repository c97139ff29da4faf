import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder } from '../config/temp-folder.ts'

const demo = fileURLToPath(new URL('../../scripts/demo/run.ts', import.meta.url))

test('the demo shows two agents of two eras getting through while a server is killed, and leaves nothing', async () => {
  await using temporary = await tempFolder()
  const env = { PATH: process.env['PATH'], HOME: temporary.path, TMPDIR: temporary.path }

  const { stdout } = await promisify(execFile)(process.execPath, [demo], { env, timeout: 20_000 })

  expect(stdout).toContain('ada      │ connected with 2026-07-28')
  expect(stdout).toContain('ben      │ connected with 2025-11-25')
  expect(stdout).toMatch(/^kill +│ kill -9 \d+/m)
  expect(stdout).toMatch(/^ben +│ ✓ everything__trigger-long-running-operation/m)
  expect(stdout).toMatch(/^hub +│ "everything" is process \d+ now/m)
  expect(stdout).toMatch(/^calls -f │ .*-ben {2}everything\.echo .* ok$/m)
  expect(stdout).not.toContain('✗')
  expect(await readdir(temporary.path)).toEqual([])
  expect(processesOf(temporary.path)).toEqual([])
})

/** Those whose environment names the folder, as that of everything the demo starts does. */
function processesOf(folder: string): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(folder))
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return '' // It has ended, or is somebody else's.
  }
}
