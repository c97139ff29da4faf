import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { tempFolder } from '../config/temp-folder.ts'
import { processesWith } from '../e2e/cli.ts'

const bench = fileURLToPath(new URL('../../bench/run.ts', import.meta.url))

test.each([
  ['the shell that npm started it in is ended, which tells it nothing', 'shell'],
  ['it is interrupted', 'bench'],
])('the bench of the gateway leaves nothing when %s', async (_how, whom) => {
  await using temporary = await tempFolder()
  // As npm starts it, with the bench in its arguments; `true &&` keeps the shell from handing its own process over.
  const shell = spawn('sh', ['-c', `true && "${process.execPath}" "${bench}" gateway --quick`], {
    env: { PATH: process.env['PATH'], HOME: temporary.path, TMPDIR: temporary.path, npm_lifecycle_event: 'bench' },
    stdio: 'ignore',
  })
  const served = () => processesWith(`${temporary.path}/capstan-bench-`)
  await vi.waitFor(() => expect(served()).not.toEqual([]), { timeout: 20_000, interval: 50 })
  const inner = readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8')

  if (whom === 'shell') shell.kill('SIGTERM')
  else process.kill(Number(inner), 'SIGINT')
  if (shell.exitCode === null && shell.signalCode === null) await once(shell, 'exit')

  await vi.waitFor(() => expect(served()).toEqual([]), { timeout: 20_000, interval: 50 })
  await vi.waitFor(async () => expect(await readdir(temporary.path)).toEqual([]), { timeout: 20_000, interval: 50 })
})
