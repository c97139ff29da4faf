import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { HubEvent } from '../../../src/hub/api.ts'
import { startProcess } from '../../../src/hub/wire/server-process.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { inlineServer } from '../inline-server.ts'
import { openTestHub, textOf } from '../makers.ts'
import { scratchFolder } from '../scratch-folder.ts'

const quick = { beforeTermMs: 100, beforeKillMs: 100 }
const hello = { server: 'one', tool: 'hello' }

test.each([
  ['stdin', `process.stdin.pause(); setImmediate(() => closeSync(0))`],
  ['stdout', `isMute = true; setTimeout(() => closeSync(1), 50)`],
])('a server that closed its %s but lives is ended, and is back for a later call', async (_pipe, close) => {
  const entry = inlineServer(`
    import { closeSync } from 'node:fs'
    let isMute = false
    setInterval(() => {}, 1000)
    const run = () => { ${close}; return 'closing' }
    const tools = [{ name: 'close', inputSchema: object, run }, { name: 'hello', inputSchema: object }]
    serveRaw({ name: 'closes', tools, intercept: () => isMute, outlivesStdin: true })
  `)
  await using hub = await openTestHub({ one: entry }, { grace: quick })
  const gone = stateChange(hub, 'backing_off')

  await hub.call({ server: 'one', tool: 'close' }, {})
  // The call that finds the pipe broken may fail; the connection must not stay broken after it.
  await hub.call(hello, {}, { idleSeconds: 5 }).catch(() => undefined)
  await gone

  expect(textOf(await hub.call(hello, {}))).toBe('hello')
})

test('a grandchild that left the group and holds the pipes does not keep the connection of a dead server', async () => {
  const entry = inlineServer(`
    import { spawn } from 'node:child_process'
    const run = () => {
      const escaped = spawn('sleep', ['20'], { detached: true, stdio: 'inherit' })
      process.stderr.write('escaped ' + escaped.pid + '\\n', () => process.exit(0))
      return new Promise(() => {})
    }
    serveRaw({ name: 'leaves', tools: [{ name: 'leave', inputSchema: object, run }, { name: 'hello', inputSchema: object }] })
  `)
  await using hub = await openTestHub({ one: entry })

  const left = hub.call({ server: 'one', tool: 'leave' }, {}, { idleSeconds: 10 })

  await expect(left).rejects.toMatchObject({ code: 'outcome_unknown' })
  expect(textOf(await hub.call(hello, {}))).toBe('hello')
  const pid = Number((await hub.logs('one')).map(({ text }) => /^escaped (\d+)$/.exec(text)?.[1]).find(Boolean))
  process.kill(pid, 'SIGKILL')
})

test('an answer that a server writes right before it exits is not lost', async () => {
  const entry = inlineServer(`
    const text = 'x'.repeat(300_000)
    const run = (_args, { wire, id }) => {
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }) + '\\n', () => process.exit(0))
      return new Promise(() => {})
    }
    serveRaw({ name: 'last-words', tools: [{ name: 'last', inputSchema: object, run }] })
  `)
  await using hub = await openTestHub({ one: entry })

  const result = await hub.call({ server: 'one', tool: 'last' }, {})

  expect(textOf(result)).toHaveLength(300_000)
})

test.each([
  ['a folder that is a file', async (file: string) => ({ ...fixture('echo'), cwd: file }), /is not a folder/],
  [
    'an environment that is too long',
    async () => ({ ...fixture('echo'), env: { BIG: 'x'.repeat(3_000_000) } }),
    /longer than the system allows/,
  ],
  ['a command that is not executable', async (file: string) => ({ command: file }), /not executable/],
])('%s is told as a failed start, with the reason', async (_title, entryFor, reason) => {
  const file = join(await scratchFolder(), 'file')
  await writeFile(file, '')
  await using hub = await openTestHub({ one: await entryFor(file) })

  const call = hub.call(hello, {})

  await expect(call).rejects.toMatchObject({ code: 'start_failed', message: expect.stringMatching(reason) })
})

test('stopping a process twice, and once more after its end, is the same as stopping it once', async () => {
  const child = startProcess({
    server: 'cat',
    command: 'cat',
    args: [],
    env: { PATH: process.env['PATH'] ?? '' },
    cwd: '/',
    onStderr: () => {},
    onStart: () => {},
  })
  await child.started

  await Promise.all([child.stop(quick), child.stop(quick)])
  await child.stop(quick)

  await expect(child.exited).resolves.toMatchObject({ code: 0 })
})

function stateChange(hub: { on: (listener: (event: HubEvent) => void) => Disposable }, kind: string): Promise<void> {
  return new Promise((resolve) => {
    hub.on((event) => event.kind === 'state' && event.state.kind === kind && resolve())
  })
}
