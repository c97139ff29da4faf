import { expect, test } from 'vitest'
import { logout } from '../../../src/hub/auth/logout.ts'
import { startAuthServer } from '../../fixtures/auth-server.ts'
import { authBench } from './auth-bench.ts'

test('a logout forgets the login and ends its tokens at the authorization server', async () => {
  await using guarded = await startAuthServer()
  const { store, server, logIn, connect } = await authBench(guarded.url)
  await logIn()
  const { login } = await store.read(guarded.url)

  expect(await logout({ name: 'guarded', server, store })).toBe(true)

  expect(await store.read(guarded.url)).toEqual({})
  expect(await connect()()).toBe(401)
  const revoked = guarded.requests.filter(({ path }) => path === '/as/revoke').map(({ form }) => form['token'])
  expect(revoked).toEqual([login?.tokens.refresh_token, login?.tokens.access_token])
})

test('a registered client with a secret proves who it is when it logs out', async () => {
  const methods = { token_endpoint_auth_methods_supported: ['client_secret_basic'] }
  await using guarded = await startAuthServer({ serverDocument: methods })
  const { store, server, logIn } = await authBench(guarded.url)
  await logIn()

  await logout({ name: 'guarded', server, store })

  const revocation = guarded.requests.find(({ path }) => path === '/as/revoke')
  expect(revocation?.headers.authorization).toMatch(/^Basic /)
})

test('an authorization server that has gone is no reason to stay logged in', async () => {
  const guarded = await startAuthServer()
  const { store, server, logIn } = await authBench(guarded.url)
  const log: string[] = []
  await logIn()
  await guarded[Symbol.asyncDispose]()

  expect(await logout({ name: 'guarded', server, store, onLog: (line) => log.push(line) })).toBe(true)

  expect(await store.read(guarded.url)).toEqual({})
  expect(log).toEqual([expect.stringContaining('could not be told')])
})

test('a logout without a login says so', async () => {
  await using guarded = await startAuthServer()
  const { store, server } = await authBench(guarded.url)

  expect(await logout({ name: 'guarded', server, store })).toBe(false)
})
