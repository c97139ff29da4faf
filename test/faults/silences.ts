import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fixture } from '../fixtures/fixture.ts'
import { inlineServer } from '../hub/inline-server.ts'
import type { Maker } from '../hub/makers.ts'
import type { Fault } from './fault.ts'
import { callText, eventually, failureOf, observe, span } from './observe.ts'

/** Servers that do not answer. */
export const silences: readonly Fault[] = [
  {
    id: 7,
    fault: 'a server takes requests and never answers',
    promise:
      'each call ends at its own limit and is cancelled at the server; after five in a row the server is ended and left alone for half a minute; lists come back at their deadline without it',
    run: hung,
  },
  {
    id: 8,
    fault: 'one of 50 servers takes for ever to list its tools',
    promise:
      'the list comes at its deadline with the 49 others; the slow one is named, with its last list marked as stale if there is one',
    run: slowAmongFifty,
  },
]

async function hung(open: Maker): Promise<string> {
  const entry = inlineServer(`
    import { appendFileSync } from 'node:fs'
    const intercept = ({ method }) => {
      if (method === 'notifications/cancelled') appendFileSync('cancels', 'x')
      return method === 'tools/call'
    }
    serveRaw({ name: 'hung', tools: [{ name: 'wait', inputSchema: object }], intercept })
  `)
  const deaf = { ...fixture('never-answers'), startTimeout: 60 }
  await using hub = await open(
    { deaf, one: { ...entry, startTimeout: 5, timeout: 0.3 }, other: fixture('echo') },
    { catalogueSeconds: 2 },
  )
  const events = await observe(hub)
  const wait = () => hub.call({ server: 'one', tool: 'wait' }, {})

  await eventually('the others to be listed', async () => {
    const { servers } = await hub.catalogue({ kinds: ['tools'], servers: ['one', 'other'] })
    return servers.every(({ kind }) => kind === 'listed')
  })

  const listedAt = performance.now()
  const { servers } = await hub.catalogue({ kinds: ['tools'] })
  const listTime = performance.now() - listedAt
  const failures = []
  for (let call = 0; call < 5; call++) failures.push(await failureOf(wait()))
  const { event } = await events.untilState('one', 'backing_off')
  const refusedAt = performance.now()
  const refusal = await failureOf(wait())
  const refusedAfter = performance.now() - refusedAt

  assert.deepEqual(
    servers.map(({ server, kind }) => `${server} ${kind}`),
    ['deaf missing', 'one listed', 'other listed'],
  )
  assert.deepEqual(new Set(failures.map(({ code }) => code)), new Set(['timed_out']))
  assert.ok(event.kind === 'state' && event.state.kind === 'backing_off')
  assert.match(refusal.message, /no answer to 5 calls in a row.*tried again in \d+ s/)
  assert.ok(refusedAfter < 1000)
  assert.ok(listTime < 8000)
  // With the fifth the server itself is ended, which may come first.
  await eventually('the cancellations', () => readFileSync(join(hub.home, 'cancels'), 'utf8').length >= 4)
  assert.equal(await callText(hub, { server: 'other', tool: 'echo' }, { message: 'well' }), 'well')
  return `the list came after ${span(listTime)} without it; five calls timed out and were cancelled, the sixth was refused after ${span(refusedAfter)} with the time of the next try`
}

async function slowAmongFifty(open: Maker): Promise<string> {
  const slow = inlineServer(`
    let asked = 0
    serveRaw({ name: 'slow', tools: [{ name: 'hello', inputSchema: object }], intercept: ({ method }) => method === 'tools/list' && ++asked > 1 })
  `)
  const quick = Array.from({ length: 48 }, (_, index) => [`s${index}`, fixture('echo')] as const)
  const servers = { ...Object.fromEntries(quick), never: fixture('slow-list', { args: ['600000'] }), slow }
  await using hub = await open(servers, { catalogueSeconds: 3 })
  const names = Object.keys(servers).filter((name) => name !== 'never')
  // Fifty processes take their time to start; that is not what is looked at here.
  await eventually('49 servers to be listed', async () => {
    const { servers } = await hub.catalogue({ kinds: ['tools'], servers: names })
    return servers.every(({ kind }) => kind === 'listed')
  })

  const startedAt = performance.now()
  const catalogue = await hub.catalogue({ kinds: ['tools'], fresh: true })
  const took = performance.now() - startedAt

  const standing = (kind: string) =>
    catalogue.servers.filter((server) => server.kind === kind).map(({ server }) => server)
  assert.equal(standing('listed').length, 48)
  assert.deepEqual([standing('missing'), standing('stale')], [['never'], ['slow']])
  assert.ok(catalogue.tools.some(({ id }) => id === 'slow.hello'))
  assert.ok(took < 10_000)
  return `with a deadline of 3 s, 48 fresh lists after ${span(took)}; one named as missing, one with its last list`
}
