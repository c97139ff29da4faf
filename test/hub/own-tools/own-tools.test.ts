import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { recordDecisions, trustFile } from '../../../src/config/trust.ts'
import { dialHub } from '../../../src/daemon/dial.ts'
import { serveHub } from '../../../src/daemon/serve.ts'
import type { HubEvent, JsonObject } from '../../../src/hub/api.ts'
import type { OpenHubOptions } from '../../../src/hub/hub.ts'
import { createSandbox } from '../../../src/sandbox/sandbox.ts'
import { startsIn, traced } from '../../e2e/traced-server.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { temporaryFolder, textOf } from '../makers.ts'
import { idsOf, leftOutOf, my, ownToolsPlace, type Place } from '../own-tools-place.ts'

const sandbox = createSandbox()
afterAll(() => sandbox[Symbol.asyncDispose]())
const patience = { timeout: 10_000 }
const place = (files: Readonly<Record<string, string>>, servers?: JsonObject) => ownToolsPlace(sandbox, files, servers)

const twice = `
  export const title = 'Twice'
  export const description = 'Says a thing twice.'
  export const input = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] }
  export const annotations = { readOnlyHint: true }
  interface Args { readonly message: string }
  export default async ({ message }: Args) => {
    console.log('twice', message)
    const said = await Promise.all([1, 2].map(() => tools.one.echo({ message })))
    return { said }
  }
`

describe('an own tool', () => {
  test('is listed with what it exports, checked, and run over the tools of the hub', async () => {
    await using at = await place({ 'twice.ts': twice })
    const hub = await at.open()

    const { tools } = await hub.catalogue({ servers: ['my'] })
    const result = await hub.call(my('twice'), { message: 'hi' })
    const wrong = hub.call(my('twice'), { message: 5 })

    expect(tools).toMatchObject([
      { id: 'my.twice', modelName: 'my__twice', title: 'Twice', annotations: { readOnlyHint: true } },
    ])
    expect(result).toEqual({
      content: [{ type: 'text', text: '{"said":["hi","hi"]}' }],
      structuredContent: { said: ['hi', 'hi'] },
    })
    await expect(wrong).rejects.toMatchObject({ code: 'arguments_invalid' })
    expect((await hub.logs('my')).map(({ text }) => text)).toContain('twice: twice hi')
  })

  test('is the same through a dialled hub, to a search, and to a snippet', async () => {
    await using at = await place({ 'twice.ts': twice })
    const opened = await at.open()
    const socket = join(at.home, 'hub.sock')
    await using _served = await serveHub(opened, socket)
    await using hub = await dialHub(socket)

    const [hit] = await hub.search('say twice', { servers: ['my'] })
    const outcome = await hub.exec('tools.my.twice({ message: "x" })')

    expect(hit?.tool.id).toBe('my.twice')
    expect(outcome).toMatchObject({ kind: 'returned', value: { said: ['x', 'x'] } })
  })

  test.each<[string, string, JsonObject]>([
    ['a text is a text', '"plain"', { content: [{ type: 'text', text: 'plain' }] }],
    ['a list is JSON', '[1, 2]', { content: [{ type: 'text', text: '[1,2]' }] }],
    ['nothing is null', 'undefined', { content: [{ type: 'text', text: 'null' }] }],
    [
      'what another tool gave whole is passed on',
      'tools.one.echo.raw({ message: "hi" })',
      { content: [{ type: 'text', text: 'hi' }] },
    ],
  ])('returns a result: %s', async (_claim, expression, expected) => {
    await using at = await place({ 'a.js': `export default () => ${expression}` })

    expect(await (await at.open()).call(my('a'), {})).toEqual(expected)
  })

  test('that throws reports an error with the place in its file', async () => {
    await using at = await place({
      'a.ts': 'const b: string = "x"\nexport default () => {\n  throw new RangeError(b)\n}',
    })

    const result = await (await at.open()).call(my('a'), {})

    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).toMatch(/^a\.ts:3:\d+: RangeError: x$/)
  })

  test('that takes too long is ended, after the time that the caller allows', async () => {
    await using at = await place({ 'a.js': 'export default () => { for (;;) {} }' })

    const call = (await at.open()).call(my('a'), {}, { idleSeconds: 0.3 })

    await expect(call).rejects.toMatchObject({ code: 'limit_exceeded', message: expect.stringContaining('0.3 s') })
  })

  test('can be cancelled', async () => {
    await using at = await place({ 'a.js': 'export default () => new Promise((done) => setTimeout(done, 20000))' })
    const hub = await at.open()
    await hub.catalogue()
    const stop = new AbortController()

    const call = hub.call(my('a'), {}, { signal: stop.signal })
    setImmediate(() => stop.abort())

    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
  })

  test('calls only what its export "allow" names, and no other server is started for it', async () => {
    const home = await temporaryFolder()
    const trace = join(home, 'trace')
    await using at = await place(
      {
        'a.js':
          'export const allow = ["one.echo"]\nexport default () => Object.keys(tools).concat(Object.keys(tools.one))',
      },
      { one: fixture('echo'), other: traced(trace) },
    )

    const result = await (await at.open()).call(my('a'), {})

    expect([textOf(result), startsIn(trace)]).toEqual(['["one","echo"]', 0])
    await rm(home, { recursive: true })
  })

  test('cannot call what the config denies', async () => {
    const servers = { one: { ...fixture('echo'), deny: ['erase'] } }
    await using at = await place({ 'a.js': 'export default () => tools.one.erase({})' }, servers)

    const result = await (await at.open()).call(my('a'), {})

    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('erase')
  })

  test('cannot call what the snippet around it may not call', async () => {
    await using at = await place({ 'a.js': 'export default () => tools.one.echo({ message: "x" })' })
    const hub = await at.open()

    const denied = await hub.exec('tools.my.a()', { deny: ['one.echo'] })
    const free = await hub.exec('tools.my.a()')

    expect([denied.kind, free.kind]).toEqual(['threw', 'returned'])
  })

  test('cannot call itself for ever', async () => {
    await using at = await place({ 'a.js': 'export default ({ n = 1 }) => tools.my.a({ n: n + 1 })' })

    const result = await (await at.open()).call(my('a'), {})

    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('5 deep')
  })

  test('may call another, also where more run at once than there are places', async () => {
    const outer = 'export default async ({ n }) => (await tools.my.inner({ n })) + 1'
    await using at = await place({ 'outer.js': outer, 'inner.js': 'export default ({ n }) => n * 2' }, {})
    const hub = await at.open()

    const results = await Promise.all(Array.from({ length: 6 }, (_, n) => hub.call(my('outer'), { n })))

    expect(results.map(textOf)).toEqual(Array.from({ length: 6 }, (_, n) => String(n * 2 + 1)))
  }, 20_000)

  test('reaches nothing of the host, neither when it is read nor when it runs', async () => {
    const look = '[typeof process, typeof require, typeof fetch, typeof globalThis.Buffer].join()'
    await using at = await place({ 'a.js': `export const description = ${look}\nexport default () => ${look}` })
    const hub = await at.open()

    const { tools } = await hub.catalogue({ servers: ['my'] })

    const nothing = 'undefined,undefined,undefined,undefined'
    expect([tools[0]?.description, textOf(await hub.call(my('a'), {}))]).toEqual([nothing, nothing])
  })

  test('in a hub without a sandbox is missing, with the reason', async () => {
    await using at = await place({ 'twice.ts': twice })

    const { servers } = await (await at.open({})).catalogue()

    expect(servers).toMatchObject([
      { server: 'my', kind: 'missing', error: { message: expect.stringContaining('sandbox') } },
      { server: 'one' },
    ])
  })
})

describe('a file that is no tool', () => {
  test.each([
    ['does not parse', 'export const = 1', /a\.ts:1:\d+: SyntaxError/],
    ['throws', 'throw new Error("no")', /a\.ts:1:\d+: Error: no/],
    ['imports', 'import fs from "node:fs"', /a\.ts:1: ReferenceError.*imported/],
    ['waits for nothing', 'await new Promise(() => {})', /never comes/],
    ['calls a tool while it is read', 'await tools.one.echo({})', /only its function can/],
    ['has no function', 'export const description = "x"', /no default export/],
    [
      'has a description that is none',
      'export const description = 5; export default () => 1',
      /"description" is no text/,
    ],
    ['has a schema of something else', 'export const input = { type: "string" }; export default () => 1', /"input"/],
    [
      'has a schema that is none',
      'export const input = { properties: { a: { type: "text" } } }; export default () => 1',
      /\/properties\/a\/type/,
    ],
    [
      'exports far too much',
      'export const description = "x".repeat(200000); export default () => 1',
      /larger than 128 KB/,
    ],
    ['fills the memory', 'const a = []; for (;;) a.push("x".repeat(10000) + a.length)', /memory/],
  ])(
    'because it %s is left out and told of, and the others work',
    async (_what, code, said) => {
      await using at = await place({ 'a.ts': code, 'good.js': 'export default () => "fine"' })
      const hub = await at.open()

      expect(await idsOf(hub)).toEqual(['my.good'])
      expect(textOf(await hub.call(my('good'), {}))).toBe('fine')
      expect(await leftOutOf(hub)).toMatchObject([
        { tool: 'a', reason: 'broken', error: { message: expect.stringMatching(said) } },
      ])
      expect((await hub.logs('my')).map(({ text }) => text).join('\n')).toMatch(said)
      await expect(hub.call(my('a'), {})).rejects.toMatchObject({ code: 'config_invalid' })
    },
    15_000,
  )

  test('is not run a second time to know it, by a hub that comes later', async () => {
    await using at = await place({ 'a.ts': 'export const = 1', 'good.js': 'export default () => "fine"' })
    await idsOf(await at.open())
    await (await at.open())[Symbol.asyncDispose]()
    const never: OpenHubOptions = { sandbox: () => Promise.reject(new Error('not needed')) }
    await vi.waitFor(async () => {
      expect(await idsOf(await at.open(never))).toEqual(['my.good'])
    }, patience)
  })
})

describe('a tool of the project', () => {
  const files = {
    'project/theirs.js': 'export default () => tools.one.echo({ message: "ran" })',
    'mine.js': 'export default () => 1',
  }

  async function approve({ home }: Place, code: string): Promise<void> {
    const projectFile = join(home, 'p/.capstan/tools')
    await recordDecisions(trustFile({ HOME: home }), [
      { projectFile, name: 'theirs.js', entry: { code }, decision: 'trusted' },
    ])
  }

  test('does not run before it is approved, through any door, and each says what to do', async () => {
    const home = await temporaryFolder()
    const trace = join(home, 'trace')
    await using at = await place(files, { one: traced(trace) })
    const hub = await at.open()

    const call = hub.call(my('theirs'), {})
    await expect(call).rejects.toMatchObject({ code: 'not_trusted', next: 'Run: capstan review' })
    expect(await idsOf(hub)).toEqual(['my.mine'])
    expect(await leftOutOf(hub)).toMatchObject([{ tool: 'theirs', reason: 'new', error: { code: 'not_trusted' } }])
    expect(startsIn(trace)).toBe(0)
    const outcome = await hub.exec('tools.my.theirs().catch((e) => e.code)')
    expect(outcome).toMatchObject({ value: 'not_trusted' })
    await rm(home, { recursive: true })
  })

  test('that is all there is makes the server say so', async () => {
    await using at = await place({ 'project/theirs.js': files['project/theirs.js'] })

    const { servers } = await (await at.open()).catalogue({ servers: ['my'] })

    expect(servers).toMatchObject([{ kind: 'missing', error: { code: 'not_trusted', next: 'Run: capstan review' } }])
  })

  test('runs once it is approved, without the hub being opened again, and not after a change', async () => {
    await using at = await place(files)
    const hub = await at.open()
    await idsOf(hub)

    await approve(at, files['project/theirs.js'])
    const approved = await hub.call(my('theirs'), {})
    await at.write({ 'project/theirs.js': 'export default () => "changed"' })
    const changed = hub.call(my('theirs'), {})

    expect(textOf(approved)).toBe('ran')
    await expect(changed).rejects.toMatchObject({
      code: 'not_trusted',
      message: expect.stringContaining('has changed'),
    })
  })
})

test('a hub that stays open notices new, changed and removed files', async () => {
  await using at = await place({ 'a.js': 'export default () => "old"' })
  const hub = await at.open()
  const differences: HubEvent[] = []
  using _listening = hub.on((event) => event.kind === 'catalogue' && differences.push(event))
  expect(await idsOf(hub)).toEqual(['my.a'])

  await at.write({ 'a.js': 'export default () => "new"', 'b.js': 'export default () => 1' })
  expect(textOf(await hub.call(my('a'), {}))).toBe('new')
  await vi.waitFor(() => expect(differences).toMatchObject([{ difference: { added: ['b'] } }]), patience)
  await rm(join(at.home, '.config/capstan/tools/b.js'))

  await vi.waitFor(() => expect(differences[1]).toMatchObject({ difference: { removed: ['b'] } }), patience)
})
