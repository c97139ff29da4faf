import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../src/agent/session.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { always, calling, line, sessionWorld } from './session-world.ts'
import { calls, says, scriptedModel } from './scripted-model.ts'

describe('a session', () => {
  test('can be renamed, and is found by its new name', async () => {
    await using world = await sessionWorld()
    const session = await world.again({ model: scriptedModel(says('Hi.')) })
    await session.send(line('hello'))

    await session.rename('Greetings')

    expect(session.status().title).toBe('Greetings')
    expect(await world.store.list()).toMatchObject([{ title: 'Greetings' }])
    expect(lastStatus(world.events)?.title).toBe('Greetings')
  })

  test('can change its model on the way', async () => {
    await using world = await sessionWorld({ setup: { model: undefined } })
    await world.session.send(line('anybody there?'))

    world.session.useModel(scriptedModel(says('Now there is.')))

    expect(world.session.status().model).toBe('scripted')
    expect(await world.session.send(line('hello?'))).toMatchObject({ kind: 'answered', text: 'Now there is.' })
  })

  test('counts what was used', async () => {
    await using world = await sessionWorld()
    const session = await world.again(
      { model: scriptedModel(calls(['c1', 'echo__add', { a: 1, b: 1 }]), says('Two.')) },
      always('once'),
    )

    await session.send(line('add'))

    expect(session.status()).toMatchObject({
      usedTokens: 110,
      total: { inputTokens: 200, outputTokens: 20, cachedTokens: 0 },
    })
    expect(session.status().tools).toMatchObject({ mode: 'each' })
  })

  test('goes on in memory where nothing can be written, and says so', async () => {
    await using world = await sessionWorld()
    const folder = join(world.hub.home, 'conversations')
    await rm(folder, { recursive: true, force: true })
    await writeFile(folder, 'a file where a folder should be')
    const session = await world.again({ model: scriptedModel(says('Still here.')) })

    const outcome = await session.send(line('hello'))

    expect(outcome).toMatchObject({ kind: 'answered', text: 'Still here.' })
    expect(world.events).toContainEqual(
      expect.objectContaining({ kind: 'notice', notice: expect.objectContaining({ code: 'not_saved' }) as object }),
    )
    expect(session.history().map(({ kind }) => kind)).toEqual(['start', 'user', 'reply'])
  })

  test('keeps what is said readable by its owner alone', async () => {
    await using world = await sessionWorld()
    const session = await world.again({ model: scriptedModel(says('Hi.')) })
    await session.send(line('secret'))

    const folder = join(world.hub.home, 'conversations')
    const [folderMode, fileMode] = await Promise.all([
      stat(folder),
      stat(join(folder, `${session.status().conversation}.jsonl`)),
    ])

    expect([folderMode.mode & 0o777, fileMode.mode & 0o777]).toEqual([0o700, 0o600])
  })

  test('lets code run that the person has seen', async () => {
    await using world = await sessionWorld({
      hub: { sandbox: async () => createSandbox({ spareMs: 0 }) },
      setup: { inlinePercent: 0 },
      answers: always('once'),
      script: [
        {
          calls: [
            calling('exec', { code: 'console.log("hm"); return await tools.echo.add({ a: 2, b: 2 })' }, 'c1'),
            calling('exec', { code: 'throw new Error("no")' }, 'c2'),
          ],
        },
        { text: 'Four.' },
      ],
    })

    await world.session.send(line('go'))

    const results = world.session
      .history()
      .flatMap((entry) => (entry.kind === 'result' ? [[entry.callId, entry.end, entry.parts]] : []))
    expect(new Map(results.map(([id, ...rest]) => [id, rest]))).toEqual(
      new Map([
        ['c1', ['done', [{ kind: 'text', text: '4\nLogged:\nhm' }]]],
        ['c2', ['failed', [{ kind: 'text', text: 'Error: no' }]]],
      ]),
    )
  })

  test('compacts a conversation that is far too long for the model', async () => {
    await using world = await sessionWorld()
    const model = { ...scriptedModel(says('Long.'), says('In short: long.')), contextTokens: 2000 }
    const session = await world.again({ model })
    await session.send(line('word '.repeat(20_000)))

    expect(await session.compact()).toMatchObject({ kind: 'answered', text: 'In short: long.' })

    const [request] = model.requests.slice(-1)
    expect(JSON.stringify(request).length).toBeLessThan(6000)
    expect(request?.tools).toEqual([])
  })

  test('has nothing to compact before something was said', async () => {
    await using world = await sessionWorld()
    const session = await world.again({ model: scriptedModel() })

    expect(await session.compact()).toEqual({ kind: 'handled' })
  })
})

function lastStatus(events: readonly SessionEvent[]) {
  const changed = events.findLast((event) => event.kind === 'changed')
  return changed?.kind === 'changed' ? changed.status : undefined
}
