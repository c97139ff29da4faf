import { expect, test } from 'vitest'
import { startAuthServer } from '../../fixtures/auth-server.ts'
import { authBench, browse, paste } from './auth-bench.ts'

test('a login through the browser lets calls through', async () => {
  await using guarded = await startAuthServer()
  const bench = await authBench(guarded.url)
  expect(await bench.call()).toBe(401)

  await bench.logIn()

  expect(await bench.call()).toBe(200)
})
