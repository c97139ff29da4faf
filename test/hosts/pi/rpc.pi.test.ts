import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startsIn, traced } from '../../e2e/traced-server.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { calling, piWorld, type Rpc, type RpcMessage } from './pi-world.ts'

const servers = (mcpServers: object) => ({ '~/.pi/agent/mcp.json': { mcpServers } })
const echo = calling('mcp_invoke', { tool: 'demo.echo', arguments: { message: 'hello' } })

function prompt(rpc: Rpc, message: string): void {
  rpc.send({ id: message, type: 'prompt', message })
}

function asked(rpc: Rpc, method: string, title: RegExp): Promise<RpcMessage> {
  return rpc.next({ type: 'extension_ui_request', method, title })
}

function reply(rpc: Rpc, { id }: RpcMessage, value: string): void {
  rpc.send({ type: 'extension_ui_response', id, value })
}

test('a person is asked before a tool runs, and a yes for the session holds for the session', async () => {
  await using world = await piWorld([...echo, ...echo])
  await world.write(servers({ demo: fixture('modern') }))
  await using rpc = world.rpc()

  prompt(rpc, 'first')
  const question = await asked(rpc, 'select', /May the model call demo\.echo\?/)
  reply(rpc, question, 'Yes, for this session')
  await world.model.received(2)
  await rpc.next({ type: 'agent_end' })
  await settled(rpc)
  prompt(rpc, 'second')
  await world.model.received(4)

  expect(question['title']).toContain('"message": "hello"')
  expect(question['options']).toContain('Yes, always: every tool of demo in this project')
  expect(world.lastMessage(1)).toMatchObject({ content: 'hello' })
  expect(world.lastMessage(3)).toMatchObject({ content: 'hello' })
  expect(rpc.seen.filter(({ method }) => method === 'select')).toHaveLength(1)
})

test('a yes for always holds in the next pi', async () => {
  await using world = await piWorld([...echo, ...echo])
  await world.write(servers({ demo: fixture('modern') }))
  await using rpc = world.rpc()

  prompt(rpc, 'first')
  reply(rpc, await asked(rpc, 'select', /demo\.echo/), 'Yes, always: demo.echo in this project')
  await world.model.received(2)
  await world.pi(['--no-session', '-p', 'second'])

  expect(world.lastMessage(3)).toMatchObject({ content: 'hello' })
})

test('a no reaches the model with its reason, and nothing runs', async () => {
  await using world = await piWorld(echo)
  const trace = join(world.home, 'trace')
  await world.write(servers({ demo: traced(trace) }))
  await using rpc = world.rpc()

  prompt(rpc, 'go')
  reply(rpc, await asked(rpc, 'select', /demo\.echo/), 'No')
  reply(rpc, await asked(rpc, 'input', /Tell the model why/), 'Too loud.')
  await world.model.received(2)

  expect(world.lastMessage(1).content).toBe('The user does not want this call. They say: Too loud.')
})

test('calls that are made together are asked about one after the other', async () => {
  const call = (id: string) => ({
    id,
    name: 'mcp_invoke',
    json: JSON.stringify({ tool: 'demo.echo', arguments: { message: id } }),
  })
  await using world = await piWorld([{ calls: [call('one'), call('two')] }, { text: 'Both.' }])
  await world.write(servers({ demo: fixture('modern') }))
  await using rpc = world.rpc()

  prompt(rpc, 'go')
  const first = await asked(rpc, 'select', /"one"|"two"/)
  const open = rpc.seen.filter(({ method }) => method === 'select').length
  reply(rpc, first, 'Yes, for this session')
  await world.model.received(2)

  expect(open).toBe(1)
  expect(rpc.seen.filter(({ method }) => method === 'select')).toHaveLength(1)
})

test('code is shown before it runs', async () => {
  await using world = await piWorld(calling('mcp_exec', { code: 'return 6 * 7' }))
  await world.write(servers({ demo: fixture('modern') }))
  await using rpc = world.rpc()

  prompt(rpc, 'go')
  reply(rpc, await asked(rpc, 'select', /return 6 \* 7/), 'Yes, this once')
  await world.model.received(2)

  expect(world.lastMessage(1)).toMatchObject({ content: '42' })
})

test('commands are there from the start: /capstan and each prompt', async () => {
  await using world = await piWorld([{ text: 'Hello.' }])
  await world.write(servers({ demo: fixture('modern') }))
  await using rpc = world.rpc()

  rpc.send({ id: 'commands', type: 'get_commands' })
  const answer = await rpc.next({ type: 'response', command: 'get_commands' })

  const { commands } = answer['data'] as { commands: readonly { name: string; description: string }[] }
  expect(commands).toContainEqual(expect.objectContaining({ name: 'capstan' }))
  expect(commands).toContainEqual(expect.objectContaining({ name: 'demo:greet', description: 'Greets. (who)' }))
  expect(commands.map(({ name }) => name)).not.toContain('mcp')
})

test('a prompt asks for what is missing, and its text goes to the model', async () => {
  await using world = await piWorld([{ text: 'Hello.' }])
  await world.write(servers({ demo: fixture('modern') }))
  await using rpc = world.rpc()

  prompt(rpc, '/demo:greet')
  reply(rpc, await asked(rpc, 'input', /who/), 'Alice')
  await world.model.received(1)

  expect(world.lastMessage(0).content).toMatchObject([{ text: 'Say hello to Alice.' }])
})

test('/capstan shows status and logs, restarts a server, and says what there is', async () => {
  await using world = await piWorld()
  await world.write(servers({ demo: fixture('modern'), dead: fixture('exits-at-start') }))
  await using rpc = world.rpc()

  const told = async (line: string, message: RegExp) => {
    prompt(rpc, line)
    return await rpc.next({ method: 'notify', message })
  }

  expect(await told('/capstan status', /demo: ready, 3 tools, 1 prompt/)).toMatchObject({ notifyType: 'info' })
  expect(await told('/capstan logs dead', /^reading settings$/m)).toMatchObject({ notifyType: 'info' })
  expect(await told('/capstan logs', /Which server\?/)).toMatchObject({ notifyType: 'error' })
  expect(await told('/capstan restart demo', /demo was restarted/)).toBeDefined()
  expect(await told('/capstan restart', /config was read again/)).toBeDefined()
  expect(await told('/capstan dance', /There is no "\/capstan dance"/)).toMatchObject({ notifyType: 'error' })
})

test('a line tells how many servers and tools there are, and a notice which server is dead', async () => {
  await using world = await piWorld()
  await world.write(servers({ demo: fixture('modern'), dead: fixture('exits-at-start') }))
  await using rpc = world.rpc()

  expect(await rpc.next({ method: 'setStatus', statusText: 'MCP: connecting…' })).toBeDefined()
  expect(await rpc.next({ method: 'setStatus', statusText: /^MCP: 1 of 2 servers, \d+ tools$/ })).toBeDefined()
  expect(await rpc.next({ method: 'notify', message: /Server "dead" ended/ })).toMatchObject({ notifyType: 'warning' })
})

test('with no servers a quiet notice says how to get some', async () => {
  await using world = await piWorld()
  await using rpc = world.rpc()

  const notice = await rpc.next({ method: 'notify', message: /no MCP servers are set up/ })

  expect(notice).toMatchObject({ notifyType: 'info', message: expect.stringContaining('capstan add') })
})

test('a tool that a server adds meanwhile is in the next prompt', async () => {
  const grow = calling('mcp_invoke', { tool: 'demo.grow' })
  await using world = await piWorld([...grow, { text: 'I see it.' }])
  await world.write(servers({ demo: { ...fixture('changes-list'), alwaysAllow: ['*'] } }))
  await using rpc = world.rpc()

  prompt(rpc, 'first')
  await rpc.next({ method: 'setStatus', statusText: /^MCP: 1 server, 6 tools$/ })
  await settled(rpc)
  prompt(rpc, 'second')
  await world.model.received(3)

  expect(world.systemPrompt(0)).not.toContain('demo.extra-1')
  expect(world.systemPrompt(2)).toContain('demo.extra-1')
})

test('servers of the project are asked about, shown in full, and used after a yes', async () => {
  await using world = await piWorld([{ text: 'Hello.' }])
  const trace = join(world.home, 'trace')
  await world.write({ '.pi/mcp.json': { mcpServers: { found: traced(trace) } } })
  await using rpc = world.rpc()

  const question = await asked(rpc, 'select', /wants to start servers on this machine/)
  const startsBefore = startsIn(trace)
  reply(rpc, question, 'Start them')
  await rpc.next({ method: 'setStatus', statusText: /^MCP: 1 server/ })
  prompt(rpc, 'hello')
  await world.model.received(1)

  expect(question['title']).toMatch(/found\n {2}command: .*\n {2}args: /)
  expect(startsBefore).toBe(0)
  expect(world.systemPrompt(0)).toContain('found.echo')
})

test('a refused server is not asked about again', async () => {
  await using world = await piWorld()
  const trace = join(world.home, 'trace')
  await world.write({ '.pi/mcp.json': { mcpServers: { found: traced(trace) } } })

  {
    await using first = world.rpc()
    reply(first, await asked(first, 'select', /wants to start/), 'Never, unless I say so in "capstan review"')
    await expect.poll(async () => (await world.capstan(['review'])).stdout).toContain('Refused: found')
  }
  await using second = world.rpc()
  prompt(second, '/capstan review')
  await second.next({ method: 'notify', message: /Nothing was approved/ })

  expect(second.seen.filter(({ method }) => method === 'select')).toEqual([])
  expect(startsIn(trace)).toBe(0)
})

test('a server that asks in the middle of a call is answered in pi’s dialogs', async () => {
  await using world = await piWorld(calling('mcp_invoke', { tool: 'bar.order' }))
  await world.write(servers({ bar: { ...fixture('asks'), alwaysAllow: ['*'] } }))
  await using rpc = world.rpc()

  prompt(rpc, 'A drink.')
  const drink = await asked(rpc, 'select', /The server "bar" asks: What may it be\?\ndrink/)
  reply(rpc, drink, 'tea')
  reply(rpc, await asked(rpc, 'input', /cups/), '0')
  reply(rpc, await asked(rpc, 'input', /cups(.|\n)*at least 1/), '3')
  await world.model.received(2)

  expect(drink['options']).toEqual(['tea', 'coffee'])
  expect(world.lastMessage(1).content).toContain('3 tea')
})

/** pi takes no new message before it has come to rest. */
async function settled(rpc: Rpc): Promise<void> {
  await expect
    .poll(async () => {
      const id = `state-${rpc.seen.length}`
      rpc.send({ id, type: 'get_state' })
      const { data } = await rpc.next({ type: 'response', id })
      return (data as { isStreaming: boolean }).isStreaming
    })
    .toBe(false)
}
