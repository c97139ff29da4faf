import type { Client } from '@modelcontextprotocol/client'
import assert from 'node:assert/strict'
import { call } from '../attacks/gateway-wire.ts'
import { isRunning } from '../e2e/cli.ts'
import { fixture } from '../fixtures/fixture.ts'
import { connectHttp, type EraName } from '../gateway/doors.ts'
import { ask } from '../gateway/rude-client.ts'
import { inlineServer } from '../hub/inline-server.ts'
import { textOf, type Maker } from '../hub/makers.ts'
import { callText, eventually, since, span } from './observe.ts'
import { servingHome } from './served.ts'

const era: EraName = 'modern'

/** Fault 6: the gateway is killed, and with it the hub. */
export async function gatewayKilled(): Promise<string> {
  await using home = await servingHome()
  const servers = { polite: fixture('echo'), stubborn: fixture('ignores-term') }
  await home.writeConfig(JSON.stringify({ mcpServers: servers }))
  const first = await home.serve()
  await using entered = await connectHttp(first.url, era)
  const polite = await pidOf(entered.client, 'polite')
  const stubborn = JSON.parse(await textFrom(entered.client, 'stubborn__pids')) as readonly number[]
  const underWay = ask(first.url, call('polite__slow', { ms: 20_000 })).then(
    () => assert.fail('a call outlived its gateway'),
    () => performance.now(),
  )
  // It has got there once an answer to a later one is there.
  await pidOf(entered.client, 'polite')

  const killedAt = performance.now()
  await first.end('SIGKILL')
  const failedAfter = (await underWay) - killedAt
  await eventually('the polite server to end', () => !isRunning(polite))
  const politeEnd = since(killedAt)
  assert.ok(failedAfter < 5000, span(failedAfter))
  assert.equal(stubborn.filter(isRunning).length, 2)
  await home.serve(Number(first.url.port))
  const next = await pidOf(entered.client, 'polite')
  await eventually('the stubborn server to be ended', () => !stubborn.some(isRunning))

  assert.notEqual(next, polite)
  return `the call under way failed after ${span(failedAfter)}, the polite server was gone ${politeEnd} later, the stubborn one and its child when the next gateway had come; there the same client went on`
}

/** Fault 20: the config of a gateway that runs. */
export async function reloaded(): Promise<string> {
  await using home = await servingHome()
  const same = fixture('echo')
  const write = (mcpServers: object) => home.writeConfig(JSON.stringify({ mcpServers }))
  await write({ changed: same, kept: same, removed: same })
  const served = await home.serve()
  await using entered = await connectHttp(served.url, era)
  const { client } = entered
  const servers = ['changed', 'kept', 'removed'] as const
  const [changed, kept, removed] = await Promise.all(servers.map((server) => pidOf(client, server)))
  const running = servers.map((server) => slowCall(client, server, 4000))
  await Promise.all(running.map(({ isRunning }) => isRunning))

  await home.writeConfig('{ "mcpServers": {')
  await eventually('the broken file to be seen', () => /The config cannot be read/.test(served.said()))
  assert.equal(await pidOf(client, 'kept'), kept)
  await write({ added: same, changed: { ...same, env: { NEW: 'yes' } }, kept: same })
  await eventually('the new config to be in force', async () => (await namesOf(client)).includes('added__pid'))
  const added = await pidOf(client, 'added')
  const results = await Promise.all(running.map(({ result }) => result))
  await eventually('the old servers to be gone', () => ![changed, removed].some((pid) => isRunning(pid ?? 0)))

  assert.deepEqual(results, ['done', 'done', 'done'])
  assert.equal(await pidOf(client, 'kept'), kept)
  assert.notEqual(await pidOf(client, 'changed'), changed)
  assert.ok(!(await namesOf(client)).some((name) => name.startsWith('removed__')))
  await assert.rejects(pidOf(client, 'removed'), { code: -32602 })
  assert.ok(isRunning(added))
  return 'three calls under way finished; the broken file changed nothing and is told in the log; the changed server is a new process, the removed one gone from the list, its tools unknown'
}

/** Fault 8: a client cannot ask for lists anew, so the slow one dies first. */
export async function slowAmongFifty(open: Maker): Promise<string> {
  const slow = inlineServer(`
    import { existsSync, writeFileSync } from 'node:fs'
    const isBack = existsSync('was-here')
    writeFileSync('was-here', '')
    const tools = [{ name: 'pid', inputSchema: object, run: () => String(process.pid) }]
    serveRaw({ name: 'slow', tools, intercept: ({ method }) => method === 'tools/list' && isBack })
  `)
  const quick = Array.from({ length: 48 }, (_, index) => [`s${index}`, fixture('echo')] as const)
  const servers = { ...Object.fromEntries(quick), never: fixture('slow-list', { args: ['600000'] }), slow }
  const others = Object.keys(servers).filter((name) => name !== 'never')
  await using hub = await open(servers, { catalogueSeconds: 3 })
  const isListed = async (kind: string, names: readonly string[]) =>
    (await hub.catalogue({ servers: names })).servers.every((server) => server.kind === kind)

  const firstAt = performance.now()
  await hub.catalogue({ servers: [] })
  const first = performance.now() - firstAt
  // Lists of a thousand tools again and again would only hold up those that are yet to start.
  await eventually('all to run', async () => (await hub.servers()).every(({ state }) => state.kind === 'ready'))
  await eventually('49 servers to be listed', () => isListed('listed', others))
  process.kill(Number(await callText(hub, { server: 'slow', tool: 'pid' })), 'SIGKILL')
  await eventually('the slow one to be marked', () => isListed('stale', ['slow']))
  const startedAt = performance.now()
  const known = await hub.catalogue({ servers: others })
  const took = performance.now() - startedAt
  const { servers: all } = await hub.catalogue()

  const standing = (kind: string) => all.filter((server) => server.kind === kind).map(({ server }) => server)
  assert.equal(standing('listed').length, 48)
  assert.deepEqual([standing('missing'), standing('stale')], [['never'], ['slow']])
  assert.ok(known.tools.some(({ id }) => id === 'slow.pid'))
  assert.ok(first < 10_000 && took < 1000, `${span(first)}, ${span(took)}`)
  return `with a deadline of 3 s, the first list after ${span(first)}, later ones after ${span(took)}: 48 lists, one missing whose tools say why, one with its last list, marked`
}

interface SlowCall {
  readonly isRunning: Promise<unknown>
  readonly result: Promise<string>
}

function slowCall(client: Client, server: string, ms: number): SlowCall {
  const running = Promise.withResolvers<unknown>()
  const answer = client.callTool(
    { name: `${server}__slow`, arguments: { ms, steps: ms / 20 } },
    { onprogress: running.resolve, timeout: 2 ** 31 - 1 },
  )
  return { isRunning: running.promise, result: answer.then(textOf) }
}

async function pidOf(client: Client, server: string): Promise<number> {
  return Number(await textFrom(client, `${server}__pid`))
}

async function textFrom(client: Client, name: string): Promise<string> {
  return textOf(await client.callTool({ name, arguments: {} }))
}

async function namesOf(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name)
}
