import { describe, expect, test } from 'vitest'
import type { ApprovalQuestion, Invocation } from '../../../src/hosts/tools/index.ts'
import { tempFolder } from '../../config/temp-folder.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { openTestHub } from '../../hub/makers.ts'
import { createToolManager } from '../../../src/hosts/tools/create-tool-manager.ts'
import { begin, openManager, told } from './open-manager.ts'

describe('a call', () => {
  test('goes from pending over processing with progress to done, and tells of each step', async () => {
    await using manager = await openManager({ echo: fixture('echo') })
    const invocation = begin(manager, 'echo.slow', { ms: 20, steps: 2 })
    const seen: string[] = [invocation.state.kind]
    using _own = invocation.on((event) => seen.push(describeState(event.invocation)))

    const result = await invocation.result

    expect(seen).toEqual(['pending', 'processing', 'processing 1 of 2', 'processing 2 of 2', 'done'])
    expect(result).toMatchObject({ kind: 'mcp', id: 'call-1', name: 'mcp.echo.slow', isError: false })
    expect(invocation.state).toMatchObject({ kind: 'done', result })
  })

  test('is heard of through the manager too, as an event that can be told from those of other tools', async () => {
    await using manager = await openManager({ echo: fixture('echo') })
    const events: string[] = []
    using _all = manager.on(({ kind, id, name }) => events.push(`${kind} ${id} ${name}`))

    await begin(manager, 'echo.echo', { message: 'hi' }).result

    expect(new Set(events)).toEqual(new Set(['mcp call-1 mcp.echo.echo']))
  })

  test('is stopped by abort while it runs, and says that it may have taken effect', async () => {
    await using manager = await openManager({ echo: fixture('echo') })
    const invocation = begin(manager, 'echo.slow', { ms: 60_000 })
    using _own = invocation.on(() => invocation.state.kind === 'processing' && invocation.abort())

    const text = await told(manager, invocation)

    expect(text).toBe('Stopped by the user. It may have taken effect.')
    expect(invocation.state).toMatchObject({ kind: 'error', code: 'cancelled' })
    invocation.abort()
    expect(invocation.state).toMatchObject({ kind: 'error', code: 'cancelled' })
  })

  test('is stopped by the signal of whoever started it', async () => {
    await using manager = await openManager({ echo: fixture('echo') })
    const request = manager.request({ id: '1', name: 'echo.slow', input: { ms: 60_000 } })
    if (request === undefined) throw new Error('no tool')

    const invocation = manager.start(request, { signal: AbortSignal.timeout(50) })

    expect((await invocation.result).isError).toBe(true)
  })

  test('passes what a server asks to whoever answers for the host', async () => {
    await using manager = await openManager(
      { asks: fixture('asks') },
      {
        alwaysAllow: ['*'],
        onAsk: async () => ({ action: 'accept', content: { drink: 'tea', cups: 3 } }),
      },
    )

    expect(await told(manager, begin(manager, 'asks.order'))).toContain('3 tea')
  })
})

describe('what goes wrong is a result for the model:', () => {
  test.each([
    ['arguments that are no JSON', 'echo.echo', '{"message": ', 'arguments_invalid', /not valid JSON.*You wrote/],
    ['arguments that are no object', 'echo.echo', '[1]', 'arguments_invalid', /must be a JSON object/],
    ['arguments that do not fit', 'echo.echo', { message: 7 }, 'arguments_invalid', /message/],
    ['an error of the tool', 'echo.fail', { reason: 'no ink' }, 'tool_error', /^Failed: no ink$/],
    ['a server that dies', 'echo.exit', {}, 'outcome_unknown', /./],
  ])('%s', async (_what, name, input, code, text) => {
    await using manager = await openManager({ echo: fixture('echo') })
    const invocation = begin(manager, name, input)

    const answer = await told(manager, invocation)

    expect(answer).toMatch(text)
    expect(invocation.state).toMatchObject({ kind: 'error', code })
  })

  test('a callback of the host that throws, with the reason at hand', async () => {
    const mistake = new Error('no window to ask in')
    await using manager = await openManager({ echo: fixture('echo') }, { approve: () => Promise.reject(mistake) })
    const invocation = begin(manager, 'echo.echo', { message: 'hi' })

    expect(await told(manager, invocation)).toContain('no window to ask in')
    expect(invocation.state).toMatchObject({ kind: 'error', code: 'unexpected', cause: mistake })
  })

  test('nothing at all where a tool wants nothing and a model writes nothing', async () => {
    await using manager = await openManager({ echo: fixture('echo') })

    const answers = await Promise.all(
      [undefined, null, '', ' '].map((input) => told(manager, begin(manager, 'echo.empty', input))),
    )

    expect(answers).toEqual(Array.from({ length: 4 }, () => '(no output)'))
  })
})

describe('approval', () => {
  test('is refused where nobody can be asked and nothing allows the call', async () => {
    await using manager = await openManager({ echo: fixture('echo') }, { alwaysAllow: ['add'] })

    const [refused, allowed] = [
      begin(manager, 'echo.echo', { message: 'hi' }),
      begin(manager, 'echo.add', { a: 1, b: 2 }),
    ]

    expect(await told(manager, refused)).toBe('The tool mcp.echo.echo needs approval, and nobody can be asked.')
    expect(refused.state).toMatchObject({ kind: 'error', code: 'not_allowed' })
    expect(await told(manager, allowed)).toBe('3')
  })

  test('is not asked for where the config allows the tool, and beaten by what it denies', async () => {
    const entry = { ...fixture('echo'), alwaysAllow: ['echo', 'fail'], deny: ['fail'] }
    await using manager = await openManager({ echo: entry }, { approve: () => ({ kind: 'deny' }) })

    expect(await told(manager, begin(manager, 'echo.echo', { message: 'hi' }))).toBe('hi')
    expect(await told(manager, begin(manager, 'echo.fail'))).toBe('The tool mcp.echo.fail is denied by the config.')
  })

  test('is asked with the whole call, what the tool says about itself, and gives the reason of a no to the model', async () => {
    const questions: ApprovalQuestion[] = []
    await using manager = await openManager(
      { echo: fixture('echo') },
      {
        approve: (question) => {
          questions.push(question)
          return { kind: 'deny', reason: 'Not on a Sunday.' }
        },
      },
    )
    const message = 'long '.repeat(2000)

    const answer = await told(manager, begin(manager, 'echo.echo', { message }))

    expect(answer).toBe('Not on a Sunday.')
    expect(questions).toMatchObject([{ hints: ['says that it only reads'], wasAllowed: false }])
    expect(questions[0]?.view).toMatchObject({
      name: 'mcp.echo.echo',
      title: 'Echo',
      arguments: [{ name: 'message', value: message }],
      status: { kind: 'pending', isAsking: true },
    })
  })

  test('is asked once for the session when a person says so, and again after the tool has changed', async () => {
    const asked: boolean[] = []
    await using manager = await openManager(
      { changing: fixture('changes-list') },
      { approve: (question) => (asked.push(question.wasAllowed), { kind: 'allow', scope: 'session' }) },
    )
    await begin(manager, 'changing.grow').result
    await begin(manager, 'changing.grow').result
    const changed = Promise.withResolvers<void>()
    using _following = manager
      .specs({ provider: 'generic' })
      .follow((_next, difference) => difference.changed.length > 0 && changed.resolve())
    await begin(manager, 'changing.renew').result
    await changed.promise

    await begin(manager, 'changing.grow').result

    expect(asked).toEqual([false, false, true])
  })

  test('is not asked for a call whose arguments do not fit', async () => {
    let asked = 0
    await using manager = await openManager(
      { echo: fixture('echo') },
      { approve: () => ((asked += 1), { kind: 'allow' }) },
    )

    const invocation = begin(manager, 'echo.echo', { message: 7 })
    await invocation.result

    expect(asked).toBe(0)
    expect(invocation.state).toMatchObject({ kind: 'error', code: 'arguments_invalid' })
  })

  test('is kept for the project, so that the next manager does not ask', async () => {
    await using folder = await tempFolder()
    const servers = { echo: fixture('echo') }
    let asked = 0
    const run = async (): Promise<void> => {
      await using manager = await openManager(servers, {
        home: folder.path,
        approve: () => ((asked += 1), { kind: 'allow', scope: 'always-server' }),
      })
      await begin(manager, 'echo.echo', { message: 'hi' }).result
    }

    await run()
    await run()

    expect(asked).toBe(1)
  })

  test('offers to keep a yes only where it is known what the servers run', async () => {
    await using hub = await openTestHub({ echo: fixture('echo') })
    const scopes: unknown[] = []
    await using manager = await createToolManager({
      hub,
      approve: (question) => (scopes.push(question.scopes), { kind: 'allow' }),
    })

    await begin(manager, 'echo.echo', { message: 'hi' }).result

    expect(scopes).toEqual([['call', 'session']])
  })

  test('is withdrawn by abort, whether or not whoever was asked listens', async () => {
    const signals: AbortSignal[] = []
    await using manager = await openManager(
      { echo: fixture('echo') },
      { approve: (_question, { signal }) => (signals.push(signal), new Promise(() => {})) },
    )
    const invocation = begin(manager, 'echo.echo', { message: 'hi' })
    using _own = invocation.on(() => queueMicrotask(() => invocation.abort()))

    expect(await told(manager, invocation)).toBe('Stopped before it ran.')
    expect(signals[0]?.aborted).toBe(true)
  })

  test('of the host itself is enough, but does not lift what the config denies', async () => {
    await using manager = await openManager({ echo: { ...fixture('echo'), deny: ['fail'] } }, { alwaysAllow: [] })
    const start = (name: string, input: unknown): Invocation => {
      const request = manager.request({ id: '1', name, input })
      if (request === undefined) throw new Error('no tool')
      return manager.start(request, { isApproved: true })
    }

    expect(await told(manager, start('echo.echo', { message: 'hi' }))).toBe('hi')
    expect(await told(manager, start('echo.fail', {}))).toContain('denied by the config')
  })
})

describe('large content', () => {
  test('loses its middle on the way to the model, and is whole for a host that asks for all of it', async () => {
    await using manager = await openManager({ echo: fixture('echo') })
    const invocation = begin(manager, 'echo.big', { bytes: 100_000 })

    const text = await told(manager, invocation)

    expect(Buffer.byteLength(text)).toBeLessThan(21 * 1024)
    expect(text).toContain('bytes left out')
    expect(invocation.view().content).toEqual([{ kind: 'text', text }])
    expect(invocation.view({ full: true }).content).toEqual([{ kind: 'text', text: 'x'.repeat(100_000) }])
  })

  test('has the limits that the host sets, for pictures too', async () => {
    await using manager = await openManager(
      { echo: fixture('echo') },
      { alwaysAllow: ['*'], limits: { textBytes: 100, mediaBytes: 10 } },
    )

    expect(await told(manager, begin(manager, 'echo.big', { bytes: 1000 }))).toContain('bytes left out')
    expect(await told(manager, begin(manager, 'echo.image'))).toBe(
      '[image/png, left out: its 70 bytes are more than the 10 that are passed on]',
    )
  })
})

function describeState({ state }: Invocation): string {
  if (state.kind !== 'processing' || state.progress === undefined) return state.kind
  return `${state.kind} ${state.progress.progress} of ${state.progress.total}`
}
