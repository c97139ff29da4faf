import { describe, expect, test } from 'vitest'
import { startAuthServer } from '../../fixtures/auth-server.ts'
import { makers, textOf } from '../makers.ts'
import { browse } from './auth-bench.ts'

describe.each(makers)('with %s', (_name, open) => {
  const echo = { server: 'guarded', tool: 'echo' }

  test('a server that wants a login says so, and works after it', async () => {
    await using guarded = await startAuthServer()
    await using hub = await open({ guarded: { url: guarded.url } })
    await expect(hub.call(echo, { message: 'x' })).rejects.toMatchObject({
      code: 'login_needed',
      next: 'Run: capstan login guarded',
    })
    expect((await hub.servers())[0]?.state.kind).toBe('needs_login')

    await hub.control('guarded', 'login', { onAsk: browse })

    expect(textOf(await hub.call(echo, { message: 'in' }))).toBe('in')
  })

  test('a call that needs more rights is refused, and works after another login', async () => {
    await using guarded = await startAuthServer({ callScope: 'write' })
    await using hub = await open({ guarded: { url: guarded.url } })
    await hub.control('guarded', 'login', { onAsk: browse })
    await expect(hub.call(echo, { message: 'x' })).rejects.toMatchObject({
      code: 'login_needed',
      message: expect.stringContaining('more rights'),
    })

    await hub.control('guarded', 'login', { onAsk: browse })

    expect(textOf(await hub.call(echo, { message: 'more' }))).toBe('more')
  })

  test('a token that ends during a connection is renewed unseen', async () => {
    await using guarded = await startAuthServer()
    await using hub = await open({ guarded: { url: guarded.url } })
    await hub.control('guarded', 'login', { onAsk: browse })
    await hub.call(echo, { message: 'x' })

    guarded.expireAccess()
    const results = await Promise.all(['a', 'b', 'c'].map((message) => hub.call(echo, { message })))

    expect(results.map(textOf)).toEqual(['a', 'b', 'c'])
    expect(guarded.grants('refresh_token')).toBe(1)
  })

  test('after a logout the server wants a login again', async () => {
    await using guarded = await startAuthServer()
    await using hub = await open({ guarded: { url: guarded.url } })
    await hub.control('guarded', 'login', { onAsk: browse })
    await hub.call(echo, { message: 'x' })

    await hub.control('guarded', 'logout')

    await expect(hub.call(echo, { message: 'x' })).rejects.toMatchObject({ code: 'login_needed' })
  })

  test('nobody there to log in: the login is declined, not waited for', async () => {
    await using guarded = await startAuthServer()
    await using hub = await open({ guarded: { url: guarded.url } })

    await expect(hub.control('guarded', 'login')).rejects.toMatchObject({ code: 'cancelled', server: 'guarded' })
  })

  test('the old transport wants a login as well', async () => {
    await using guarded = await startAuthServer()
    await using hub = await open({ guarded: { url: guarded.url, type: 'sse' } })

    await expect(hub.call(echo, { message: 'x' })).rejects.toMatchObject({ code: 'login_needed' })
  })

  test('a server with a token of its own in the entry is not told to log in', async () => {
    await using guarded = await startAuthServer()
    await using hub = await open({ guarded: { url: guarded.url, headers: { Authorization: 'Bearer old' } } })

    await expect(hub.call(echo, { message: 'x' })).rejects.toMatchObject({
      code: 'login_needed',
      next: 'Check the token in "headers" of its entry.',
    })
  })
})
