import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { authStore } from '../../../src/hub/auth/auth-store.ts'
import { startAuthServer } from '../../fixtures/auth-server.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { authBench } from './auth-bench.ts'

async function start(program: URL, args: readonly string[]): Promise<ChildProcess> {
  const child = fork(program, args)
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'message')
  return child
}

test('two processes with many calls each renew a login once', async () => {
  await using guarded = await startAuthServer()
  const bench = await authBench(guarded.url)
  await bench.logIn()
  const processes = await Promise.all(
    [1, 2].map(() => start(new URL('./calls-many.ts', import.meta.url), [guarded.url, bench.folder])),
  )
  for (let round = 1; round <= 3; round++) {
    guarded.expireAccess()

    const answers = processes.map((child) => once(child, 'message'))
    for (const child of processes) child.send('go')
    const statuses = (await Promise.all(answers)).flatMap(([answered]) => answered as number[])

    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200))
    expect(guarded.grants('refresh_token')).toBe(round)
  }
})

test('a process that is killed while it renews a login leaves a lock that the next one takes over', async () => {
  await using guarded = await startAuthServer()
  const bench = await authBench(guarded.url)
  await bench.logIn()
  const child = await start(new URL('./calls-many.ts', import.meta.url), [guarded.url, bench.folder])
  guarded.expireAccess()
  guarded.behaviour.tokenStatus = 'never answers'
  const renewal = guarded.nextRequest('/as/token')
  child.send('go')
  await renewal

  child.kill('SIGKILL')
  await once(child, 'exit')
  guarded.behaviour.tokenStatus = undefined

  expect(await bench.call()).toBe(200)
})

test('killed in the middle of a write, the file holds the logins from before or after it, for its owner alone', async () => {
  const folder = await scratchFolder()
  for (let round = 0; round < 5; round++) {
    const child = await start(new URL('./changes-for-ever.ts', import.meta.url), [folder])
    child.kill('SIGKILL')
    await once(child, 'exit')

    const log: string[] = []
    const store = authStore({ folder, onLog: (line) => log.push(line) })
    const saved = await Promise.all([0, 1, 2, 3, 4].map((n) => store.read(`https://server.example/${n}`)))

    expect(saved.filter(({ login }) => login !== undefined)).toHaveLength(5)
    expect((await stat(join(folder, 'logins.json'))).mode & 0o777).toBe(0o600)
    await store.change('https://server.example/x', () => ({}))
    expect(log).toEqual([])
  }
})
