import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import type { HubEvent } from '../../src/hub/api.ts'
import { waitFor } from '../../src/hub/wait-for.ts'
import { fixture } from '../fixtures/fixture.ts'
import { inlineServer } from './inline-server.ts'
import { openTestHub, textOf } from './makers.ts'
import { scratchFolder } from './scratch-folder.ts'

const pidTool = { server: 'one', tool: 'pid' }

test('closing twice, also while connecting, is the same as closing once, and leaves no process', async () => {
  await using hub = await openTestHub({ one: fixture('echo') })
  const pids = seenPids(hub)
  const call = hub.call(pidTool, {}).catch((error: unknown) => error)

  await Promise.all([hub[Symbol.asyncDispose](), hub[Symbol.asyncDispose]()])
  await hub[Symbol.asyncDispose]()

  expect(await call).toMatchObject({ name: 'CapstanError' })
  expect(pids.filter(isAlive)).toEqual([])
})

test('a closed hub refuses calls and starts nothing', async () => {
  await using hub = await openTestHub({ one: fixture('echo') })
  await hub[Symbol.asyncDispose]()
  const seen: HubEvent[] = []
  hub.on((event) => seen.push(event))

  await expect(hub.call(pidTool, {})).rejects.toMatchObject({ code: 'cancelled', message: 'The hub is closed.' })
  await expect(hub.control('one', 'restart')).rejects.toMatchObject({ code: 'cancelled' })
  expect((await hub.catalogue()).servers).toMatchObject([{ kind: 'missing', error: { code: 'cancelled' } }])

  expect(seen.filter((event) => event.kind === 'state')).toEqual([])
})

test('restarts that overlap leave one process', async () => {
  await using hub = await openTestHub({ one: fixture('echo') })
  const pids = seenPids(hub)
  await hub.call(pidTool, {})

  await Promise.allSettled([
    hub.control('one', 'restart'),
    hub.control('one', 'restart'),
    hub.control('one', 'restart'),
  ])
  const last = Number(textOf(await hub.call(pidTool, {})))

  expect(pids.filter(isAlive)).toEqual([last])
})

test('a call that comes during a restart waits for the new process', async () => {
  await using hub = await openTestHub({ one: fixture('echo') })
  const first = textOf(await hub.call(pidTool, {}))

  const restart = hub.control('one', 'restart')
  const call = hub.call(pidTool, {})

  expect(textOf(await call)).not.toBe(first)
  await restart
})

test('a call in flight when its server is restarted has an unknown outcome', async () => {
  await using hub = await openTestHub({ one: fixture('echo') })
  const { promise: isRunning, resolve: onProgress } = Promise.withResolvers<unknown>()

  const call = hub.call({ server: 'one', tool: 'slow' }, { ms: 20_000, steps: 2000 }, { onProgress })
  const outcome = call.catch((error: unknown) => error)
  await isRunning
  await hub.control('one', 'restart')

  expect(await outcome).toMatchObject({ code: 'outcome_unknown', server: 'one' })
  expect(textOf(await hub.call(pidTool, {}))).toMatch(/\d+/)
})

test('enabling a server that is enabled does not disturb it', async () => {
  await using hub = await openTestHub({ one: fixture('echo') })
  const before = textOf(await hub.call(pidTool, {}))

  await hub.control('one', 'enable')

  expect(textOf(await hub.call(pidTool, {}))).toBe(before)
})

test('a listener that throws harms neither the hub nor the other listeners', async () => {
  const thrown: unknown[] = []
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => thrown.push(error))
  await using hub = await openTestHub({ one: fixture('echo') })
  const seen: string[] = []
  hub.on(() => {
    throw new Error('a bug of the listener')
  })
  hub.on((event) => seen.push(event.kind))

  try {
    await hub.call(pidTool, {})
    await hub.control('one', 'restart')
    await vi.waitFor(() => expect(thrown).toContainEqual(new Error('a bug of the listener')))
  } finally {
    await hub[Symbol.asyncDispose]()
    process.removeAllListeners('uncaughtException')
    for (const listener of others) process.on('uncaughtException', listener)
  }

  expect(seen).toContain('call')
})

test('who listens twice can stop once', async () => {
  await using hub = await openTestHub({ one: { ...fixture('echo'), disabled: true } })
  let count = 0
  const listener = () => void count++
  const first = hub.on(listener)
  hub.on(listener)

  first[Symbol.dispose]()
  await hub.call(pidTool, {}).catch(() => undefined)

  expect(count).toBe(1)
})

test('many hubs in one process raise no warning of a leak', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', onWarning)
  const limit = process.getMaxListeners()

  const hubs = await Promise.all(Array.from({ length: 20 }, () => openTestHub({})))
  await Promise.all(hubs.map((hub) => hub[Symbol.asyncDispose]()))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', onWarning)

  expect(warnings).toEqual([])
  expect(process.getMaxListeners()).toBe(limit)
})

test('a change that is announced while the first list is on its way is not missed', async () => {
  const entry = inlineServer(`
    let asked = 0
    const intercept = ({ id, method }, wire) => {
      if (method !== 'tools/list') return false
      if (++asked > 1) wire.send({ id, result: { tools: [{ name: 'new' }] } })
      else {
        wire.send({ method: 'notifications/tools/list_changed' })
        // Later than the changes are gathered.
        setTimeout(() => wire.send({ id, result: { tools: [{ name: 'old' }] } }), 200)
      }
      return true
    }
    serveRaw({ name: 'changes-early', listChanged: true, tools: [], intercept })
  `)
  await using hub = await openTestHub({ one: entry })

  await hub.catalogue({ kinds: ['tools'] })

  await vi.waitFor(async () => {
    const { tools } = await hub.catalogue({ kinds: ['tools'] })
    expect(tools.map((tool) => tool.tool)).toEqual(['new'])
  })
})

test('a storm of changes leads to few listings', async () => {
  const entry = inlineServer(`
    let listings = 0
    const storm = (_args, { wire }) => {
      for (let i = 0; i < 1000; i++) wire.send({ method: 'notifications/tools/list_changed' })
      return 'sent'
    }
    const tools = [{ name: 'storm', inputSchema: object, run: storm }, { name: 'count', inputSchema: object, run: () => String(listings) }]
    serveRaw({ name: 'storm', listChanged: true, tools, intercept: ({ method }) => { if (method === 'tools/list') listings++; return false } })
  `)
  await using hub = await openTestHub({ one: entry })
  const count = async () => Number(textOf(await hub.call({ server: 'one', tool: 'count' }, {})))

  await hub.call({ server: 'one', tool: 'storm' }, {})
  await vi.waitFor(async () => expect(await count()).toBeGreaterThan(1))

  expect(await count()).toBeLessThanOrEqual(3)
})

test('catalogues that overlap share one listing', async () => {
  const sent: string[] = []
  await using hub = await openTestHub(
    { one: fixture('slow-list', { args: ['100'] }) },
    { tap: (_server, direction, message) => direction === 'sent' && 'method' in message && sent.push(message.method) },
  )

  await Promise.all(Array.from({ length: 10 }, () => hub.catalogue()))

  expect(sent.filter((method) => method === 'tools/list')).toHaveLength(1)
})

test('a list that fails hides none of the other lists', async () => {
  const entry = inlineServer(`
    const intercept = ({ id, method }, wire) => {
      if (method !== 'prompts/list') return false
      wire.send({ id, error: { code: -32603, message: 'prompts are broken' } })
      return true
    }
    serveRaw({ name: 'half', tools: [{ name: 'works', inputSchema: object }], prompts: [], intercept })
  `)
  await using hub = await openTestHub({ one: entry })

  const catalogue = await hub.catalogue()

  expect(catalogue.tools.map((tool) => tool.id)).toEqual(['one.works'])
  expect(catalogue.servers).toMatchObject([
    { kind: 'stale', error: { message: expect.stringContaining('prompts are broken') } },
  ])
})

test('a list that was stale is asked for again by the next catalogue', async () => {
  const entry = inlineServer(`
    let asked = 0
    const intercept = ({ id, method }, wire) => {
      if (method !== 'tools/list' || ++asked !== 2) return false
      wire.send({ id, error: { code: -32603, message: 'just this once' } })
      return true
    }
    serveRaw({ name: 'hiccup', tools: [{ name: 'works', inputSchema: object }], intercept })
  `)
  await using hub = await openTestHub({ one: entry })
  await hub.catalogue()

  const failed = await hub.catalogue({ fresh: true })
  const next = await hub.catalogue()

  expect(failed.servers).toMatchObject([{ kind: 'stale' }])
  expect(next.servers).toMatchObject([{ kind: 'listed' }])
})

test('a server that can no longer start is tried once for a call', async () => {
  const entry = inlineServer(`
    import { existsSync, writeFileSync } from 'node:fs'
    if (existsSync('broken')) process.exit(3)
    serveRaw({ name: 'breaks', tools: [{ name: 'break', inputSchema: object, run: () => { writeFileSync('broken', ''); process.exit(1) } }] })
  `)
  await using hub = await openTestHub({ one: entry })
  await hub.call({ server: 'one', tool: 'break' }, {}).catch(() => undefined)
  const attempts: HubEvent[] = []
  hub.on((event) => event.kind === 'state' && event.state.kind === 'connecting' && attempts.push(event))

  await expect(hub.call({ server: 'one', tool: 'break' }, {})).rejects.toMatchObject({ code: 'start_failed' })

  expect(attempts).toHaveLength(1)
})

test.each(['sampling/createMessage', 'roots/list', 'no/such/method'])(
  'a server that sends %s, which we do not offer, gets an error and its call goes on',
  async (method) => {
    const entry = inlineServer(`
      let answered
      const run = (_args, { wire }) => new Promise((resolve) => {
        answered = resolve
        wire.send({ id: 'ask', method: ${JSON.stringify(method)}, params: { message: 'x', requestedSchema: object, messages: [], maxTokens: 1 } })
      })
      const intercept = ({ id, error }) => {
        if (id !== 'ask') return false
        answered(String(error?.code))
        return true
      }
      serveRaw({ name: 'asks', tools: [{ name: 'ask', inputSchema: object, run }], intercept })
    `)
    await using hub = await openTestHub({ one: entry })

    const result = await hub.call({ server: 'one', tool: 'ask' }, {}, { idleSeconds: 5 })

    expect(textOf(result)).toBe('-32601')
  },
)

test.each([
  ['a question that comes again after each answer', 'input_required', /kept asking/],
  ['an answer of a kind nobody knows', 'surprise', /no valid answer/],
])('in the modern era, %s is told as what it is, and the server goes on', async (_title, resultType, message) => {
  const entry = inlineServer(`
    const done = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    const question = { method: 'elicitation/create', params: { mode: 'form', message: 'who?', requestedSchema: { type: 'object', properties: {} } } }
    const answers = {
      'server/discover': { ...done, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
      'tools/list': { ...done, tools: [{ name: 'ask', inputSchema: object }, { name: 'hello', inputSchema: object }] },
      ask: { resultType: ${JSON.stringify(resultType)}, requestState: 's', inputRequests: { a: question } },
      hello: { ...done, content: [{ type: 'text', text: 'hello' }] },
    }
    const intercept = ({ id, method, params }, wire) => {
      if (id !== undefined) wire.send({ id, result: answers[params.name] ?? answers[method] })
      return true
    }
    serveRaw({ name: 'modern-raw', intercept })
  `)
  await using hub = await openTestHub({ one: entry })

  const call = hub.call({ server: 'one', tool: 'ask' }, {})

  await expect(call).rejects.toMatchObject({ code: 'server_error', message: expect.stringMatching(message) })
  expect(textOf(await hub.call({ server: 'one', tool: 'hello' }, {}))).toBe('hello')
})

test('in the modern era too, one odd tool hides no other and every content kind is passed on', async () => {
  const content = [
    { type: 'hologram', beams: 3 },
    { type: 'text', text: 'after' },
  ]
  const entry = inlineServer(`
    const done = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    const answers = {
      'server/discover': { ...done, supportedVersions: ['2026-07-28'], capabilities: { tools: {}, prompts: {}, resources: {} } },
      'tools/list': { ...done, tools: [{ name: 'good', inputSchema: object }, { name: 'no-schema' }, { title: 'no name' }] },
      'tools/call': { content: ${JSON.stringify(content)}, structuredContent: { a: 1 }, _meta: { kept: true } },
      'prompts/list': { prompts: [{ name: 'p', icons: 'odd' }] },
      'resources/list': { ...done, resources: [{ uri: 'x:y' }] },
      'resources/read': { contents: [{ uri: 'x:y', odd: true }] },
    }
    const intercept = ({ id, method }, wire) => {
      if (id !== undefined) wire.send(answers[method] ? { id, result: answers[method] } : { id, error: { code: -32601, message: 'no' } })
      return true
    }
    serveRaw({ name: 'modern-raw', intercept })
  `)
  await using hub = await openTestHub({ one: entry })

  const { tools, prompts, resources, servers } = await hub.catalogue()
  const result = await hub.call({ server: 'one', tool: 'no-schema' }, {})

  expect(servers).toEqual([{ kind: 'listed', server: 'one' }])
  expect(tools.map((tool) => tool.tool)).toEqual(['good', 'no-schema'])
  expect([prompts.length, resources.length]).toEqual([1, 1])
  expect(result).toEqual({ content, structuredContent: { a: 1 }, _meta: { kept: true } })
  expect(await hub.read({ server: 'one', uri: 'x:y' })).toEqual({ contents: [{ uri: 'x:y', odd: true }] })
})

test('messages of every odd shape harm neither the call nor the connection', async () => {
  const entry = inlineServer(`
    const odd = [
      null, 1, 'x', [], {}, { id: null, method: 5 }, { id: {}, result: {} }, { id: 1.5, result: {} }, { id: 99, error: null },
      { id: 99, error: { code: 'x', message: 7 } }, { method: 'notifications/progress', params: null }, { method: 'notifications/progress' },
      { method: 'notifications/message', params: { level: 5 } }, { method: 'notifications/cancelled' }, { method: 'x', params: [1] },
      { id: 'q', method: 'ping', params: 'x' }, { method: 'notifications/tools/list_changed', params: { _meta: 5 } },
      { id: 7, method: 'tools/call', params: { _meta: null } }, { method: '__proto__' }, { id: 8, method: 'constructor' },
    ]
    const run = (_args, { wire }) => {
      for (const message of odd) {
        wire.write(JSON.stringify(message) + '\\n')
        if (typeof message === 'object') wire.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
      }
      return 'fine'
    }
    serveRaw({ name: 'odd', tools: [{ name: 'odd', inputSchema: object, run }] })
  `)
  await using hub = await openTestHub({ one: entry })

  expect(textOf(await hub.call({ server: 'one', tool: 'odd' }, {}))).toBe('fine')
  expect(textOf(await hub.call({ server: 'one', tool: 'odd' }, {}))).toBe('fine')
})

test('a signal that many calls share keeps nothing of them', async () => {
  await using hub = await openTestHub({ one: fixture('echo') })
  const { signal } = new AbortController()

  for (let round = 0; round < 20; round++) {
    await Promise.all(
      Array.from({ length: 50 }, () => hub.call({ server: 'one', tool: 'echo' }, { message: 'x' }, { signal })),
    )
  }

  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('a program that closes its hub ends by itself', async () => {
  const program = `
    import { openHub } from ${JSON.stringify(new URL('../../src/hub/hub.ts', import.meta.url).href)}
    {
      await using hub = await openHub({ mcpServers: { one: ${JSON.stringify(fixture('echo'))} } })
      await hub.catalogue()
      await hub.call({ server: 'one', tool: 'echo' }, { message: 'x' }, { signal: AbortSignal.timeout(60_000) })
    }
    console.log('closed')
  `
  const home = await scratchFolder()
  const options = { env: { PATH: process.env['PATH'], HOME: home }, cwd: home, timeout: 15_000 }

  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--unhandled-rejections=strict', '--input-type=module-typescript', '--eval', program],
    options,
  )

  expect({ stdout, stderr }).toEqual({ stdout: 'closed\n', stderr: '' })
})

test('a stray line of many megabytes stands in the log by its beginning only', async () => {
  const entry = inlineServer(`
    const run = (_args, { wire }) => { wire.write('x'.repeat(5_000_000) + '\\n'); return 'shouted' }
    serveRaw({ name: 'shouts', tools: [{ name: 'shout', inputSchema: object, run }] })
  `)
  await using hub = await openTestHub({ one: entry })

  await hub.call({ server: 'one', tool: 'shout' }, {})

  const line = (await hub.logs('one')).find(({ source }) => source === 'stdout')
  expect(line?.text).toHaveLength(4097)
})

test('arguments that a server does not read end at the deadline and disturb no other server', async () => {
  const entry = inlineServer(`
    const run = () => { process.stdin.pause(); return 'no longer reading' }
    setInterval(() => {}, 1000)
    serveRaw({ name: 'full', tools: [{ name: 'stop', inputSchema: object, run }, { name: 'hello', inputSchema: object }] })
  `)
  await using hub = await openTestHub(
    { full: entry, one: fixture('echo') },
    { grace: { beforeTermMs: 100, beforeKillMs: 100 } },
  )
  await hub.call({ server: 'full', tool: 'stop' }, {})

  const stuck = hub.call({ server: 'full', tool: 'hello' }, { big: 'x'.repeat(20_000_000) }, { idleSeconds: 0.5 })
  const outcome = stuck.catch((error: unknown) => error)

  expect(textOf(await hub.call(pidTool, {}))).toMatch(/\d+/)
  expect(await outcome).toMatchObject({ code: 'timed_out', server: 'full' })
})

test('lines may end in CRLF, come in pieces within a letter, and hold control characters', async () => {
  const entry = inlineServer(`
    const run = async (_args, { id }) => {
      const line = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'größe 📏 \\u0000 \\u2028' }] } }) + '\\r\\n')
      for (const byte of line) await new Promise((resolve) => process.stdout.write(Buffer.from([byte]), resolve))
      return new Promise(() => {})
    }
    serveRaw({ name: 'pieces', tools: [{ name: 'pieces', inputSchema: object, run }] })
  `)
  await using hub = await openTestHub({ one: entry })

  const result = await hub.call({ server: 'one', tool: 'pieces' }, {})

  expect(textOf(result)).toBe('größe 📏 \u0000 \u2028')
})

test('work that fails after its caller has given up ends nobody', async () => {
  const unheard: unknown[] = []
  const onUnheard = (reason: unknown) => void unheard.push(reason)
  process.on('unhandledRejection', onUnheard)

  await expect(waitFor(Promise.reject(new Error('late')), AbortSignal.abort(), 'it')).rejects.toMatchObject({
    code: 'cancelled',
  })
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', onUnheard)

  expect(unheard).toEqual([])
})

function seenPids(hub: { on: (listener: (event: HubEvent) => void) => Disposable }): number[] {
  const pids: number[] = []
  hub.on((event) => event.kind === 'state' && event.state.kind === 'ready' && pids.push(event.state.pid ?? 0))
  return pids
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
