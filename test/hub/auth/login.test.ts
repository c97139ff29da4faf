import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Ask } from '../../../src/hub/api.ts'
import { login } from '../../../src/hub/auth/login.ts'
import { startAuthServer, type Behaviour } from '../../fixtures/auth-server.ts'
import { authBench, browse, paste, redirectOf } from './auth-bench.ts'

describe('a login with a person', () => {
  test.each<[string, Partial<Behaviour>]>([
    ['metadata that the 401 names', {}],
    ['metadata at the well-known address', { resourceMetadata: 'well-known' }],
    ['the metadata of OpenID Connect', { metadata: 'openid' }],
    ['an issuer without a path', { issuerPath: '' }],
    ['no metadata of the server, as before June 2025', { resourceMetadata: 'none', issuerPath: '' }],
    ['no metadata at all, as in March 2025', { resourceMetadata: 'none', metadata: 'none', issuerPath: '' }],
    ['an authorization server that does not say who it is', { iss: 'not supported' }],
    [
      'a secret that comes with the registration',
      { serverDocument: { token_endpoint_auth_methods_supported: ['client_secret_basic'] } },
    ],
    [
      'a secret that is sent in the form',
      { serverDocument: { token_endpoint_auth_methods_supported: ['client_secret_post'] } },
    ],
  ])('works with %s', async (_title, behaviour) => {
    await using guarded = await startAuthServer(behaviour)
    const bench = await authBench(guarded.url)
    expect(await bench.call()).toBe(401)

    await bench.logIn()

    expect(await bench.call()).toBe(200)
  })

  test('tells the browser that it is done, and asks whoever called to visit the page', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)
    const asks: Ask[] = []
    let page: Promise<string> | undefined

    await bench.logIn(async (ask) => {
      asks.push(ask)
      const location = ask.kind === 'url' ? await redirectOf(ask.url) : ''
      page = fetch(location).then((response) => response.text())
      return { action: 'accept' }
    })

    expect(asks).toMatchObject([{ kind: 'url', purpose: 'login', server: 'guarded', message: expect.any(String) }])
    expect(await page).toContain('You are logged in')
  })

  test('takes the address that a browser elsewhere was sent back to', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)

    await bench.logIn(paste)

    expect(await bench.call()).toBe(200)
  })

  test('asks for tokens with PKCE and for this server alone', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)
    let page = new URL('about:blank')

    await bench.logIn((ask) => {
      page = new URL(ask.kind === 'url' ? ask.url : '')
      return browse(ask)
    })

    expect(page.searchParams.get('code_challenge_method')).toBe('S256')
    expect(page.searchParams.get('resource')).toBe(guarded.url)
    expect(page.searchParams.get('state')?.length).toBeGreaterThan(40)
    expect(page.searchParams.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    expect(guarded.requests.find(({ path }) => path === '/as/token')?.form['resource']).toBe(guarded.url)
  })

  test.each<[string, object, Partial<Behaviour>, string | null]>([
    ['what the server wants', {}, { challengeScope: 'read write', scopesSupported: ['all'] }, 'read write'],
    ['what it offers, when it does not say what it wants', {}, { scopesSupported: ['read', 'admin'] }, 'read admin'],
    ['what the entry says', { scopes: ['tiny'] }, { challengeScope: 'read' }, 'tiny'],
    ['nothing, when nobody says anything', {}, {}, null],
    [
      'also for a login that lasts, where that is a scope',
      {},
      { challengeScope: 'read', serverDocument: { scopes_supported: ['offline_access'] } },
      'read offline_access',
    ],
  ])('asks for %s', async (_title, oauth, behaviour, scope) => {
    await using guarded = await startAuthServer(behaviour)
    const bench = await authBench(guarded.url, { oauth })
    let asked: string | null = ''

    await bench.logIn((ask) => {
      asked = new URL(ask.kind === 'url' ? ask.url : '').searchParams.get('scope')
      return browse(ask)
    })

    expect(asked).toBe(scope)
  })

  test('comes back as whom it was registered, on the same port', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)

    await bench.logIn()
    await bench.logIn()

    expect(guarded.requests.filter(({ path }) => path === '/as/register')).toHaveLength(1)
  })

  test('registers anew when the server has moved to another authorization server, and shows it nothing of the old', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)
    await bench.logIn()
    const old = guarded.secrets().slice()

    guarded.behaviour.issuerPath = '/moved'
    guarded.expireAccess()
    expect(await bench.connect()()).toBe(401)
    await bench.logIn()

    expect(await bench.call()).toBe(200)
    const there = JSON.stringify(guarded.requests.filter(({ path }) => path.startsWith('/moved')))
    expect(there).toContain('/moved/register')
    expect(old.filter((secret) => there.includes(secret))).toEqual([])
  })

  test('comes as the client that the entry names, with its secret, which is not kept', async () => {
    await using guarded = await startAuthServer({
      registers: false,
      clients: { capstan: { secret: 'own-client-secret' } },
    })
    const bench = await authBench(guarded.url, { oauth: { clientId: 'capstan', clientSecret: 'own-client-secret' } })

    await bench.logIn()

    expect(await bench.call()).toBe(200)
    expect(JSON.stringify(await bench.store.read(guarded.url))).not.toContain('own-client-secret')
  })

  test('comes as a metadata document where such are known, and registers nothing', async () => {
    await using guarded = await startAuthServer({ knowsDocuments: true })
    const bench = await authBench(guarded.url, { oauth: { clientMetadataUrl: 'https://me.example/client.json' } })

    await bench.logIn()

    expect(await bench.call()).toBe(200)
    expect((await bench.store.read(guarded.url)).login?.clientId).toBe('https://me.example/client.json')
    expect(guarded.requests.some(({ path }) => path === '/as/register')).toBe(false)
  })

  test('registers where metadata documents are not known', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url, { oauth: { clientMetadataUrl: 'https://me.example/client.json' } })

    await bench.logIn()

    expect((await bench.store.read(guarded.url)).login?.clientId).toMatch(/^client-/)
  })
})

describe('a login is refused', () => {
  test.each<[string, Partial<Behaviour>, object, string, RegExp]>([
    ['when the answer names another issuer', { iss: 'wrong' }, {}, 'not_allowed', /did not come from/],
    ['when the issuer is missing although it was promised', { iss: 'missing' }, {}, 'not_allowed', /did not come from/],
    ['when the person says no', { denies: true }, {}, 'not_allowed', /access_denied/],
    [
      'when an error comes from another issuer, without its words',
      { iss: 'wrong', denies: true },
      {},
      'not_allowed',
      /did not come from/,
    ],
    [
      'when the metadata is of another server',
      { resourceDocument: { resource: 'https://other.example/mcp' } },
      {},
      'not_allowed',
      /for another server \(https:\/\/other/,
    ],
    [
      'when the metadata has another issuer',
      { serverDocument: { issuer: 'https://other.example' } },
      {},
      'not_allowed',
      /did not come from/,
    ],
    [
      'when the issuer is not that of the entry',
      {},
      { oauth: { issuer: 'https://mine.example' } },
      'not_allowed',
      /not the "oauth.issuer"/,
    ],
    ['when nobody can be registered', { registers: false }, {}, 'config_missing_field', /registered by hand/],
    [
      'when the server has no login at all',
      { resourceMetadata: 'none', metadata: 'none', registers: false, issuerPath: '' },
      {},
      'server_error',
      /no way to log in/,
    ],
    [
      'when the entry has a token of its own',
      {},
      { headers: { authorization: 'Bearer x' } },
      'usage',
      /"Authorization" header of its own/,
    ],
    ['when the entry says no', {}, { oauth: false }, 'usage', /"oauth": false/],
    [
      'when the page is no page',
      { serverDocument: { authorization_endpoint: 'javascript:alert(1)' } },
      {},
      'server_error',
      /cannot be understood/,
    ],
    [
      'when the page is a file',
      { serverDocument: { authorization_endpoint: 'file:///etc/passwd' } },
      {},
      'not_allowed',
      /begins with file:/,
    ],
    [
      'when the page is not encrypted',
      { serverDocument: { authorization_endpoint: 'http://login.example/' } },
      {},
      'not_allowed',
      /begins with http:/,
    ],
    [
      'when tokens would go elsewhere unencrypted',
      { serverDocument: { token_endpoint: 'http://login.example/token' } },
      {},
      'not_allowed',
      /does not use https/,
    ],
    [
      'when PKCE is not known',
      { serverDocument: { code_challenge_methods_supported: ['plain'] } },
      {},
      'server_error',
      /cannot be understood/,
    ],
    ['when the token endpoint is out of order', { tokenStatus: 500 }, {}, 'transport_failed', /out of order/],
  ])('%s', async (_title, behaviour, entry, code, message) => {
    await using guarded = await startAuthServer(behaviour)
    const bench = await authBench(guarded.url, entry)

    await expect(bench.logIn()).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
      server: 'guarded',
    })

    expect((await bench.store.read(guarded.url)).login).toBeUndefined()
  })

  test('by the code of another issuer, before the code is redeemed', async () => {
    await using guarded = await startAuthServer({ iss: 'wrong' })
    const bench = await authBench(guarded.url)

    await expect(bench.logIn()).rejects.toMatchObject({ code: 'not_allowed' })

    expect(guarded.grants('authorization_code')).toBe(0)
  })

  test('when the pasted address belongs to another login', async () => {
    await using guarded = await startAuthServer({ state: 'wrong' })
    const bench = await authBench(guarded.url)

    await expect(bench.logIn(paste)).rejects.toMatchObject({ code: 'usage', message: /another login/ })

    expect(guarded.grants('authorization_code')).toBe(0)
  })

  test.each(['', 'no address', 'http://127.0.0.1/callback'])('when %j is pasted', async (redirect) => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)

    const login = bench.logIn(async () => ({ action: 'accept', content: { redirect } }))

    await expect(login).rejects.toMatchObject({ code: 'usage', message: /no "code" in it/ })
  })

  test.each([{ action: 'decline' }, { action: 'cancel' }] as const)(
    'when the question is answered with %j',
    async (answer) => {
      await using guarded = await startAuthServer()
      const bench = await authBench(guarded.url)

      await expect(bench.logIn(async () => answer)).rejects.toMatchObject({ code: 'cancelled', server: 'guarded' })
    },
  )

  test('when the caller gives up, and the callback is closed', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url)
    const controller = new AbortController()
    let callback = ''

    const login = bench.logIn(async (ask) => {
      callback = new URL(ask.kind === 'url' ? ask.url : '').searchParams.get('redirect_uri') ?? ''
      controller.abort()
      return { action: 'accept' }
    }, controller.signal)

    await expect(login).rejects.toMatchObject({ code: 'cancelled' })
    await expect(fetch(callback)).rejects.toThrow()
  })
})

test('a browser that comes with another state changes nothing: the login goes on', async () => {
  await using guarded = await startAuthServer()
  const bench = await authBench(guarded.url)
  const statuses: number[] = []

  await bench.logIn(async (ask) => {
    const callback = new URL(ask.kind === 'url' ? ask.url : '').searchParams.get('redirect_uri') ?? ''
    for (const odd of ['?state=guessed&code=stolen', '?error=access_denied', ''])
      statuses.push((await fetch(`${callback}${odd}`)).status)
    statuses.push((await fetch(new URL('/other', callback))).status)
    return browse(ask)
  })

  expect(statuses).toEqual([400, 400, 400, 404])
  expect(await bench.call()).toBe(200)
})

test('the question is withdrawn when the browser has come back', async () => {
  await using guarded = await startAuthServer()
  const bench = await authBench(guarded.url)
  let isWithdrawn = false

  await bench.logIn(async (ask, { signal }) => {
    signal.addEventListener('abort', () => (isWithdrawn = true))
    await browse(ask)
    return new Promise(() => {})
  })

  expect(isWithdrawn).toBe(true)
})

test('a client that the entry names does not follow the server to another authorization server', async () => {
  const clients = { capstan: { secret: 'own-client-secret' } }
  await using guarded = await startAuthServer({ registers: false, clients })
  const oauth = { clientId: 'capstan', clientSecret: 'own-client-secret' }
  const bench = await authBench(guarded.url, { oauth })
  await bench.logIn()

  guarded.behaviour.issuerPath = '/moved'

  await expect(bench.logIn()).rejects.toMatchObject({
    code: 'not_allowed',
    next: expect.stringContaining('"oauth.issuer"'),
  })
  expect(guarded.requests.some(({ path }) => path === '/moved/token')).toBe(false)
})

test('a fixed port is used where the entry gives one, and named when it is taken', async () => {
  const clients = { capstan: {} }
  await using guarded = await startAuthServer({ registers: false, clients })
  const taken = Number(new URL(guarded.origin).port)
  const bench = await authBench(guarded.url, { oauth: { clientId: 'capstan', callbackPort: taken } })

  await expect(bench.logIn()).rejects.toMatchObject({
    code: 'start_failed',
    message: expect.stringContaining(String(taken)),
  })
})

describe('a client that logs in by itself', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const alone = { grant: 'client_credentials', clientId: 'nightly' }
  const nobody = () => Promise.reject(new Error('nobody is asked'))

  test.each<[string, object, Behaviour['clients'][string]]>([
    ['its secret', { clientSecret: 'own-client-secret' }, { secret: 'own-client-secret' }],
    ['its key', { privateKey }, { publicKey }],
  ])('needs no person with %s', async (_title, proof, client) => {
    await using guarded = await startAuthServer({ clients: { nightly: client } })
    const bench = await authBench(guarded.url, { oauth: { ...alone, ...proof } })

    expect(await bench.call()).toBe(200)
    expect(await bench.call()).toBe(200)
    expect(await bench.connect()()).toBe(200)

    expect(guarded.grants('client_credentials')).toBe(1)
  })

  test('gets another token when one is over, and more rights when they are wanted', async () => {
    const clients = { nightly: { secret: 'own-client-secret' } }
    await using guarded = await startAuthServer({ clients, callScope: 'write' })
    const bench = await authBench(guarded.url, { oauth: { ...alone, clientSecret: 'own-client-secret' } })

    expect(await bench.call()).toBe(200)
    guarded.expireAccess()
    expect(await bench.call()).toBe(200)
  })

  test('gives up when the server is never content', async () => {
    const clients = { nightly: { secret: 'own-client-secret' } }
    await using guarded = await startAuthServer({ clients, callScope: 'write', neverContent: true })
    const bench = await authBench(guarded.url, { oauth: { ...alone, clientSecret: 'own-client-secret' } })

    await expect(bench.call()).rejects.toMatchObject({ code: 'not_allowed' })

    expect(guarded.grants('client_credentials')).toBeLessThanOrEqual(4)
  })

  test('can be logged in beforehand', async () => {
    await using guarded = await startAuthServer({ clients: { nightly: { secret: 'own-client-secret' } } })
    const bench = await authBench(guarded.url, { oauth: { ...alone, clientSecret: 'own-client-secret' } })

    await bench.logIn(nobody)

    expect(await bench.call()).toBe(200)
  })

  test('says what its entry lacks', async () => {
    await using guarded = await startAuthServer()
    const bench = await authBench(guarded.url, { oauth: alone })

    await expect(bench.call()).rejects.toMatchObject({ code: 'config_missing_field', next: /clientSecret/ })
  })
})

test('a client that the authorization server has forgotten registers anew with the next login', async () => {
  await using guarded = await startAuthServer()
  const bench = await authBench(guarded.url)
  await bench.logIn()
  const forgetful = bench.logIn(async (ask) => {
    const answer = await paste(ask)
    guarded.forgetClients()
    return answer
  })
  await expect(forgetful).rejects.toMatchObject({ code: 'server_error', message: /invalid_client/ })

  await bench.logIn()

  expect(await bench.call()).toBe(200)
})

test('each address of a server gets a login of its own', async () => {
  await using one = await startAuthServer()
  await using other = await startAuthServer()
  const bench = await authBench(one.url)
  const server = { ...bench.server, otherUrls: [other.url] }

  await login({ name: 'guarded', server, store: bench.store, onAsk: browse })

  expect((await bench.store.read(one.url)).login?.resource).toBe(one.url)
  expect((await bench.store.read(other.url)).login?.resource).toBe(other.url)
})
