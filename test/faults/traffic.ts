import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { loadTrustedConfig } from '../../src/config/load-trusted.ts'
import { watchConfig } from '../../src/config/watch.ts'
import { dialHub } from '../../src/daemon/dial.ts'
import { protocolVersion } from '../../src/daemon/protocol.ts'
import { listen, serveHub } from '../../src/daemon/serve.ts'
import { openHub } from '../../src/hub/hub.ts'
import { tempFolder } from '../config/temp-folder.ts'
import { startsIn, traced } from '../e2e/traced-server.ts'
import { isRunning } from '../e2e/cli.ts'
import { fixture } from '../fixtures/fixture.ts'
import { openTestHub, temporaryFolder, textOf, type Maker } from '../hub/makers.ts'
import { mebibyte, memoryWatch } from './burden.ts'
import type { Fault } from './fault.ts'
import { callText, eventually, failureOf, since } from './observe.ts'

/** Clients that do not read, come all at once, or go away; and a config that changes under them. */
export const traffic: readonly Fault[] = [
  {
    id: 12,
    fault: 'a client asks and does not read the answers',
    promise: 'so much is kept for it and no more, then it is cut off; other clients are not disturbed',
    only: 'dialHub',
    run: slowReader,
  },
  {
    id: 18,
    fault: 'a thousand calls come at once to a server that does not run yet',
    promise:
      'it is started once and all are answered; with `concurrency`, a hundred wait and the others are refused with the reason',
    run: herd,
  },
  {
    id: 19,
    fault: 'a client goes away in the middle of a call',
    promise: 'the call is cancelled at the server and its place is free for others',
    only: 'dialHub',
    run: clientGone,
  },
  {
    id: 20,
    fault: 'the config changes during calls: an entry is changed, one removed, one added, and once the file is broken',
    promise:
      'a broken file changes nothing; calls under way finish, at changed and removed servers too (for up to 10 s); new calls see the new config',
    only: 'openHub',
    run: reloaded,
  },
]

async function slowReader(): Promise<string> {
  await using hub = await openTestHub({ one: fixture('echo') })
  await callText(hub, { server: 'one', tool: 'look' })
  const path = join(hub.home, 'hub.sock')
  let clients = 0
  const maxUnreadBytes = 16 * mebibyte
  await using _served = await listen(
    path,
    { maxUnreadBytes, openView: async () => ({ hub: { ...hub, async [Symbol.asyncDispose]() {} }, warnings: [] }) },
    (count) => {
      clients = count
    },
  )
  await using polite = await dialHub(path)
  const memory = memoryWatch()
  const rude = connect(path)
  await once(rude, 'connect')
  const say = (message: object) => rude.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

  say({ id: 0, method: 'hello', params: { protocol: protocolVersion } })
  for (let id = 1; id <= 100; id++) {
    say({ id, method: 'call', params: [{ server: 'one', tool: 'big' }, { bytes: 1_000_000 }, {}] })
  }
  await eventually('the client to be cut off', () => clients === 1)

  const grown = memory.grownBy()
  assert.ok(grown < 300 * mebibyte, `${grown} bytes`)
  assert.equal(await callText(polite, { server: 'one', tool: 'look' }), 'look')
  rude.destroy()
  return `with a bound of 16 MiB, a client that asked for 100 MB and read nothing was cut off; the other one was answered`
}

export async function herd(open: Maker, callsAtNarrow = 1000): Promise<string> {
  const folder = await temporaryFolder()
  const trace = join(folder, 'starts')
  await using hub = await open({ one: traced(trace), narrow: { ...fixture('echo'), concurrency: 2 } })
  const startedAt = performance.now()

  const pids = await Promise.all(Array.from({ length: 1000 }, () => callText(hub, { server: 'one', tool: 'pid' })))
  const took = since(startedAt)
  const slow = (): Promise<unknown> => hub.call({ server: 'narrow', tool: 'slow' }, { ms: 30 })
  const outcomes = await Promise.allSettled(Array.from({ length: callsAtNarrow }, slow))

  assert.equal(new Set(pids).size, 1)
  assert.equal(startsIn(trace), 1)
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  // Some come only when others are done; a busy machine has more of them.
  assert.ok(refused.length > callsAtNarrow / 2, `${refused.length} refused`)
  for (const reason of refused) assert.equal((await failureOf(Promise.reject(reason))).code, 'limit_exceeded')
  assert.equal(await callText(hub, { server: 'narrow', tool: 'look' }), 'look')
  await rm(folder, { recursive: true, force: true })
  return `1 start, 1000 answers after ${took}; with \`concurrency\` 2, ${callsAtNarrow - refused.length} answered, ${refused.length} refused`
}

async function clientGone(): Promise<string> {
  const folder = await temporaryFolder()
  const cancels = join(folder, 'cancels')
  await using hub = await openTestHub({
    waits: { ...fixture('asks-cancel', { args: [cancels] }), concurrency: 1 },
  })
  const path = join(folder, 'hub.sock')
  await using _served = await serveHub(hub, path)
  const leaving = await dialHub(path)
  await using staying = await dialHub(path)
  await leaving.catalogue()
  const lost = failureOf(leaving.call({ server: 'waits', tool: 'wait' }, {}))
  // It has reached the server once it is counted, and the server has answered a list since.
  await eventually('the call to run', async () => (await staying.servers())[0]?.stats?.calls === 1)
  await staying.catalogue({ fresh: true })

  const leftAt = performance.now()
  await leaving[Symbol.asyncDispose]()
  assert.equal((await lost).code, 'outcome_unknown')
  await eventually('the cancellation', () => existsSync(cancels))
  const told = since(leftAt)
  const next = failureOf(staying.call({ server: 'waits', tool: 'wait' }, {}, { idleSeconds: 0.2 }))
  assert.equal((await next).code, 'timed_out')
  await rm(folder, { recursive: true, force: true })
  return `the server was told ${told} later; the next call had the one place there is`
}

async function reloaded(): Promise<string> {
  // It goes after the hub, which writes to it until the end.
  await using folder = await tempFolder()
  const { path: home } = folder
  const env = { PATH: process.env['PATH'], HOME: home }
  const file = join(home, '.config/capstan/mcp.json')
  const write = (text: string) => folder.write({ '.config/capstan/mcp.json': text })
  const same = fixture('echo')
  await write(JSON.stringify({ mcpServers: { changed: same, kept: same, removed: same } }))
  const load = () => loadTrustedConfig({ env, cwd: home, trustProject: false })
  const initial = await load()
  await using hub = await openHub(initial)
  let broken = 0
  let isReloaded = false
  using _watching = watchConfig({
    initial,
    load,
    files: [file],
    onError: () => void (broken += 1),
    onConfig: (config) => void hub.reload(config).then(() => (isReloaded = true)),
  })
  const pidOf = async (server: string) => Number(await callText(hub, { server, tool: 'pid' }))
  const pids = { changed: await pidOf('changed'), kept: await pidOf('kept'), removed: await pidOf('removed') }
  const running = await Promise.all(
    ['changed', 'kept', 'removed'].map(async (server) => {
      const isRunning = Promise.withResolvers<unknown>()
      const call = hub.call({ server, tool: 'slow' }, { ms: 4000, steps: 200 }, { onProgress: isRunning.resolve })
      await isRunning.promise
      return { call }
    }),
  )

  await write('{ "mcpServers": {')
  await eventually('the broken file to be seen', () => broken > 0)
  assert.equal(await pidOf('kept'), pids.kept)
  await write(JSON.stringify({ mcpServers: { added: same, changed: { ...same, env: { NEW: 'yes' } }, kept: same } }))
  await eventually('the new config to be in force', async () =>
    (await hub.servers()).some(({ name }) => name === 'added'),
  )
  const added = await pidOf('added')
  const answers = await Promise.all(running.map(({ call }) => call.then(textOf)))
  await eventually('the old servers to be gone', () => isReloaded)

  assert.deepEqual(answers, ['done', 'done', 'done'])
  assert.equal(await pidOf('kept'), pids.kept)
  assert.notEqual(await pidOf('changed'), pids.changed)
  assert.equal((await failureOf(pidOf('removed'))).code, 'server_unknown')
  assert.deepEqual([pids.changed, pids.removed].filter(isRunning), [])
  assert.ok(isRunning(added))
  return 'three calls under way finished; the broken file changed nothing; the changed server is a new process, the removed one gone'
}
