import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { GlobalFlags } from '../../src/cli/command.ts'
import { openContext } from '../../src/cli/context.ts'
import { CapstanError } from '../../src/errors.ts'
import { tempFolder } from '../config/temp-folder.ts'
import { fixture } from '../fixtures/fixture.ts'
import { textOf } from '../hub/makers.ts'
import { person } from './person.ts'

const plain: GlobalFlags = {
  json: false,
  config: [],
  header: [],
  mayAsk: false,
  debug: false,
  trustProject: false,
  noDaemon: true,
}
const never = new AbortController().signal

/** A home whose user has these servers, and somebody standing in it. */
async function homeWith(mcpServers: Readonly<Record<string, unknown>>) {
  const folder = await tempFolder()
  await folder.write({ '.config/capstan/mcp.json': JSON.stringify({ mcpServers }), 'work/': '' })
  const env = { HOME: folder.path, PATH: process.env['PATH'] }
  return { ...folder, somebody: person({ env, cwd: join(folder.path, 'work') }) }
}

test('the config is read once, and the hub opened once, however often they are asked for', async () => {
  await using home = await homeWith({ one: fixture('echo') })
  await using context = openContext({ io: home.somebody.io, flags: plain, interrupted: never })

  const [configs, hubs] = [
    await Promise.all([context.loadConfig(), context.loadConfig()]),
    await Promise.all([context.openHub(), context.openHub(() => ['one'])]),
  ]

  expect(configs[0]).toBe(configs[1])
  expect(hubs[0]).toBe(hubs[1])
})

test('disposing it ends the servers, twice is once, and without a hub there is nothing to end', async () => {
  await using home = await homeWith({ one: fixture('echo') })
  const unused = openContext({ io: home.somebody.io, flags: plain, interrupted: never })
  const context = openContext({ io: home.somebody.io, flags: plain, interrupted: never })
  const hub = await context.openHub()
  const pid = Number(textOf(await hub.call({ server: 'one', tool: 'pid' }, {})))

  await context[Symbol.asyncDispose]()
  await context[Symbol.asyncDispose]()
  await unused[Symbol.asyncDispose]()

  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

test('a hub that could not be opened is no reason to fail at the end', async () => {
  await using home = await homeWith({})
  const context = openContext({ io: home.somebody.io, flags: { ...plain, config: ['nope.json'] }, interrupted: never })

  await expect(context.openHub()).rejects.toMatchObject({ code: 'config_invalid' })
  await expect(context[Symbol.asyncDispose]()).resolves.toBeUndefined()
})

test('warnings of the config are told when the hub is opened, once', async () => {
  await using home = await homeWith({ one: { ...fixture('echo'), comand: 'x' } })
  await using context = openContext({ io: home.somebody.io, flags: plain, interrupted: never })

  await context.loadConfig()
  await context.openHub()
  await context.openHub()

  expect(home.somebody.said().match(/^warning: .*comand/gm)).toHaveLength(1)
})

test('its signal is the interruption, and the timeout when there is one', async () => {
  await using home = await homeWith({})
  const stop = new AbortController()
  const flags = { ...plain, timeoutSeconds: 0.001 }
  await using limited = openContext({ io: home.somebody.io, flags, interrupted: never })
  await using open = openContext({
    io: home.somebody.io,
    flags: { ...plain, timeoutSeconds: 60 },
    interrupted: stop.signal,
  })

  await new Promise((resolve) => limited.signal.addEventListener('abort', resolve, { once: true }))
  stop.abort(new CapstanError('cancelled', 'Interrupted.'))

  expect(limited.signal.reason).toMatchObject({ name: 'TimeoutError' })
  expect(open.signal.reason).toMatchObject({ code: 'cancelled' })
})

test('with --debug every protocol message is told on stderr, with its direction', async () => {
  await using home = await homeWith({ one: fixture('echo') })
  await using context = openContext({ io: home.somebody.io, flags: { ...plain, debug: true }, interrupted: never })

  const hub = await context.openHub()
  await hub.call({ server: 'one', tool: 'echo' }, { message: 'hi' })

  expect(home.somebody.said()).toMatch(/^one → \{.*tools\/call/m)
  expect(home.somebody.said()).toMatch(/^one ← \{.*"hi"/m)
})
