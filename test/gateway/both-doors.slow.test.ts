import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client'
import { describe, expect, test, vi } from 'vitest'
import type { GatewayOptions } from '../../src/gateway/gateway.ts'
import { fixture } from '../fixtures/fixture.ts'
import { textOf, type Servers } from '../hub/makers.ts'
import {
  connect,
  connectHttp,
  eras,
  everyone,
  openBench,
  openHttpBench,
  type Bench,
  type Connected,
  type ConnectWishes,
  type EraName,
} from './doors.ts'

interface Door extends Bench {
  readonly enter: (era: EraName, wishes?: ConnectWishes) => Promise<Connected>
}

const doors: readonly (readonly [string, (servers: Servers, options?: Partial<GatewayOptions>) => Promise<Door>])[] = [
  [
    'stdio',
    async (servers, options) => {
      const bench = await openBench(servers, options)
      return { ...bench, enter: (era, wishes) => connect(bench.gateway, era, wishes) }
    },
  ],
  [
    'HTTP',
    async (servers, options) => {
      let caller = everyone
      const bench = await openHttpBench(servers, { ...options, http: { identify: () => caller } })
      return {
        ...bench,
        enter: (era, wishes) => {
          caller = wishes?.caller ?? everyone
          return connectHttp(bench.url, era, wishes)
        },
      }
    },
  ],
]

describe.each(doors)('over %s', (_name, openDoor) => {
  describe.each(eras)('a %s client', (era) => {
    test('sees the tools of all servers under their own names, in a fixed order, and calls them', async () => {
      await using door = await openDoor({ one: fixture('echo'), two: fixture('modern') })
      await using entered = await door.enter(era)

      const { tools } = await entered.client.listTools()
      const result = await entered.client.callTool({ name: 'two__echo', arguments: { message: 'hello' } })

      const names = tools.map((tool) => tool.name)
      expect(names).toEqual(names.toSorted())
      expect(names).toContain('one__echo')
      expect(result).toMatchObject({
        content: [{ type: 'text', text: 'hello' }],
        structuredContent: { message: 'hello' },
      })
    })

    test.each(['legacy', 'modern'])('answers a form of a %s server', async (server) => {
      await using door = await openDoor({ one: fixture('asks', { args: server === 'legacy' ? ['legacy'] : [] }) })
      await using entered = await door.enter(era, answering({ drink: 'tea' }))

      const result = await entered.client.callTool({ name: 'one__order', arguments: {} })

      expect(textOf(result)).toBe('2 tea, kept "as is"')
    })

    test.each(['legacy', 'modern'])('opens a page for a %s server, and lends it a model', async (server) => {
      const args = server === 'legacy' ? ['legacy'] : []
      await using door = await openDoor({ one: { ...fixture('asks', { args }), sampling: true } })
      await using entered = await door.enter(era, {
        options: { capabilities: { elicitation: { url: {} }, sampling: {} } },
        prepare(client) {
          client.setRequestHandler('elicitation/create', async () => ({ action: 'accept' }))
          client.setRequestHandler('sampling/createMessage', async () => ({
            role: 'assistant',
            model: 'none',
            content: { type: 'text', text: 'Because.' },
          }))
        },
      })

      const url = 'https://example.org/confirm'
      const visit = await entered.client.callTool({ name: 'one__visit', arguments: { url } })
      const thought = await entered.client.callTool({ name: 'one__think', arguments: {} })

      expect(textOf(visit)).toBe('accept')
      expect(textOf(thought)).toContain('Because.')
    })

    test.each(['legacy', 'modern'])('tells its folders to a %s server that may know them', async (server) => {
      const args = server === 'legacy' ? ['legacy'] : []
      await using door = await openDoor({ one: { ...fixture('asks', { args }), roots: true } })
      const root = { uri: 'file:///home/anna/project', name: 'project' }
      await using entered = await door.enter(era, {
        options: { capabilities: { roots: {} } },
        prepare: (client) => client.setRequestHandler('roots/list', async () => ({ roots: [root] })),
      })
      await using silent = await door.enter(era)

      const told = await entered.client.callTool({ name: 'one__where', arguments: {} })
      const untold = await silent.client.callTool({ name: 'one__where', arguments: {} })

      expect(JSON.parse(textOf(told))).toEqual({ roots: [root] })
      expect(textOf(untold)).toContain(door.hub.home)
    })

    test('is not asked for what it has not declared', async () => {
      await using door = await openDoor({ one: fixture('asks', { args: ['legacy'] }) })
      await using entered = await door.enter(era, {
        options: { capabilities: { elicitation: { url: {} } } },
        prepare: (client) =>
          client.setRequestHandler('elicitation/create', () => Promise.reject(new Error('must not be asked'))),
      })

      const result = await entered.client.callTool({ name: 'one__order', arguments: {} })

      expect(textOf(result)).toBe('decline')
    })

    test('hears of progress while the server works, and after it has asked', async () => {
      await using door = await openDoor({ one: fixture('echo'), two: fixture('asks', { args: ['legacy'] }) })
      await using entered = await door.enter(era, answering({ drink: 'tea' }))
      const progress: number[] = []
      const onprogress = (step: { progress: number }) => void progress.push(step.progress)

      await entered.client.callTool({ name: 'one__slow', arguments: { ms: 60, steps: 3 } }, { onprogress })
      const made = await entered.client.callTool({ name: 'two__steps', arguments: {} }, { onprogress })

      expect(progress.slice(0, 3)).toEqual([1, 2, 3])
      expect(textOf(made)).toBe('made tea')
    })

    test('cancels a call all the way to the server', async () => {
      await using door = await openDoor({ one: fixture('echo') })
      await using entered = await door.enter(era)
      const giveUp = new AbortController()
      const outcomes: string[] = []
      using _calls = door.hub.on((event) => event.kind === 'call' && outcomes.push(event.outcome))

      const call = entered.client.callTool(
        { name: 'one__slow', arguments: { ms: 20_000, steps: 1000 } },
        { signal: giveUp.signal, onprogress: () => giveUp.abort() },
      )

      await expect(call).rejects.toThrow()
      await vi.waitFor(() => expect(outcomes).toEqual(['cancelled']))
    })

    test('renders prompts, completes their arguments, and reads resources', async () => {
      await using door = await openDoor({ one: fixture('echo'), two: fixture('modern') })
      await using entered = await door.enter(era)
      const { client } = entered

      const { prompts } = await client.listPrompts()
      const greeting = await client.getPrompt({ name: 'one__greet', arguments: { who: 'bob', city: 'Berlin' } })
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'one__greet' },
        argument: { name: 'city', value: 'B' },
        context: { arguments: { who: 'bob' } },
      })
      const { resources } = await client.listResources()
      const note = await client.readResource({ uri: 'note://one' })
      const person = await client.readResource({ uri: 'person://bob' })
      const { resourceTemplates } = await client.listResourceTemplates()
      const people = await client.complete({
        ref: { type: 'ref/resource', uri: 'person://{name}' },
        argument: { name: 'name', value: 'al' },
      })

      expect(prompts.map(({ name }) => name)).toEqual(['one__greet', 'one__plain', 'one__talk', 'two__greet'])
      expect(greeting.messages[0]?.content).toMatchObject({ text: 'Say hello to bob in Berlin.' })
      expect(completion.values).toEqual(['Berlin'])
      expect(resources.map(({ uri }) => uri)).toEqual(['data://bytes', 'note://one', 'config://app'])
      expect(note.contents[0]).toMatchObject({ text: '# One\n' })
      expect(person.contents[0]).toMatchObject({ text: 'This is bob.' })
      // Both servers have it, and a URI is all that a client can name: the first one answers.
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['person://{name}'])
      expect(people.completion.values).toEqual(['alice', 'albert'])
    })

    test('is told once when lists have changed, and finds what is new', async () => {
      await using door = await openDoor({ one: fixture('changes-list'), two: fixture('modern') })
      const told = vi.fn<() => void>()
      const listChanged = { tools: { onChanged: told, autoRefresh: false, debounceMs: 0 } }
      await using entered = await door.enter(era, { options: { listChanged } })
      await entered.client.listTools()

      await entered.client.callTool({ name: 'one__grow', arguments: {} })
      await entered.client.callTool({ name: 'two__grow', arguments: {} })
      await vi.waitFor(() => expect(told).toHaveBeenCalled())

      const find = async () => (await entered.client.listTools()).tools.map(({ name }) => name)
      await vi.waitFor(async () =>
        expect(await find()).toEqual(expect.arrayContaining(['one__extra-1', 'two__extra-1'])),
      )
      expect(told.mock.calls.length).toBeLessThanOrEqual(2)
    })

    test.each(['legacy', 'modern'])('follows a resource of a %s server', async (server) => {
      const args = server === 'legacy' ? ['legacy'] : []
      await using door = await openDoor({ one: fixture('changes-resource', { args }), two: fixture('echo') })
      await using entered = await door.enter(era)
      const { client } = entered
      const heard = vi.fn<(uri: string) => void>()
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => heard(params.uri))
      const followed = vi.spyOn(door.hub, 'subscribe')
      const uri = 'note://live'

      const stream = era === 'modern' ? await client.listen({ resourceSubscriptions: [uri] }) : undefined
      if (era === 'legacy') await client.subscribeResource({ uri })
      await vi.waitFor(() => expect(followed).toHaveBeenCalled())
      await followed.mock.results[0]?.value
      await client.callTool({ name: 'one__touch', arguments: {} })

      await vi.waitFor(() => expect(heard).toHaveBeenCalledWith(uri))
      if (era === 'legacy') await client.unsubscribeResource({ uri })
      await stream?.close()
    })

    test.each(['legacy', 'modern'])('has its trace, and nothing else, handed on to a %s server', async (server) => {
      await using door = await openDoor({ one: fixture('tells', { args: server === 'legacy' ? ['legacy'] : [] }) })
      await using entered = await door.enter(era)
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

      const _meta = { traceparent, tracestate: 'a=1', baggage: 'secret=1', 'x.example/own': 1 }
      const result = await entered.client.callTool({ name: 'one__meta', arguments: {}, _meta })

      expect(JSON.parse(textOf(result))).toMatchObject({ traceparent, tracestate: 'a=1' })
      expect(textOf(result)).not.toMatch(/secret|x\.example/)
    })

    test.each(['legacy', 'modern'])('hears what a %s server logs while it works', async (server) => {
      await using door = await openDoor({ one: fixture('tells', { args: server === 'legacy' ? ['legacy'] : [] }) })
      await using entered = await door.enter(era)
      const heard = vi.fn<(line: unknown) => void>()
      entered.client.setNotificationHandler('notifications/message', ({ params }) => heard(params))
      if (era === 'legacy') await entered.client.setLoggingLevel('info')
      const _meta = era === 'modern' ? { [LOG_LEVEL_META_KEY]: 'info' } : {}

      await entered.client.callTool({ name: 'one__log', arguments: {}, _meta })

      const line = { level: 'warning', logger: 'one', data: 'It gets late.' }
      await vi.waitFor(() => expect(heard).toHaveBeenCalledWith(expect.objectContaining(line)))
    })

    test.each(['legacy', 'modern'])('hears nothing of a %s server below the level that it wants', async (server) => {
      await using door = await openDoor({ one: fixture('tells', { args: server === 'legacy' ? ['legacy'] : [] }) })
      await using entered = await door.enter(era)
      const heard = vi.fn<(line: unknown) => void>()
      entered.client.setNotificationHandler('notifications/message', ({ params }) => heard(params))
      if (era === 'legacy') await entered.client.setLoggingLevel('error')
      const _meta = era === 'modern' ? { [LOG_LEVEL_META_KEY]: 'error' } : {}

      await entered.client.callTool({ name: 'one__log', arguments: {}, _meta })
      await entered.client.listTools()

      expect(heard).not.toHaveBeenCalled()
    })

    test('is told the address of a resource that is not there', async () => {
      await using door = await openDoor({ one: fixture('echo') })
      await using entered = await door.enter(era)

      const read = entered.client.readResource({ uri: 'nowhere://at/all' })

      await expect(read).rejects.toMatchObject({ code: -32602, data: { uri: 'nowhere://at/all' } })
    })

    test('gets what a tool reports as an error, and what is wrong with its own arguments, as results', async () => {
      await using door = await openDoor({ one: fixture('echo') })
      await using entered = await door.enter(era)

      const failed = await entered.client.callTool({ name: 'one__fail', arguments: { reason: 'rain' } })
      const wrong = await entered.client.callTool({ name: 'one__echo', arguments: {} })
      const unknown = entered.client.callTool({ name: 'one__ehco', arguments: {} })

      expect(failed).toMatchObject({ isError: true, content: [{ text: 'Failed: rain' }] })
      expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('message') }] })
      await expect(unknown).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('one__echo') })
    })

    test('gets every kind of content, and nothing that a server says of itself', async () => {
      await using door = await openDoor({
        one: fixture('echo'),
        two: fixture('unknown-content'),
        three: fixture('modern'),
      })
      await using entered = await door.enter(era)
      const call = (name: string, args = {}) => entered.client.callTool({ name, arguments: args })

      const mixed = await call('one__mixed')
      const { tools } = await entered.client.listTools()
      const odd = await call(tools.find(({ name }) => name.startsWith('two__'))?.name ?? '')
      const said = await call('three__echo', { message: 'x' })

      expect(mixed.content.map(({ type }) => type)).toEqual(['text', 'image', 'text'])
      expect(odd.content.every(({ type }) => type === 'text')).toBe(true)
      expect(JSON.stringify(said._meta ?? {})).not.toContain('"modern"')
    })

    test('reads in the instructions, and in the error of its tools, what a server waits for', async () => {
      await using door = await openDoor({ good: fixture('echo'), gone: fixture('exits-at-start') })
      await using entered = await door.enter(era)

      const call = entered.client.callTool({ name: 'gone__anything', arguments: {} })

      await expect(call).resolves.toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/"gone".*capstan doctor gone/s) }],
      })
      expect(entered.client.getInstructions()).toContain('good')
    })
  })
})

function answering(content: Record<string, string>): ConnectWishes {
  return {
    options: { capabilities: { elicitation: { form: {} } } },
    prepare: (client) => client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content })),
  }
}
