import assert from 'node:assert/strict'
import { defaultRemoteWatch, type RemoteWatch } from '../../src/hub/wire/watch-remote.ts'
import { fixture } from '../fixtures/fixture.ts'
import { startHttpServer } from '../fixtures/http-server.ts'
import { openTestHub, type Maker } from '../hub/makers.ts'
import type { Fault } from './fault.ts'
import { httpFront, type FrontRequest, type Refusal } from './http-front.ts'
import { callText, failureOf, observe, since, span, stateOf } from './observe.ts'

const echo = { server: 'web', tool: 'echo' }
const other = { server: 'other', tool: 'look' }

/** Remote servers whose connection, session or address is not what it was. */
export const remotes: readonly Fault[] = [
  {
    id: 14,
    fault: 'a connection is open on our side only: a proxy fell silent, or this machine slept and its clock jumped',
    promise:
      'it is found and replaced within 10 s of waking up, and after a minute of silence otherwise; the next call works',
    run: halfOpen,
  },
  {
    id: 15,
    fault: 'a remote server was restarted and does not know our session (404, or 400 with -32001 or -32000)',
    promise: 'the session is made anew and the call sent again, unnoticed, because it did not run; lists are compared',
    run: lostSession,
  },
  {
    id: 16,
    fault: 'a remote server answers 401 in the middle of a session, or 429 or 503 with `Retry-After`',
    promise:
      '401: the server needs a login, without a storm of requests, and others go on; 429 and 503: asked again when it says, and run once',
    run: refusedForNow,
  },
  {
    id: 17,
    fault: 'an address is wrong (404, 405)',
    promise: 'that is for good: it is said with the address, and not tried again and again',
    run: wrongAddress,
  },
]

async function halfOpen(open: Maker): Promise<string> {
  const quiet = await replaced(open, () => ({ everyMs: 100, quietMs: 500, answerMs: 500, now: Date.now }))
  let sleptMs = 0
  const afterSleep = await replaced(
    open,
    () => ({ ...defaultRemoteWatch, now: () => Date.now() + sleptMs }),
    () => void (sleptMs = 3_600_000),
  )
  assert.ok(afterSleep < 10_000, span(afterSleep))
  return `replaced ${span(quiet)} after it fell silent (looked at after 0.5 s instead of 60 s), ${span(afterSleep)} after the clock jumped by an hour`
}

/** Lets the connection fall silent and tells how long it took until another one was there. */
async function replaced(open: Maker, watch: () => RemoteWatch, jump = () => {}): Promise<number> {
  await using server = await startHttpServer({ modern: false })
  await using front = await httpFront(server.url)
  await using hub = await open({ web: { url: front.url, type: 'http' } }, { remoteWatch: watch() })
  const events = await observe(hub)
  assert.equal(await callText(hub, echo, { message: 'before' }), 'before')

  const silentAt = performance.now()
  front.goSilent()
  jump()
  await events.untilState('web', 'backing_off', silentAt)
  const { atMs } = await events.untilState('web', 'ready', silentAt)

  assert.equal(await callText(hub, echo, { message: 'after' }), 'after')
  return atMs - silentAt
}

async function lostSession(open: Maker): Promise<string> {
  const refusals: Readonly<Record<string, Refusal | undefined>> = {
    '404': undefined,
    '400 with -32001': { status: 400, body: rpcError(-32_001) },
    '400 with -32000': { status: 400, body: rpcError(-32_000) },
  }
  for (const refusal of Object.values(refusals)) await restarted(open, refusal)
  return `${Object.keys(refusals).join(', ')}: each call answered, run once; the new tool announced`
}

function rpcError(code: number): string {
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message: 'Session not found' } })
}

/** Without a refusal of our own, the new server says 404 to a session it does not know. */
async function restarted(open: Maker, refusal: Refusal | undefined): Promise<void> {
  // It is left running, so that nothing but the refusal tells us that it is no longer the one we talk to.
  await using before = await startHttpServer({ modern: false })
  await using front = await httpFront(before.url)
  await using hub = await open({ web: { url: front.url } })
  const events = await observe(hub)
  await callText(hub, echo, { message: 'before' })
  const session = front.requests.findLast((request) => request.session !== undefined)?.session

  await using after = await startHttpServer({ modern: false })
  await usedOnce(after.url)
  if (refusal !== undefined) front.refuse((request) => (request.session === session ? refusal : undefined))
  front.leadTo(after.url)
  const restartedAt = performance.now()
  const answer = await callText(hub, echo, { message: 'after' })

  assert.equal(answer, 'after')
  assert.equal(front.requests.filter((request) => isCall(request) && request.session === session).length, 2)
  const calls = after.requests.filter(({ body }) => JSON.stringify(body)?.includes('"message":"after"'))
  const run = calls.filter(({ headers }) => headers['mcp-session-id'] !== session)
  assert.equal(run.length, 1)
  const change = await events.until('the new tool', (event) => event.kind === 'catalogue', restartedAt)
  assert.ok(change.event.kind === 'catalogue')
  assert.deepEqual(change.event.difference.added, ['extra-1'])
}

function isCall({ method }: FrontRequest): boolean {
  return method === 'tools/call'
}

/** Gives the server one tool more than it had. */
async function usedOnce(url: string): Promise<void> {
  await using hub = await openTestHub({ web: { url } })
  await hub.call({ server: 'web', tool: 'grow' }, {})
}

async function refusedForNow(open: Maker): Promise<string> {
  await using server = await startHttpServer({ modern: false })
  await using front = await httpFront(server.url)
  await using hub = await open({ web: { url: front.url }, other: fixture('echo') })
  await callText(hub, echo, { message: 'before' })
  const waits = [await busy(429), await busy(503)]

  front.refuse(() => ({ status: 401, headers: { 'www-authenticate': 'Bearer' } }))
  const asked = front.requests.length
  const failure = await failureOf(callText(hub, echo, { message: 'locked out' }))
  assert.equal(failure.code, 'login_needed')
  assert.equal((await stateOf(hub, 'web'))?.kind, 'needs_login')
  for (let round = 0; round < 20; round++) assert.equal(await callText(hub, other), 'look')
  const requests = front.requests.length - asked
  assert.ok(requests <= 5, `${requests} requests`)
  front.refuse(() => undefined)
  assert.equal(await callText(hub, echo, { message: 'let in again' }), 'let in again')

  return `401: \`needs_login\` after ${requests} requests, the other server answered, and so did this one when it was let in again; 429 and 503 with 1 s: answered after ${waits.map(span).join(' and ')}, run once`

  async function busy(status: number): Promise<number> {
    let refusals = 0
    front.refuse(({ method }) => {
      if (method !== 'tools/call' || refusals > 0) return undefined
      refusals += 1
      return { status, headers: { 'retry-after': '1' } }
    })
    const startedAt = performance.now()
    assert.equal(await callText(hub, echo, { message: `busy ${status}` }), `busy ${status}`)
    const took = performance.now() - startedAt
    const run = server.requests.filter(({ body }) => JSON.stringify(body)?.includes(`busy ${status}`))
    assert.equal(run.length, 1)
    assert.ok(took > 950, span(took))
    return took
  }
}

async function wrongAddress(open: Maker): Promise<string> {
  const counts: number[] = []
  let message = ''
  for (const status of [404, 405]) {
    await using front = await httpFront('http://127.0.0.1:9')
    front.refuse(() => ({ status }))
    await using hub = await open({ web: { url: front.url }, other: fixture('echo') })
    const startedAt = performance.now()
    const failures = await Promise.all(
      Array.from({ length: 50 }, () => failureOf(callText(hub, echo, { message: 'x' }))),
    )
    const state = await stateOf(hub, 'web')

    message = failures[0]?.message ?? ''
    assert.ok(message.includes(String(status)) && message.includes('/mcp'), message)
    assert.equal(state?.kind, 'failed')
    assert.equal(await callText(hub, other), 'look')
    // Later calls are answered from what is known, for five seconds.
    if (performance.now() - startedAt < 4000) await failureOf(callText(hub, echo, { message: 'x' }))
    counts.push(front.requests.length)
    assert.ok(front.requests.length <= 5, `${front.requests.length} requests after ${since(startedAt)}`)
  }
  return `51 calls each, ${counts.join(' and ')} requests: "${message.replace(/:\d+/, ':PORT')}"`
}
