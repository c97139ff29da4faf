import { describe, expect, test } from 'vitest'
import { openLiveCatalogue, type LiveCatalogue } from '../../src/commands/live-catalogue.ts'
import { openCommands, type Commands } from '../../src/commands/open-commands.ts'
import { fixture } from '../fixtures/fixture.ts'
import { inlineServer } from '../hub/inline-server.ts'
import { makers, openTestHub } from '../hub/makers.ts'
import { contextOver } from './session-view.ts'

/** Tool `set` puts other prompts in the place of those there are; `fail` makes every later list fail. Both say list_changed. */
const changingPrompts = inlineServer(`
  const prompts = [{ name: 'first' }, { name: 'second', description: 'The second.' }]
  let fails = false
  const say = (call, text) => { call.wire.send({ method: 'notifications/prompts/list_changed' }); return text }
  serveRaw({
    name: 'changing', listChanged: true, prompts,
    tools: [
      { name: 'set', inputSchema: object, run: ({ names }, call) => { prompts.splice(0, prompts.length, ...names.map((name) => ({ name }))); return say(call, 'set') } },
      { name: 'fail', inputSchema: object, run: (_args, call) => { fails = true; return say(call, 'fails') } },
    ],
    intercept: ({ id, method }, wire) => {
      if (method !== 'prompts/list' || !fails) return false
      wire.send({ id, error: { code: -32603, message: 'gone' } })
      return true
    },
  })`)

describe.each(makers)('the registry over %s', (_name, makeHub) => {
  test('has the prompts of a server as they are now, each with the same key as before', async () => {
    await using hub = await makeHub({ changing: changingPrompts })
    using commands = openCommands(contextOver(hub))
    await until(commands, () => promptNames(commands).length === 2)
    const second = commands.list().find(({ name }) => name === 'changing:second')

    await hub.call({ server: 'changing', tool: 'set' }, { names: ['zero', 'second', 'third'] })
    await until(commands, () => promptNames(commands).length === 3)

    expect(promptNames(commands)).toEqual(['changing:second', 'changing:third', 'changing:zero'])
    expect(commands.list().find(({ name }) => name === 'changing:second')?.key).toBe(second?.key)
    expect(await commands.execute('/changing:first')).toMatchObject({
      kind: 'error',
      error: { code: 'prompt_unknown' },
    })
  })

  test('keeps the old list when a refresh fails', async () => {
    await using hub = await makeHub({ changing: changingPrompts })
    using catalogue = openLiveCatalogue(hub)
    await until(catalogue, () => catalogue.current().prompts.length === 2)

    await hub.call({ server: 'changing', tool: 'fail' }, {})
    await catalogue.refresh({ servers: ['changing'] })

    expect(catalogue.current().prompts.map(({ prompt }) => prompt)).toEqual(['first', 'second'])
  })

  test('drops the prompts of a server that is disabled and has them again when it is enabled', async () => {
    await using hub = await makeHub({ changing: changingPrompts, echo: fixture('echo') })
    using commands = openCommands(contextOver(hub))
    await until(commands, () => promptNames(commands).length === 5)

    expect(await commands.execute('/servers disable changing')).toMatchObject({ kind: 'printed' })
    const without = promptNames(commands)
    await commands.execute('/servers enable changing')

    expect(without).toEqual(['echo:greet', 'echo:plain', 'echo:talk'])
    expect(promptNames(commands)).toHaveLength(5)
  })
})

test('a server that never answers holds up neither the built-in commands nor the prompts of others', async () => {
  await using hub = await openTestHub({ silent: fixture('never-answers'), echo: fixture('echo') })
  using commands = openCommands(contextOver(hub))

  expect(commands.list().map(({ name }) => name)).toContain('help')
  expect(await commands.execute('/help')).toMatchObject({ kind: 'printed' })
  await until(commands, () => promptNames(commands).length > 0)
  expect(promptNames(commands)).toContain('echo:greet')
})

test('a prompt that is typed before its server has answered is waited for', async () => {
  const slow = inlineServer(`setTimeout(() => serveRaw({ name: 'slow', prompts: [{ name: 'late' }] }), 300)`)
  await using hub = await openTestHub({ slow })
  using commands = openCommands(contextOver(hub))

  expect(promptNames(commands)).toEqual([])
  expect(await commands.execute('/slow:late')).toMatchObject({ kind: 'prompt', prompt: 'slow:late' })
})

test('built-in commands work with no server at all', async () => {
  await using hub = await openTestHub({})
  using commands = openCommands(contextOver(hub))

  const outcomes = await Promise.all(
    ['/help', '/tools', '/prompts', '/servers', '/model'].map((line) => commands.execute(line)),
  )

  expect(outcomes.map(({ kind }) => kind)).toEqual(['printed', 'printed', 'printed', 'printed', 'printed'])
})

test('after closing it hears nothing more', async () => {
  await using hub = await openTestHub({ changing: changingPrompts })
  const catalogue = openLiveCatalogue(hub)
  await until(catalogue, () => catalogue.current().prompts.length === 2)
  let changes = 0
  catalogue.on(() => (changes += 1))

  catalogue[Symbol.dispose]()
  await hub.call({ server: 'changing', tool: 'set' }, { names: [] })
  await hub.catalogue({ fresh: true })

  expect(changes).toBe(0)
  expect(catalogue.current().prompts).toHaveLength(2)
})

function promptNames(commands: Commands): readonly string[] {
  return commands.list().flatMap(({ kind, name }) => (kind === 'prompt' ? [name] : []))
}

async function until(source: Pick<LiveCatalogue, 'on'>, isTrue: () => boolean): Promise<void> {
  if (isTrue()) return
  const { promise, resolve } = Promise.withResolvers<void>()
  using _ = source.on(() => {
    if (isTrue()) resolve()
  })
  await promise
}
