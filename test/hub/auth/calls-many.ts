import { authStore } from '../../../src/hub/auth/auth-store.ts'
import { serverAuth } from '../../../src/hub/auth/server-auth.ts'
import { callRequest, remoteServer } from './auth-bench.ts'

// One process with its own connections to a guarded server: calls many times at once when it is told to.
const [, , url = '', folder = ''] = process.argv
const store = authStore({ folder })
const fetch = serverAuth({ name: 'guarded', server: remoteServer(url), store, onLog: () => undefined })

process.on('message', () => void callAll())
process.send?.('ready')

async function callAll(): Promise<void> {
  const calls = Array.from({ length: 10 }, async () => {
    const response = await fetch(url, callRequest)
    await response.body?.cancel()
    return response.status
  })
  process.send?.(await Promise.all(calls))
}
