import { describe, expect, test } from 'vitest'
import { serverAuth } from '../../../src/hub/auth/server-auth.ts'
import { startAuthServer } from '../../fixtures/auth-server.ts'
import { authBench } from './auth-bench.ts'

const hourMs = 3_600_000

describe('renewing', () => {
  test('a token that the server refuses is renewed, and the request is sent again', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)
    await bench.logIn()
    expect(await bench.call()).toBe(200)

    guarded.expireAccess()

    expect(await bench.call()).toBe(200)
    expect(guarded.grants('refresh_token')).toBe(1)
  })

  test('a token that is about to end is renewed before it is sent', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)
    await bench.logIn()
    const later = bench.connect(() => Date.now() + hourMs - 10_000)
    const before = guarded.requests.length

    expect(await later()).toBe(200)

    const seen = guarded.requests.slice(before)
    expect(guarded.grants('refresh_token')).toBe(1)
    expect(seen.filter(({ path }) => path === '/mcp')).toHaveLength(1)
  })

  test('many calls at once need one renewal', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)
    await bench.logIn()
    guarded.expireAccess()

    const statuses = await Promise.all(Array.from({ length: 20 }, () => bench.call()))

    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(guarded.grants('refresh_token')).toBe(1)
  })

  test('many connections at once need one renewal', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)
    await bench.logIn()
    guarded.expireAccess()

    const statuses = await Promise.all(Array.from({ length: 10 }, () => bench.connect()()))

    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(guarded.grants('refresh_token')).toBe(1)
  })

  test('what another connection has renewed is used', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)
    await bench.logIn()
    const [one, other] = [bench.connect(), bench.connect()]
    await Promise.all([one(), other()])

    guarded.expireAccess()
    await one()

    expect(await other()).toBe(200)
    expect(guarded.grants('refresh_token')).toBe(1)
  })

  test('a login made elsewhere is used by connections that were refused before', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)
    const call = bench.connect()
    expect(await call()).toBe(401)

    await bench.logIn()

    expect(await call()).toBe(200)
  })

  test('a login that is over is forgotten, and the refusal comes back', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)
    await bench.logIn()
    guarded.expireAll()

    expect(await bench.call()).toBe(401)

    const saved = await bench.store.read(guarded.url)
    expect(saved.login).toBeUndefined()
    expect(saved.client).toBeDefined()
    expect(bench.log.join()).toContain('The login is over')
  })

  test('an authorization server that is out of order costs the call, not the login', async () => {
    await using guarded = await startAuthServer({ tokenStatus: 503 })
    const bench = await authBench(guarded.url)
    guarded.behaviour.tokenStatus = undefined
    await bench.logIn()
    guarded.expireAccess()
    guarded.behaviour.tokenStatus = 503

    await expect(bench.call()).rejects.toMatchObject({ code: 'transport_failed', server: 'guarded' })

    guarded.behaviour.tokenStatus = undefined
    expect(await bench.call()).toBe(200)
  })

  test('without a refresh token the refusal comes back', async () => {
    await using guarded = await startAuthServer({ givesRefreshTokens: false })
    const bench = await authBench(guarded.url)
    await bench.logIn()
    expect(await bench.call()).toBe(200)
    guarded.expireAccess()

    expect(await bench.call()).toBe(401)
  })

  test('a login as another client than the entry names now is not used', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)
    await bench.logIn()
    const server = { ...bench.server, oauth: { grant: 'code', clientId: 'another' } } as const
    const before = guarded.requests.length
    const send = serverAuth({ name: 'guarded', server, store: bench.store, onLog: () => undefined })

    const { status } = await send(guarded.url, { method: 'POST', body: '{}' })

    expect(status).toBe(401)
    expect(guarded.requests.slice(before).map(({ headers }) => headers.authorization)).toEqual([undefined])
  })
})

describe('more rights', () => {
  test('a server that wants more gets them after the next login, besides those it had', async () => {
    await using guarded = await startAuthServer({ challengeScope: 'read', callScope: 'write' })
    const bench = await authBench(guarded.url)
    expect(await bench.call()).toBe(401)
    await bench.logIn()

    await expect(bench.call()).rejects.toMatchObject({
      code: 'login_needed',
      message: expect.stringContaining('scope "read write"'),
      next: 'Run: capstan login guarded',
    })
    await bench.logIn()

    expect(await bench.call()).toBe(200)
    expect((await bench.store.read(guarded.url)).login?.requestedScope).toBe('read write')
  })

  test('a server that wants ever more is told no after three more logins', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)
    await bench.logIn()
    for (const scope of ['read', 'write', 'delete']) {
      guarded.behaviour.callScope = scope
      await expect(bench.call()).rejects.toMatchObject({ code: 'login_needed' })
      await bench.logIn()
      expect(await bench.call()).toBe(200)
    }

    guarded.behaviour.callScope = 'admin'
    await expect(bench.call()).rejects.toMatchObject({ code: 'not_allowed', next: expect.stringContaining('logout') })

    const anHourLater = bench.connect(() => Date.now() + hourMs + 60_000)
    await expect(anHourLater()).rejects.toMatchObject({ code: 'login_needed' })
  })

  test('a server that wants what it was given already is told no after one more login', async () => {
    await using guarded = await startAuthServer({ callScope: 'write', challengeScope: 'write', neverContent: true })
    const bench = await authBench(guarded.url)
    await bench.logIn()
    await expect(bench.call()).rejects.toMatchObject({ code: 'login_needed' })
    await bench.logIn()

    await expect(bench.call()).rejects.toMatchObject({ code: 'not_allowed' })

    expect(guarded.grants('authorization_code')).toBe(2)
  })
})

describe('a token', () => {
  test('is never sent to another origin', async () => {
    await using guarded = await startAuthServer()
    await using other = await startAuthServer()
    const bench = await authBench(guarded.url)
    await bench.logIn()
    const send = serverAuth({ name: 'guarded', server: bench.server, store: bench.store, onLog: () => undefined })

    await send(other.url, { method: 'POST', body: '{}' })

    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])
  })

  test.each([{ oauth: false }, { headers: { Authorization: 'Bearer mine' } }])(
    'of a login is not used with %j',
    async (entry) => {
      await using guarded = await startAuthServer()
      const loggedIn = await authBench(guarded.url)
      await loggedIn.logIn()
      const { server } = await authBench(guarded.url, entry)
      const before = guarded.requests.length
      const send = serverAuth({ name: 'guarded', server, store: loggedIn.store, onLog: () => undefined })

      await send(guarded.url, { method: 'POST', headers: server.headers, body: '{}' })

      const [seen] = guarded.requests.slice(before)
      expect(seen?.headers.authorization).toBe(server.headers['Authorization'])
    },
  )

  test('and headers of the entry never reach the authorization server', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url, { headers: { 'x-api-key': 'key-of-the-entry' } })
    await bench.logIn()
    guarded.expireAccess()
    await bench.call()

    const seen = guarded.requests.filter(({ path }) => path !== '/mcp')
    expect(seen.length).toBeGreaterThan(4)
    expect(JSON.stringify(seen.map(({ headers }) => headers))).not.toMatch(/key-of-the-entry|access-/)
  })
})
