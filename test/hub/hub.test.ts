import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { ExecEvent, HubEvent, Progress } from '../../src/hub/api.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { fixture } from '../fixtures/fixture.ts'
import { makers, temporaryFolder, textOf } from './makers.ts'

describe.each(makers)('a hub from %s', (_name, open) => {
  test('calls a tool and hands back what the server said', async () => {
    await using hub = await open({ one: fixture('echo') })

    const result = await hub.call({ server: 'one', tool: 'echo' }, { message: 'hello world' })

    expect(textOf(result)).toBe('hello world')
  })

  test('starts no server before it is needed', async () => {
    await using hub = await open({ one: fixture('echo') })

    const servers = await hub.servers()

    expect(servers).toEqual([{ name: 'one', state: { kind: 'idle' } }])
  })

  test('starts only the server that a call needs', async () => {
    await using hub = await open({ one: fixture('echo'), two: fixture('echo') })

    await hub.call({ server: 'two', tool: 'pid' }, {})

    const kinds = (await hub.servers()).map((server) => [server.name, server.state.kind])
    expect(kinds).toEqual([
      ['one', 'idle'],
      ['two', 'ready'],
    ])
  })

  test('a failing server does not hide the tools of the others, and is named with its last words', async () => {
    await using hub = await open({
      bad: fixture('exits-at-start'),
      good: fixture('echo'),
      missing: { command: 'no-such-program-here' },
    })

    const catalogue = await hub.catalogue()

    expect(new Set(catalogue.tools.map((tool) => tool.server))).toEqual(new Set(['good']))
    const [bad, good, missing] = catalogue.servers
    expect(bad).toMatchObject({ kind: 'missing', server: 'bad', error: { code: 'start_failed' } })
    expect(good).toEqual({ kind: 'listed', server: 'good' })
    expect(missing).toMatchObject({
      kind: 'missing',
      error: { code: 'start_failed', message: expect.stringContaining('no-such-program-here') },
    })
    const status = (await hub.servers()).find((server) => server.name === 'bad')
    expect(status?.state).toMatchObject({
      kind: 'backing_off',
      failures: 1,
      stderrTail: expect.arrayContaining([expect.stringMatching(/\S/)]),
    })
  })

  test('a silent server does not delay the catalogue beyond its deadline', async () => {
    await using hub = await open({ good: fixture('echo'), silent: fixture('never-answers') }, { catalogueSeconds: 2 })

    const catalogue = await hub.catalogue()

    expect(catalogue.servers).toMatchObject([
      { kind: 'listed' },
      {
        kind: 'missing',
        server: 'silent',
        error: { code: 'connect_timed_out', message: 'Server "silent" did not answer within 2 s.' },
      },
    ])
    expect(catalogue.tools.length).toBeGreaterThan(5)
  })

  test('a server that was waited for in vain holds up nobody again while it still starts', async () => {
    await using hub = await open({ good: fixture('echo'), silent: fixture('never-answers') }, { catalogueSeconds: 2 })
    await hub.catalogue()

    const askedAt = performance.now()
    const { servers, tools } = await hub.catalogue()

    expect(performance.now() - askedAt).toBeLessThan(1900)
    expect(servers).toMatchObject([{ kind: 'listed' }, { kind: 'missing', error: { code: 'connect_timed_out' } }])
    expect(tools.length).toBeGreaterThan(5)
  })

  test('a slow list is missing at the deadline and there the next time', async () => {
    await using hub = await open({ slow: fixture('slow-list', { args: ['1500'] }) }, { catalogueSeconds: 1 })

    const early = await hub.catalogue()
    await hub.call({ server: 'slow', tool: 'hello' }, {})
    const later = await hub.catalogue()

    expect(early.servers).toMatchObject([{ kind: 'missing' }])
    expect(later.tools.map((tool) => tool.id)).toEqual(['slow.hello'])
  })

  test('reads all pages of all four lists, sorted by name', async () => {
    await using hub = await open({ paged: fixture('paged') })

    const { tools, prompts, resources, templates } = await hub.catalogue()

    expect(tools.map((tool) => tool.tool)).toEqual(['tool-1', 'tool-2', 'tool-3', 'tool-4', 'tool-5'])
    expect([prompts.length, resources.length, templates.length]).toEqual([5, 5, 5])
  })

  test('asks only for the lists that are wanted', async () => {
    await using hub = await open({ one: fixture('echo') })

    const catalogue = await hub.catalogue({ kinds: ['prompts'] })

    expect(catalogue.tools).toEqual([])
    expect(catalogue.prompts.map((prompt) => prompt.id)).toContain('one:greet')
  })

  test('leaves out tools that cannot be used and keeps the rest, with names models accept', async () => {
    await using hub = await open({ odd: fixture('bad-tools') })

    const { tools } = await hub.catalogue()

    expect(tools.map((tool) => tool.tool)).toEqual(
      expect.arrayContaining(['good', 'no-schema', 'same.name', 'same/name', 'größe_📏']),
    )
    expect(tools.every((tool) => /^[A-Za-z0-9_-]{1,64}$/.test(tool.modelName))).toBe(true)
    expect(new Set(tools.map((tool) => tool.modelName)).size).toBe(tools.length)
  })

  test('a tool whose schema cannot be followed can still be called', async () => {
    await using hub = await open({ odd: fixture('bad-tools') })

    for (const tool of ['dangling-ref', 'bad-pattern', 'no-schema']) {
      expect(textOf(await hub.call({ server: 'odd', tool }, {}))).toBe('called')
    }
  })

  test('include and exclude decide which tools exist', async () => {
    const entry = { ...fixture('echo'), tools: { include: ['e*', 'add'], exclude: ['erase'] } }
    await using hub = await open({ one: entry })

    const { tools } = await hub.catalogue()

    expect(tools.map((tool) => tool.tool).toSorted()).toEqual(['add', 'echo', 'embedded', 'empty', 'env', 'exit'])
    await expect(hub.call({ server: 'one', tool: 'erase' }, {})).rejects.toMatchObject({ code: 'tool_unknown' })
  })

  test('a denied tool is refused and never reaches the server', async () => {
    const file = join(await temporaryFolder(), 'calls')
    await using hub = await open({ one: { ...fixture('echo'), deny: ['cou*'] } })

    const refused = hub.call({ server: 'one', tool: 'count' }, { file })

    await expect(refused).rejects.toMatchObject({ code: 'not_allowed', server: 'one' })
    expect(existsSync(file)).toBe(false)
  })

  test('an unknown server or tool is answered with the closest names', async () => {
    await using hub = await open({ weather: fixture('echo') })

    await expect(hub.call({ server: 'wether', tool: 'echo' }, {})).rejects.toMatchObject({
      code: 'server_unknown',
      message: expect.stringContaining('weather'),
    })
    await expect(hub.call({ server: 'weather', tool: 'ecko' }, {})).rejects.toMatchObject({
      code: 'tool_unknown',
      message: expect.stringContaining('weather.echo'),
    })
  })

  test('bad arguments are refused before anything is sent, with path, expectation and value', async () => {
    await using hub = await open({ one: fixture('echo') })
    const attempt = (tool: string, args: Record<string, never>) => hub.call({ server: 'one', tool }, args)

    await expect(attempt('echo', {})).rejects.toMatchObject({
      code: 'arguments_invalid',
      message: expect.stringContaining('"message" is missing'),
    })
    await expect(attempt('add', { a: 'x' as never })).rejects.toThrow('"a" must be number, not string "x"')
    await expect(attempt('choose', { colour: 'pink' as never })).rejects.toThrow(
      '"colour" must be one of "red", "green", "blue"',
    )
    await expect(attempt('choose', { colour: 'red' as never, brigth: true as never })).rejects.toThrow(
      'did you mean "bright"',
    )
    await expect(
      attempt('order', { customer: { name: 'A', address: {} } as never, items: ['x'] as never }),
    ).rejects.toThrow('"customer.address.city" is missing')
  })

  test('a tool that reports an error gives a result, not an exception', async () => {
    await using hub = await open({ one: fixture('echo') })

    const result = await hub.call({ server: 'one', tool: 'fail' }, {})

    expect(result.isError).toBe(true)
  })

  test.each(['image', 'audio', 'embedded', 'link', 'mixed', 'structured', 'empty'])(
    'keeps the content kind of "%s" as it came',
    async (tool) => {
      await using hub = await open({ one: fixture('echo') })

      const result = await hub.call({ server: 'one', tool }, {})

      expect({
        content: result.content.map((block) => block.type),
        structured: result.structuredContent,
      }).toMatchSnapshot()
    },
  )

  test('a content kind that nobody knows is passed on', async () => {
    await using hub = await open({ odd: fixture('unknown-content') })

    const result = await hub.call({ server: 'odd', tool: 'hologram' }, {})

    expect(result.content).toEqual([
      { type: 'text', text: 'before' },
      { type: 'hologram', beams: 3 },
      { type: 'text', text: 'after' },
    ])
  })

  test('output that does not fit its schema is passed on with a warning', async () => {
    await using hub = await open({ one: fixture('echo') })

    const result = await hub.call({ server: 'one', tool: 'bad-structured' }, {})

    expect(result.structuredContent).toBeDefined()
    expect(result.warnings).toEqual([expect.stringContaining('one.bad-structured')])
  })

  test('progress that arrives together with the response is not lost', async () => {
    await using hub = await open({ burst: fixture('progress-burst') })
    const seen: Progress[] = []

    await hub.call({ server: 'burst', tool: 'burst' }, {}, { onProgress: (progress) => seen.push(progress) })

    expect(seen.map(({ progress, total }) => [progress, total])).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ])
  })

  test('progress extends the idle limit; silence does not', async () => {
    await using hub = await open({ one: fixture('echo') })
    const slow = { server: 'one', tool: 'slow' }

    const lively = await hub.call(slow, { ms: 1500, steps: 15 }, { idleSeconds: 1 })

    expect(textOf(lively)).toMatch(/\S/)
    await expect(hub.call(slow, { ms: 20_000, silent: true }, { idleSeconds: 0.3 })).rejects.toMatchObject({
      code: 'timed_out',
      server: 'one',
    })
  })

  test('the hard limit holds in spite of progress', async () => {
    await using hub = await open({ one: { ...fixture('echo'), timeout: 1, maxTimeout: 1 } })

    const endless = hub.call({ server: 'one', tool: 'slow' }, { ms: 20_000, steps: 200 })

    await expect(endless).rejects.toMatchObject({ code: 'timed_out' })
  })

  test('cancelling a call reaches the server and reads as cancelled', async () => {
    const file = join(await temporaryFolder(), 'cancels')
    await using hub = await open({ waits: fixture('asks-cancel', { args: [file] }) })
    const stop = new AbortController()
    await hub.catalogue()

    const call = hub.call({ server: 'waits', tool: 'wait' }, {}, { signal: stop.signal })
    // The server reads in order: once it has answered this, it has the call.
    await hub.catalogue({ fresh: true })
    stop.abort()

    await expect(call).rejects.toThrow()
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 10_000 })
  })

  test('a killed server is back before its next call', async () => {
    await using hub = await open({ one: fixture('echo') })
    const pid = Number(textOf(await hub.call({ server: 'one', tool: 'pid' }, {})))
    const gone = nextEvent(hub, (event) => event.kind === 'state' && event.state.kind === 'backing_off')

    process.kill(pid, 'SIGKILL')
    await gone
    const next = Number(textOf(await hub.call({ server: 'one', tool: 'pid' }, {})))

    expect(next).not.toBe(pid)
  })

  test('many first calls start one process', async () => {
    await using hub = await open({ one: fixture('echo') })

    const pids = await Promise.all(Array.from({ length: 20 }, () => hub.call({ server: 'one', tool: 'pid' }, {})))

    expect(new Set(pids.map(textOf)).size).toBe(1)
  })

  test('announces what changed when a server says that its list did', async () => {
    await using hub = await open({ grows: fixture('changes-list') })
    await hub.catalogue()
    const change = nextEvent(hub, (event) => event.kind === 'catalogue')

    await hub.call({ server: 'grows', tool: 'grow' }, {})

    expect(await change).toMatchObject({
      server: 'grows',
      difference: { kind: 'tools', added: ['extra-1'], removed: [], changed: [] },
    })
    expect((await hub.catalogue()).tools.map((tool) => tool.tool)).toContain('extra-1')
  })

  test('a failed refresh keeps the old list and says that it is stale', async () => {
    await using hub = await open({ fickle: fixture('failing-refresh') })
    await hub.catalogue()

    const catalogue = await hub.catalogue({ fresh: true })

    expect(catalogue.tools.map((tool) => tool.id)).toEqual(['fickle.touch'])
    expect(catalogue.servers).toMatchObject([{ kind: 'stale', server: 'fickle', error: { code: 'server_error' } }])
  })

  test('noise on stdout breaks nothing and stands in the log', async () => {
    await using hub = await open({ noisy: fixture('noise') })

    await hub.call({ server: 'noisy', tool: 'hello' }, {})

    const logs = await hub.logs('noisy')
    expect(logs.filter((line) => line.source === 'stdout').map((line) => line.text)).toContain(
      'Server starting on stdio…',
    )
  })

  test('a flood on stderr does not block the server, and its end is kept', async () => {
    await using hub = await open({ loud: fixture('stderr-flood') })

    await hub.call({ server: 'loud', tool: 'hello' }, {})

    const logs = await hub.logs('loud')
    expect(logs.length).toBeLessThanOrEqual(1000)
    await vi.waitFor(async () => expect((await hub.logs('loud')).map((line) => line.text)).toContain('the last line'))
  })

  test('a message of 40 MB arrives whole', async () => {
    await using hub = await open({ huge: fixture('huge-line') })

    const result = await hub.call({ server: 'huge', tool: 'huge' }, { megabytes: 40 })

    expect(textOf(result)).toHaveLength(40 * 2 ** 20)
  })

  test('a message without an end is cut off at the limit with a reason, and the server is usable again', async () => {
    await using hub = await open({ endless: fixture('endless-line') }, { maxLineBytes: 8 * 2 ** 20 })

    const call = hub.call({ server: 'endless', tool: 'endless' }, {})

    await expect(call).rejects.toMatchObject({ code: 'limit_exceeded', message: expect.stringContaining('8 MiB') })
    await expect(hub.call({ server: 'endless', tool: 'hello' }, {})).resolves.toBeDefined()
  })

  test.each([
    'no-version',
    'wrong-id',
    'no-id',
    'neither',
    'string-result',
    'batch',
    'cut-off',
    'string-error',
    'result-and-error',
  ])('a broken answer (%s) fails that call in time and no other', async (tool) => {
    await using hub = await open({ broken: fixture('malformed') })

    const call = hub.call({ server: 'broken', tool }, {}, { idleSeconds: 0.3 })

    await expect(call).rejects.toMatchObject({ name: 'CapstanError' })
    await expect(hub.call({ server: 'broken', tool: 'hello' }, {})).resolves.toBeDefined()
  })

  test('a result without content is an empty result', async () => {
    await using hub = await open({ broken: fixture('malformed') })

    const result = await hub.call({ server: 'broken', tool: 'no-content' }, {})

    expect(result.content).toEqual([])
  })

  test('renders prompts, after checking their arguments', async () => {
    await using hub = await open({ one: fixture('echo') })
    const greet = { server: 'one', prompt: 'greet' }

    const result = await hub.prompt(greet, { who: 'Ada Lovelace' })

    expect(JSON.stringify(result.messages)).toContain('Ada Lovelace')
    await expect(hub.prompt(greet, {})).rejects.toMatchObject({
      code: 'arguments_invalid',
      message: expect.stringContaining('"who" is missing'),
    })
    await expect(hub.prompt(greet, { who: 'x', citty: 'y' })).rejects.toThrow('Closest: city')
    await expect(hub.prompt({ server: 'one', prompt: 'gret' }, {})).rejects.toMatchObject({
      code: 'prompt_unknown',
      message: expect.stringContaining('one:greet'),
    })
  })

  test('completes the arguments of a prompt', async () => {
    await using hub = await open({ one: fixture('echo') })

    const completion = await hub.complete({ server: 'one', prompt: 'greet' }, { name: 'who', value: 'a' })

    expect(completion.values.length).toBeGreaterThan(0)
    expect(completion.values.every((value) => value.startsWith('a'))).toBe(true)
  })

  test('reads resources, and says when there is none', async () => {
    await using hub = await open({ one: fixture('echo') })

    const contents = await hub.read({ server: 'one', uri: 'note://one' })

    expect(contents.contents[0]).toMatchObject({ uri: 'note://one', text: expect.any(String) })
    await expect(hub.read({ server: 'one', uri: 'note://nowhere' })).rejects.toMatchObject({ code: 'resource_unknown' })
  })

  test('a disabled server is left out of the catalogue and refuses calls; enabling it brings it in', async () => {
    await using hub = await open({ off: { ...fixture('echo'), disabled: true } })

    expect((await hub.catalogue()).tools).toEqual([])
    await expect(hub.call({ server: 'off', tool: 'echo' }, { message: 'x' })).rejects.toMatchObject({
      code: 'server_disabled',
    })
    await hub.control('off', 'enable')

    expect(textOf(await hub.call({ server: 'off', tool: 'echo' }, { message: 'x' }))).toBe('x')
  })

  test('restart gives a new process, disable stops it', async () => {
    await using hub = await open({ one: fixture('echo') })
    const pidOf = async () => Number(textOf(await hub.call({ server: 'one', tool: 'pid' }, {})))
    const first = await pidOf()

    await hub.control('one', 'restart')
    const second = await pidOf()
    await hub.control('one', 'disable')

    expect(second).not.toBe(first)
    expect(isAlive(first)).toBe(false)
    expect(isAlive(second)).toBe(false)
  })

  test('an invalid entry fails alone and says why', async () => {
    await using hub = await open({ broken: { args: ['x'] }, good: fixture('echo') })

    const catalogue = await hub.catalogue()

    expect(catalogue.servers).toMatchObject([
      { kind: 'missing', server: 'broken', error: { code: 'config_missing_field' } },
      { kind: 'listed' },
    ])
  })

  test('a missing variable fails that one server, naming variable and server', async () => {
    await using hub = await open({
      needy: { ...fixture('echo'), env: { TOKEN: '${NO_SUCH_VARIABLE}' } },
      good: fixture('echo'),
    })

    const catalogue = await hub.catalogue({ kinds: ['tools'] })

    expect(catalogue.servers[1]).toMatchObject({
      kind: 'missing',
      server: 'needy',
      error: { message: expect.stringMatching(/needy.*NO_SUCH_VARIABLE|NO_SUCH_VARIABLE.*needy/s) },
    })
  })

  test('gives a child the short default environment and its own env, nothing else', async () => {
    await using hub = await open(
      { one: { ...fixture('echo'), env: { MINE: 'yes' } } },
      { env: { SECRET_OF_THE_CALLER: 'no', LOGNAME: 'ada' } },
    )

    const env = JSON.parse(textOf(await hub.call({ server: 'one', tool: 'env' }, {}))) as Record<string, string>

    expect(env).toMatchObject({ MINE: 'yes', LOGNAME: 'ada', HOME: hub.home })
    expect(env).not.toHaveProperty('SECRET_OF_THE_CALLER')
  })

  test('reports every call with its outcome', async () => {
    await using hub = await open({ one: fixture('echo') })
    const seen: HubEvent[] = []
    using _listening = hub.on((event) => event.kind === 'call' && seen.push(event))

    await hub.call({ server: 'one', tool: 'echo' }, { message: 'x' })
    await hub.call({ server: 'one', tool: 'fail' }, {})
    await hub.call({ server: 'one', tool: 'echo' }, {}).catch(() => undefined)

    await vi.waitFor(() =>
      expect(seen).toMatchObject([{ outcome: 'ok' }, { outcome: 'tool_error' }, { outcome: 'arguments_invalid' }]),
    )
  })

  test('runs a snippet over its tools and tells what it does, and refuses where there is no sandbox', async () => {
    await using sandbox = createSandbox({ spareMs: 0 })
    await using hub = await open({ one: fixture('echo') }, { sandbox: async () => sandbox })
    await using bare = await open({})
    const seen: ExecEvent[] = []

    const outcome = await hub.exec('console.log("on it"); return tools.one.add({ a: 40, b: 2 })', {
      onEvent: (event) => seen.push(event),
    })

    expect(outcome).toMatchObject({ kind: 'returned', value: 42, trace: [{ outcome: 'ok' }] })
    await vi.waitFor(() => expect(new Set(seen.map((event) => event.kind))).toEqual(new Set(['log', 'call'])))
    await expect(bare.exec('1')).rejects.toMatchObject({ code: 'usage' })
  })

  test('finds tools by what they do', async () => {
    await using hub = await open({ one: fixture('echo') })

    const [best] = await hub.search('adds two numbers')

    expect(best).toMatchObject({ tool: { id: 'one.add' }, terms: expect.arrayContaining(['numbers']) })
  })

  test('a signal that is already aborted starts nothing', async () => {
    await using hub = await open({ one: fixture('echo') })

    const call = hub.call({ server: 'one', tool: 'echo' }, { message: 'x' }, { signal: AbortSignal.abort() })

    await expect(call).rejects.toThrow()
    expect((await hub.servers())[0]?.state.kind).toBe('idle')
  })
})

function nextEvent(
  hub: { on: (listener: (event: HubEvent) => void) => Disposable },
  isWanted: (event: HubEvent) => boolean,
): Promise<HubEvent> {
  return new Promise((resolve) => {
    const listening = hub.on((event) => {
      if (!isWanted(event)) return
      listening[Symbol.dispose]()
      resolve(event)
    })
  })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
