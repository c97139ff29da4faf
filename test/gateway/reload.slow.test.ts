import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { bin, world, type World } from '../e2e/cli.ts'
import { fixture } from '../fixtures/fixture.ts'
import { textOf } from '../hub/makers.ts'
import { clientOptions, connectHttp, eras } from './doors.ts'
import { listening, type Served } from './serving.ts'

const patience = { timeout: 10_000, interval: 50 }
const tokenOf = (name: string) => `token-of-${name}-0123456789`

function key(name: string, more = ''): string {
  const hash = createHash('sha256').update(tokenOf(name)).digest('hex')
  return `[gateway.keys.${name}]\ntoken_sha256 = "${hash}"\n${more}\n`
}

interface Ground extends AsyncDisposable {
  readonly place: World
  readonly served: Served
  /** Writes `config.toml` anew. */
  readonly settle: (toml: string) => Promise<void>
  readonly logged: (words: RegExp) => Promise<void>
  /** The status of an empty request with a token. */
  readonly statusFor: (token?: string, headers?: Readonly<Record<string, string>>) => Promise<number>
}

/** A gateway over a real config file. */
async function serving(toml: string): Promise<Ground> {
  await using opened = new AsyncDisposableStack()
  const place = opened.use(await world())
  const settle = (text: string) => place.write({ '~/.config/capstan/config.toml': text })
  await place.write({ '~/.config/capstan/mcp.json': { mcpServers: { one: fixture('echo') } } })
  if (toml !== '') await settle(toml)
  const served = opened.use(await listening(place, []))
  const kept = opened.move()
  return {
    place,
    served,
    settle,
    logged: (words) => vi.waitFor(() => expect(served.log()).toMatch(words), patience),
    async statusFor(token, more = {}) {
      const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const headers = { 'content-type': 'application/json', ...authorization, ...more }
      const response = await fetch(served.url, { method: 'POST', headers, body: '{}' })
      return response.status
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

/** A session up to 2025-11-25 with a stream that listens, and the end of that stream. */
async function listeningSession({ url }: Served, token: string): Promise<{ readonly ended: Promise<string> }> {
  const common = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' }
  const headers = { ...common, 'content-type': 'application/json' }
  const begun = await fetch(url, { method: 'POST', headers, body: JSON.stringify(initialize) })
  await begun.text()
  const session = begun.headers.get('mcp-session-id') ?? ''
  const stream = await fetch(url, { headers: { ...common, 'mcp-session-id': session } })
  expect([begun.status, stream.status]).toEqual([200, 200])
  return { ended: stream.text() }
}

describe.each(eras)('a change of config.toml, for a %s client that is connected', (era) => {
  test('in a rule counts for its next request, and it is told that its list is another', async () => {
    await using ground = await serving('')
    const told = vi.fn<() => void>()
    const listChanged = { tools: { onChanged: told, autoRefresh: false, debounceMs: 0 } }
    await using agent = await connectHttp(ground.served.url, era, { options: { listChanged } })
    const names = async () => (await agent.client.listTools()).tools.map(({ name }) => name)
    const call = () => agent.client.callTool({ name: 'one__echo', arguments: { message: 'hi' } }).then(textOf, String)
    const before = [(await names()).includes('one__echo'), await call()]

    await ground.settle('[gateway]\ndeny = ["one.echo"]')
    await ground.logged(/The settings of the gateway have changed: deny\./)
    const after = [(await names()).includes('one__echo'), await call()]
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), patience)
    await ground.settle('[gateway]\ndeny = []')
    await vi.waitFor(async () => expect(await names()).toContain('one__echo'), patience)

    expect(before).toEqual([true, 'hi'])
    expect(after).toEqual([false, expect.stringContaining('There is no tool "one__echo"')])
  })

  test('that takes its key away refuses its next request, and leaves other keys alone', async () => {
    await using ground = await serving(key('ci') + key('anna'))
    await using ci = await connectHttp(ground.served.url, era, { token: tokenOf('ci') })
    await using anna = await connectHttp(ground.served.url, era, { token: tokenOf('anna') })
    const call = ({ client }: typeof ci) => client.callTool({ name: 'one__echo', arguments: { message: 'hi' } })
    const before = [textOf(await call(ci)), textOf(await call(anna))]

    await ground.settle(key('anna'))
    await ground.logged(/have changed: keys\.ci\./)

    expect(before).toEqual(['hi', 'hi'])
    await expect(call(ci)).rejects.toThrow()
    expect(await ground.statusFor(tokenOf('ci'))).toBe(401)
    expect(textOf(await call(anna))).toBe('hi')
  })
})

test('a change of config.toml counts for the client that started the gateway too, and its log says so', async () => {
  await using place = await world()
  await place.write({ '~/.config/capstan/mcp.json': { mcpServers: { one: fixture('echo') } } })
  const env = { PATH: process.env['PATH'] ?? '', HOME: place.home, CAPSTAN_DAEMON: 'off' }
  const command = { command: process.execPath, args: [bin, 'serve'], cwd: place.cwd, env, stderr: 'pipe' as const }
  const transport = new StdioClientTransport(command)
  let log = ''
  transport.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const client = new Client({ name: 'agent', version: '1' }, clientOptions('legacy'))
  await client.connect(transport)
  await using _agent = { [Symbol.asyncDispose]: () => client.close() }
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  const before = await names()

  await place.write({ '~/.config/capstan/config.toml': '[gateway]\nmode = "meta"\ntools = ["one.add"]' })
  await vi.waitFor(() => expect(log).toMatch(/have changed: mode, tools\./), patience)

  expect(before).toContain('one__echo')
  expect(await names()).toEqual(['one__add'])
  expect(log).toMatch(/"mode" is another for local \(meta\): .*restart needed/)
})

describe('keys', () => {
  test('that are taken away end the sessions and streams that they began', async () => {
    await using ground = await serving(key('ci') + key('anna'))
    const [ci, anna] = [
      await listeningSession(ground.served, tokenOf('ci')),
      await listeningSession(ground.served, tokenOf('anna')),
    ]
    const annaEnded = vi.fn<() => void>()
    void anna.ended.then(annaEnded, () => {})
    const metrics = new URL('/metrics', ground.served.url)
    const authorization = `Bearer ${tokenOf('anna')}`

    await ground.settle(key('anna'))
    await ci.ended

    const text = await (await fetch(metrics, { headers: { authorization } })).text()
    expect(text).toMatch(/sessions 1\n/)
    expect(annaEnded).not.toHaveBeenCalled()
  })

  test('can be added, get other rules, and another token', async () => {
    await using ground = await serving(key('anna'))
    await ground.place.write({ 'ci.token': tokenOf('first') })
    const ofFile = `[gateway.keys.ci]\ntoken_file = "ci.token"\n`

    await ground.settle(key('anna') + ofFile)
    await vi.waitFor(async () => expect(await ground.statusFor(tokenOf('first'))).not.toBe(401), patience)
    await ground.place.write({ 'ci.token': tokenOf('second') })
    await ground.logged(/have changed: the token of ci\./)

    expect(await ground.statusFor(tokenOf('first'))).toBe(401)
    expect(await ground.statusFor(tokenOf('second'))).not.toBe(401)
    expect(await ground.statusFor(tokenOf('anna'))).not.toBe(401)
  })

  test('whose token is removed let nobody in, while the others do', async () => {
    await using place = await world()
    await place.write({
      '~/.config/capstan/config.toml': `${key('anna')}[gateway.keys.ci]\ntoken_file = "ci.token"\n`,
      'ci.token': tokenOf('ci'),
    })
    await using served = await listening(place, [])
    const statusFor = async (token: string) =>
      (await fetch(new URL('/metrics', served.url), { headers: { authorization: `Bearer ${token}` } })).status
    const before = await statusFor(tokenOf('ci'))

    await rm(join(place.cwd, 'ci.token'))
    await vi.waitFor(() => expect(served.log()).toMatch(/The key ci lets nobody in: .*ci\.token/), patience)

    expect([before, await statusFor(tokenOf('ci')), await statusFor(tokenOf('anna'))]).toEqual([200, 401, 200])
  })

  test('that are all taken away leave the door shut, also on this machine', async () => {
    await using ground = await serving(key('ci'))

    await ground.settle('')
    await ground.logged(/No key is left, so nobody can come in\. .*restart needed/)

    expect(await ground.statusFor()).toBe(401)
    expect(await ground.statusFor(tokenOf('ci'))).toBe(401)
  })

  test('shut the door where there were none before', async () => {
    await using ground = await serving('')
    await using agent = await connectHttp(ground.served.url, 'legacy')
    const before = await ground.statusFor()

    await ground.settle(key('ci'))
    await ground.logged(/have changed: keys\.ci\./)

    expect(before).not.toBe(401)
    expect(await ground.statusFor()).toBe(401)
    await expect(agent.client.listTools()).rejects.toThrow()
  })

  test('cannot take a name that stands for callers without one', async () => {
    await expect(serving(key('local'))).rejects.toThrow(/cannot be called "local"/)
  })
})

describe('a file', () => {
  test('that does not parse leaves the last good one in force, and the log says where', async () => {
    await using ground = await serving(`${key('ci')}[gateway]\ndeny = ["one.echo"]`)

    await ground.settle(`${key('ci')}[gateway]\ndeny = "one.echo`)
    await ground.logged(/the last ones stay\. .*config\.toml:5:\d+: /)

    await using agent = await connectHttp(ground.served.url, 'modern', { token: tokenOf('ci') })
    const names = (await agent.client.listTools()).tools.map(({ name }) => name)
    expect(names).not.toContain('one__echo')
    expect(names).toContain('one__add')
  })

  test('with a profile that is not there leaves the last good one in force too', async () => {
    await using ground = await serving(key('ci'))

    await ground.settle(key('ci', 'profile = "none"'))
    await ground.logged(/the last ones stay\. .*no profile "none"/)

    expect(await ground.statusFor(tokenOf('ci'))).not.toBe(401)
  })

  test('that is broken beside it does not keep a key alive', async () => {
    await using ground = await serving(key('ci') + key('anna'))

    await ground.place.write({ '~/.config/capstan/mcp.json': '{ "mcpServers": ' })
    await ground.settle(key('anna'))

    await vi.waitFor(async () => expect(await ground.statusFor(tokenOf('ci'))).toBe(401), patience)
  })
})

test('through the daemon, a key that was taken away has no view any more', async () => {
  await using place = await world()
  const env = { CAPSTAN_DAEMON: 'on', CAPSTAN_DAEMON_IDLE: '60' }
  await using _daemon = { [Symbol.asyncDispose]: async () => void (await place.capstan(['stop'], { env })) }
  await place.write({
    '~/.config/capstan/mcp.json': { mcpServers: { one: fixture('echo') } },
    '~/.config/capstan/config.toml': key('ci') + key('anna'),
  })
  await using served = await listening(place, [], env)
  const call = async (name: string) => {
    await using agent = await connectHttp(served.url, 'modern', { token: tokenOf(name) })
    return textOf(await agent.client.callTool({ name: 'one__echo', arguments: { message: name } }))
  }
  const clients = async () => /\d+(?= clients?,)/.exec((await place.capstan(['status'], { env })).stdout)?.[0]
  const before = [await call('ci'), await call('anna'), await clients()]

  await place.write({ '~/.config/capstan/config.toml': key('anna') })

  expect(before).toEqual(['ci', 'anna', '2'])
  await vi.waitFor(async () => expect(await clients()).toBe('1'), patience)
  expect(await call('anna')).toBe('anna')
})

test('limits, hosts and origins count for the next request', async () => {
  await using ground = await serving('')
  const origin = { origin: 'https://page.example' }
  const before = [await ground.statusFor(), await ground.statusFor(undefined, origin)]

  await ground.settle('[gateway]\nbody_bytes = 1\norigins = ["https://page.example"]')
  await ground.logged(/have changed: body_bytes, origins\./)

  expect(before).toEqual([400, 403])
  expect([await ground.statusFor(), await ground.statusFor(undefined, origin)]).toEqual([413, 413])
})

test('what cannot change while it runs is named: names, pins, and the mode of sessions that are open', async () => {
  await using ground = await serving('')
  await using open = await connectHttp(ground.served.url, 'legacy')
  const names = async ({ client }: typeof open) => (await client.listTools()).tools.map(({ name }) => name)
  await names(open)

  await ground.settle('[gateway]\nmode = "meta"\nprefix = false\npins = "hold"')
  await ground.logged(/"mode" is another for local \(meta\): .*restart needed/)
  await using next = await connectHttp(ground.served.url, 'legacy')

  expect(ground.served.log()).toMatch(/"prefix" stays as it was: restart needed/)
  expect(ground.served.log()).toMatch(/"pins" stays as it was: restart needed/)
  expect(await names(open)).toContain('one__echo')
  expect(await names(next)).toContain('call_tool')
})

test('whether arguments are noted in the audit changes with the file', async () => {
  await using ground = await serving('')
  await using agent = await connectHttp(ground.served.url, 'modern')
  const call = (message: string) => agent.client.callTool({ name: 'one__echo', arguments: { message } })
  await call('not to be noted')

  await ground.settle('[gateway]\naudit_arguments = true')
  await ground.logged(/have changed: audit_arguments\./)
  await call('to be noted')

  const file = join(ground.place.home, '.local/state/capstan/gateway.jsonl')
  await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toContain('"message":"to be noted"'), patience)
  expect(await readFile(file, 'utf8')).not.toContain('not to be noted')
})
