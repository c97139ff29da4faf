import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRunning } from '../e2e/cli.ts'
import { fixture } from '../fixtures/fixture.ts'
import { inlineServer } from '../hub/inline-server.ts'
import { openTestHub, temporaryFolder, type Maker } from '../hub/makers.ts'
import type { Fault } from './fault.ts'
import { callText, eventually, failureOf, observe, since, span, stateOf } from './observe.ts'

const pid = { server: 'one', tool: 'pid' }

/** Processes that die, will not start, or will not end. */
export const deaths: readonly Fault[] = [
  {
    id: 1,
    fault: 'a server is killed (`kill -9`) while nothing is asked of it',
    promise:
      'it is noticed at once and started again; what it offers now is compared and announced; the next call works',
    run: killedWhileIdle,
  },
  {
    id: 2,
    fault: 'a server is killed in the middle of a call',
    promise:
      'the call fails once, as of unknown outcome, and is not repeated, unless its tool only reads or may be repeated',
    run: killedInACall,
  },
  {
    id: 3,
    fault: 'a server ends each time it is started',
    promise: 'it is tried with growing delays and never given up; its state has the reason; others are not disturbed',
    run: crashLoop,
  },
  {
    id: 4,
    fault: 'a command is not found',
    promise: 'only that server fails, with the name of the command, and is not tried again and again',
    run: noSuchCommand,
  },
  {
    id: 5,
    fault: 'a server and its child ignore `SIGTERM` and the end of their input',
    promise: 'both are gone when the hub has closed',
    run: stubborn,
  },
  {
    id: 6,
    fault: 'the hub itself is killed (`kill -9`)',
    promise: 'its servers end with their input; the next hub ends those that did not',
    only: 'openHub',
    run: hubKilled,
  },
]

async function killedWhileIdle(open: Maker): Promise<string> {
  const entry = inlineServer(`
    import { existsSync, writeFileSync } from 'node:fs'
    const tools = [{ name: 'pid', inputSchema: object, run: () => String(process.pid) }]
    if (existsSync('was-here')) tools.push({ name: 'newer', inputSchema: object })
    writeFileSync('was-here', '')
    serveRaw({ name: 'mortal', tools })
  `)
  await using hub = await open({ one: entry })
  const events = await observe(hub)
  const first = await callText(hub, pid)

  const killedAt = performance.now()
  process.kill(Number(first), 'SIGKILL')
  const noticed = await events.untilState('one', 'backing_off', killedAt)
  const back = await events.untilState('one', 'ready', killedAt)
  const change = await events.until('the new tool', (event) => event.kind === 'catalogue', killedAt)

  assert.ok(noticed.atMs - killedAt < 2000)
  assert.ok(change.event.kind === 'catalogue')
  assert.deepEqual(change.event.difference.added, ['newer'])
  assert.notEqual(await callText(hub, pid), first)
  return `noticed after ${span(noticed.atMs - killedAt)}, back after ${span(back.atMs - killedAt)}, its new tool announced; the next call worked`
}

async function killedInACall(open: Maker): Promise<string> {
  const entry = inlineServer(`
    import { appendFileSync, readFileSync } from 'node:fs'
    const run = (name) => (_args, { wire, progressToken }) => {
      appendFileSync(name, process.pid + '\\n')
      if (readFileSync(name, 'utf8').split('\\n').length > 2) return 'second time'
      wire.send({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
      return new Promise(() => {})
    }
    const readOnly = { annotations: { readOnlyHint: true } }
    const tools = [{ name: 'write', inputSchema: object, run: run('write') }, { name: 'read', inputSchema: object, ...readOnly, run: run('read') }]
    serveRaw({ name: 'mortal', tools: [...tools, { name: 'pid', inputSchema: object, run: () => String(process.pid) }] })
  `)
  await using hub = await open({ one: entry })
  const timesRun = (tool: string) => readFileSync(join(hub.home, tool), 'utf8').trim().split('\n').length
  const killIn = async (tool: string) => {
    const victim = Number(await callText(hub, pid))
    return hub.call({ server: 'one', tool }, {}, { onProgress: () => process.kill(victim, 'SIGKILL') })
  }

  const failure = await failureOf(killIn('write'))
  const repeated = await killIn('read')

  assert.equal(failure.code, 'outcome_unknown')
  assert.match(failure.message, /not repeated/)
  assert.equal(timesRun('write'), 1)
  assert.equal(repeated.content.length, 1)
  assert.equal(timesRun('read'), 2)
  return `the writing tool ran once, \`${failure.code}\`; the reading one was sent once more and answered`
}

async function crashLoop(open: Maker): Promise<string> {
  const entry = inlineServer(`
    import { existsSync } from 'node:fs'
    if (!existsSync('mended')) { process.stderr.write('no database\\n'); process.exit(3) }
    serveRaw({ name: 'phoenix', tools: [{ name: 'hello', inputSchema: object }] })
  `)
  await using hub = await open({ one: entry, other: fixture('echo') })
  const events = await observe(hub)
  const startedAt = performance.now()

  await failureOf(callText(hub, { server: 'one', tool: 'hello' }))
  const waits: number[] = []
  for (const failures of [1, 2, 3]) {
    const { event, atMs } = await events.until(
      `failure ${failures}`,
      (event) => event.kind === 'state' && event.state.kind === 'backing_off' && event.state.failures === failures,
    )
    assert.ok(event.kind === 'state' && event.state.kind === 'backing_off')
    assert.deepEqual(event.state.stderrTail.at(-1), 'no database')
    waits.push(event.state.nextTryAtMs - (Date.now() - (performance.now() - atMs)))
    assert.equal(await callText(hub, { server: 'other', tool: 'echo' }, { message: 'well' }), 'well')
  }
  await writeFile(join(hub.home, 'mended'), '')
  await events.untilState('one', 'ready')

  waits.forEach((wait, index) =>
    assert.ok(wait > 500 * 2 ** index && wait < 1300 * 2 ** index, `waits of ${waits.join(', ')} ms`),
  )
  assert.equal(await callText(hub, { server: 'one', tool: 'hello' }), 'hello')
  return `waited ${waits.map(span).join(', ')}; the other server answered throughout; mended, it was back by itself after ${since(startedAt)}`
}

async function noSuchCommand(open: Maker): Promise<string> {
  await using hub = await open({ one: { command: 'no-such-program-here' }, other: fixture('echo') })
  const events = await observe(hub)

  const failures = await Promise.all(Array.from({ length: 50 }, () => failureOf(callText(hub, pid))))
  const late = await failureOf(callText(hub, pid))

  assert.deepEqual(new Set(failures.map(({ code }) => code)), new Set(['start_failed']))
  assert.match(late.message, /"no-such-program-here" was not found/)
  assert.match(late.next ?? '', /Install/)
  assert.equal((await stateOf(hub, 'one'))?.kind, 'failed')
  const tries = events.all.filter(
    ({ event }) => event.kind === 'state' && event.server === 'one' && event.state.kind === 'connecting',
  ).length
  assert.equal(tries, 1)
  assert.equal(await callText(hub, { server: 'other', tool: 'echo' }, { message: 'well' }), 'well')
  return `51 calls, ${tries} try: "${late.message}"`
}

async function stubborn(open: Maker): Promise<string> {
  const hub = await open({ one: fixture('ignores-term') }, { grace: { beforeTermMs: 200, beforeKillMs: 200 } })
  const pids = JSON.parse(await callText(hub, { server: 'one', tool: 'pids' })) as readonly number[]
  assert.equal(pids.filter(isRunning).length, 2)

  const startedAt = performance.now()
  await hub[Symbol.asyncDispose]()
  await eventually('both to be gone', () => !pids.some(isRunning))
  return `both gone ${since(startedAt)} after the hub began to close, with 0.2 s of grace for each step`
}

async function hubKilled(): Promise<string> {
  const home = await temporaryFolder()
  const servers = { polite: fixture('echo'), stubborn: fixture('ignores-term') }
  const program = `
    import { openHub } from ${JSON.stringify(new URL('../../src/hub/hub.ts', import.meta.url).href)}
    const hub = await openHub({ mcpServers: ${JSON.stringify(servers)} })
    const { content: [polite] } = await hub.call({ server: 'polite', tool: 'pid' }, {})
    const { content: [stubborn] } = await hub.call({ server: 'stubborn', tool: 'pids' }, {})
    console.log(JSON.stringify({ polite: Number(polite.text), stubborn: JSON.parse(stubborn.text) }))
  `
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    env: { PATH: process.env['PATH'], HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const pids = JSON.parse(line.toString()) as { readonly polite: number; readonly stubborn: readonly number[] }

  child.kill('SIGKILL')
  await once(child, 'exit')
  const killedAt = performance.now()
  await eventually('the polite server to end', () => !isRunning(pids.polite))
  const politeEnd = since(killedAt)
  assert.equal(pids.stubborn.filter(isRunning).length, 2)
  await using _next = await openTestHub({}, { home })
  await eventually('the stubborn server to be ended', () => !pids.stubborn.some(isRunning))
  await rm(home, { recursive: true, force: true })
  return `the polite one was gone ${politeEnd} later; the stubborn one and its child when the next hub was opened`
}
