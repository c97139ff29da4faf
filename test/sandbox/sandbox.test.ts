import { afterAll, describe, expect, test, vi } from 'vitest'
import { CapstanError } from '../../src/errors.ts'
import type { ExecOutcome, RunOptions } from '../../src/sandbox/api.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { runOptions, structured, text } from './run-options.ts'

const sandbox = createSandbox()
afterAll(() => sandbox[Symbol.asyncDispose]())

async function run(code: string, overrides: Partial<RunOptions> = {}): Promise<ExecOutcome> {
  return sandbox.run(code, runOptions(overrides))
}

describe('what a snippet gives back', () => {
  test.each<[string, string, unknown]>([
    ['a single expression is its own result', '1 + 1', 2],
    ['an expression may end with semicolons', '({ a: [1] });;\n', { a: [1] }],
    ['an object in braces is an expression', '{ a: 1, b: await test() }\n// done', undefined],
    ['statements need a return', 'const a = 1\nreturn a + 1', 2],
    ['statements without a return give null', 'const a = 1; a + 1', null],
    ['a single function is called', 'async () => { return 7 }', 7],
    ['a promise is awaited', 'Promise.resolve([1])', [1]],
    ['undefined is null', 'undefined', null],
    ['nothing is null', '', null],
    ['comments at the end do no harm', '1 // one', 1],
    [
      'what JSON leaves out is left out',
      '({ a: undefined, b: () => 1, c: new Date(0) })',
      { c: '1970-01-01T00:00:00.000Z' },
    ],
    ['text of any script comes back whole', '"héllo 🦊 \\ud800\\u0000"', 'héllo 🦊 \ud800\u0000'],
  ])('%s', async (_claim, code, value) => {
    const outcome = await run(code)

    if (value === undefined) expect(outcome).toMatchObject({ kind: 'threw', error: { name: 'ReferenceError' } })
    else expect(outcome).toMatchObject({ kind: 'returned', value })
  })

  test.each([
    ['a circular object', 'const a = {}; a.a = a; return a'],
    ['a big integer', '1n'],
  ])('%s cannot be returned, and the error says so', async (_what, code) => {
    const outcome = await run(code)

    expect(outcome).toMatchObject({ kind: 'threw', error: { name: 'TypeError' } })
    expect(outcome.kind === 'threw' && outcome.error.message).toContain('cannot be written as JSON')
  })
})

describe('values that nest', () => {
  const nested = (levels: number) => `let a = 1; for (let i = 0; i < ${levels}; i++) a = { a }; `

  test('as deeply as anybody means pass in both directions', async () => {
    const outcome = await run(`${nested(400)} return (await tools.test.echo({ a })).a`)

    expect(outcome.kind).toBe('returned')
  })

  test.each([
    ['is returned', 'return a', 'threw'],
    ['is sent', 'return await tools.test.echo({ a }).catch((error) => error.name + ": " + error.message)', 'returned'],
  ])('far too deeply are an error when one %s', async (_what, end, kind) => {
    const outcome = await run(`${nested(3000)} ${end}`)

    expect(outcome.kind).toBe(kind)
    expect(JSON.stringify(outcome)).toMatch(/RangeError.*nest/)
  })

  test('far too deeply are an error of the call that a tool answers them to', async () => {
    const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
    const call = async () => structured(deep(100_000))

    const outcome = await run('tools.test.echo({}).catch((error) => error.code)', { call })

    expect(outcome).toMatchObject({ kind: 'returned', value: 'limit_exceeded' })
  })
})

describe('tools', () => {
  test('are called by name, and a dash or dot may be written as an underscore', async () => {
    const code = `return [
      await tools.test.echo({ a: 1 }), await tools['odd-name']['with.dot'](), await tools.odd_name.with_dash({}),
    ]`

    const outcome = await run(code)

    expect(outcome).toMatchObject({ value: [{ a: 1 }, 'odd-name.with.dot', 'odd-name.with-dash'] })
    expect(outcome.trace.map(({ errand, outcome }) => ({ errand, outcome }))).toEqual([
      { errand: { kind: 'call', server: 'test', tool: 'echo' }, outcome: 'ok' },
      { errand: { kind: 'call', server: 'odd-name', tool: 'with.dot' }, outcome: 'ok' },
      { errand: { kind: 'call', server: 'odd-name', tool: 'with-dash' }, outcome: 'ok' },
    ])
  })

  test('can be listed from inside', async () => {
    const outcome = await run(`[Object.keys(tools), Object.keys(tools.test), 'echo' in tools.test, 'no' in tools]`)

    expect(outcome).toMatchObject({ value: [['test', 'odd-name'], ['echo', 'fails', 'waits'], true, false] })
  })

  test('that a server lists twice are there once', async () => {
    const outcome = await run('Object.keys(tools.twice)', { tools: { twice: ['a', 'a', 'b'] } })

    expect(outcome).toMatchObject({ value: ['a', 'b'] })
  })

  test('give everything through raw', async () => {
    const outcome = await run('tools.test.fails.raw({})', { call: async () => text('{"a":1}') })

    expect(outcome).toMatchObject({ value: { content: [{ type: 'text', text: '{"a":1}' }] } })
  })

  test('that report an error throw it, at the line of the call', async () => {
    const code = `const a = 1\n  await tools.test.fails({})\nreturn a`

    const outcome = await run(code, { call: async () => ({ ...text('no such file'), isError: true }) })

    expect(outcome).toMatchObject({
      kind: 'threw',
      error: { name: 'ToolError', message: 'no such file', line: 2, column: 20 },
      trace: [{ outcome: 'tool_error' }],
    })
  })

  test('that report an error can be caught, by name and code', async () => {
    const code = `try { await tools.test.fails() } catch (e) { return [e.name, e.message, e.code, e instanceof Error] }`

    const outcome = await run(code, { call: async () => ({ ...text('no'), isError: true }) })

    expect(outcome).toMatchObject({ value: ['ToolError', 'no', 'tool_error', true] })
  })

  test('that cannot be called throw an error with the code of the failure', async () => {
    const code = `tools.test.echo().catch((e) => [e.name, e.message, e.code])`
    const call = async (): Promise<never> => {
      throw new CapstanError('not_allowed', 'test.echo is denied by the config.')
    }

    const outcome = await run(code, { call })

    expect(outcome).toMatchObject({ value: ['CallError', 'test.echo is denied by the config.', 'not_allowed'] })
    expect(outcome.trace).toMatchObject([{ outcome: 'not_allowed' }])
  })

  test('that are not there throw an error with the closest names, and nothing is called', async () => {
    const called: string[] = []
    const call: RunOptions['call'] = async ({ tool }) => {
      called.push(tool)
      return text('')
    }

    const outcome = await run(`\n tools.test.ecoh({})`, { call })

    expect(outcome).toMatchObject({
      error: { message: 'No tool "ecoh" at server "test". Closest: test.echo.', line: 2 },
    })
    expect(called).toEqual([])
  })

  test.each(['tools.test.echo(1)', 'tools.test.echo([])', 'tools.test.echo("a", {})', 'tools.test.echo({}, 1)'])(
    '%s is refused before anything is called',
    async (code) => {
      const outcome = await run(code)

      expect(outcome).toMatchObject({ kind: 'threw', error: { name: 'TypeError', line: 1 }, trace: [] })
    },
  )

  test('with a bug in how they are called make the run reject, because it is not the snippet that failed', async () => {
    const call = async (): Promise<never> => {
      throw new TypeError('a bug')
    }

    await expect(run('tools.test.echo()', { call })).rejects.toThrow('a bug')
  })

  test('with a bug in who listens make the run reject too', async () => {
    const onCall: RunOptions['onCall'] = ({ kind }) => {
      if (kind === 'ended') throw new TypeError('a bug in the listener')
    }

    await expect(run('tools.test.echo()', { onCall })).rejects.toThrow('a bug in the listener')
  })

  test('run side by side, but not more of them than allowed', async () => {
    let underWay = 0
    let most = 0
    const call: RunOptions['call'] = async (_tool, args) => {
      most = Math.max(most, ++underWay)
      await new Promise((resolve) => setImmediate(resolve))
      underWay--
      return text(JSON.stringify(args['n']))
    }
    const code = `const all = await Promise.all(Array.from({ length: 50 }, (_, n) => tools.test.echo({ n })))
      return all.join()`

    const outcome = await run(code, { call, limits: { concurrency: 3 } })

    expect(outcome).toMatchObject({ value: Array.from({ length: 50 }, (_, n) => n).join() })
    expect(most).toBe(3)
  })

  test('are announced when they start and when they end', async () => {
    const events: string[] = []

    await run('tools.test.echo()', { onCall: (event) => events.push(`${event.kind} ${event.id}`) })

    expect(events).toEqual(['started 1', 'ended 1'])
  })
})

describe('search and inspect', () => {
  test('are answered by the functions handed in', async () => {
    const outcome = await run(`[await search('issue', { limit: 2 }), await search('x'), await inspect('test.echo')]`)

    expect(outcome).toMatchObject({ value: [['issue', { limit: 2 }], ['x', {}], { name: 'test.echo' }] })
    expect(outcome.trace.map(({ errand }) => errand.kind)).toEqual(['search', 'search', 'inspect'])
  })

  test.each(['search()', 'inspect(1)', 'search("a", 1)'])('%s is refused with what it takes', async (code) => {
    expect(await run(code)).toMatchObject({ kind: 'threw', error: { name: 'TypeError' }, trace: [] })
  })
})

describe('the console', () => {
  test('keeps level and order, and shows values as JSON', async () => {
    const seen: string[] = []
    const code = `console.log('a', { b: [1] }, undefined); console.warn(new TypeError('x')); console.error(1n); console.debug(Symbol('s'))`

    const outcome = await run(code, { onLog: ({ level, text }) => seen.push(`${level} ${text}`) })

    expect(seen).toEqual(['log a {"b":[1]} undefined', 'warn TypeError: x', 'error 1', 'debug Symbol(s)'])
    expect(outcome.logs.map(({ level, text }) => `${level} ${text}`)).toEqual(seen)
  })

  test('is heard while the snippet still runs', async () => {
    const heard = Promise.withResolvers<string>()
    const call: RunOptions['call'] = async () => text(await heard.promise)

    const outcome = await run(`console.log('hi'); return tools.test.echo()`, {
      call,
      onLog: ({ text }) => heard.resolve(text),
    })

    expect(outcome).toMatchObject({ value: 'hi' })
  })
})

describe('timers', () => {
  test('fire in the order of their delays, with their arguments, unless cleared', async () => {
    const code = `const seen = []
      setTimeout((x) => seen.push(x), 20, 'late'); setTimeout((x) => seen.push(x), 1, 'soon')
      clearTimeout(setTimeout(() => seen.push('never'), 5))
      await new Promise((resolve) => setTimeout(resolve, 40))
      return seen`

    expect(await run(code)).toMatchObject({ value: ['soon', 'late'] })
  })

  test.each(['setTimeout', 'queueMicrotask'])('an error in a callback of %s ends the run', async (name) => {
    const outcome = await run(`${name}(() => { throw new Error('late') })\nawait new Promise((r) => setTimeout(r, 50))`)

    expect(outcome).toMatchObject({ kind: 'threw', error: { message: 'late', line: 1 } })
  })
})

describe('the end of a run', () => {
  test('a promise that nothing settles is found at once', async () => {
    const outcome = await run('await new Promise(() => {})')

    expect(outcome).toMatchObject({ kind: 'deadlock' })
    expect(outcome.ms).toBeLessThan(5000)
  })

  test('calls that nobody awaited are cancelled, and the trace says so', async () => {
    const aborted = Promise.withResolvers<unknown>()
    const call: RunOptions['call'] = async (_tool, _args, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve(signal.reason))
      throw await aborted.promise
    }

    const outcome = await run('tools.test.waits(); return 1', { call })

    expect(outcome).toMatchObject({ kind: 'returned', value: 1, trace: [{ outcome: 'cancelled' }] })
    expect(await aborted.promise).toMatchObject({ code: 'cancelled' })
  })

  test('the signal ends a run that computes', async () => {
    const controller = new AbortController()

    const outcome = await run(`console.log('x'); for (;;) {}`, {
      signal: controller.signal,
      onLog: () => controller.abort(),
    })

    expect(outcome).toMatchObject({ kind: 'cancelled', logs: [{ text: 'x' }] })
  })

  test('the signal ends a run that waits for a call, and the call with it', async () => {
    const controller = new AbortController()
    const aborted = Promise.withResolvers<string>()
    const call: RunOptions['call'] = async (_tool, _args, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve('aborted'))
      controller.abort()
      return text(await aborted.promise)
    }

    const outcome = await run('tools.test.waits()', { call, signal: controller.signal })

    expect(outcome).toMatchObject({ kind: 'cancelled', trace: [{ outcome: 'cancelled' }] })
    expect(await aborted.promise).toBe('aborted')
  })

  test('a signal that came before the run keeps it from starting', async () => {
    expect(await run('1', { signal: AbortSignal.abort() })).toMatchObject({ kind: 'cancelled', ms: 0 })
  })
})

describe('limits', () => {
  test.each<[string, string, NonNullable<RunOptions['limits']>]>([
    ['time', 'for (;;) {}', { timeMs: 300 }],
    ['time', 'await new Promise((resolve) => setTimeout(resolve, 60_000))', { timeMs: 300 }],
    ['memory', 'const all = []; for (;;) all.push({})', { memoryBytes: 8 << 20 }],
    ['calls', 'for (;;) await tools.test.echo()', { calls: 5 }],
    ['calls', 'await Promise.all(Array.from({ length: 6 }, () => tools.test.echo()))', { calls: 5 }],
    ['calls', 'await search("a")', { calls: 0 }],
    ['log', 'for (;;) console.log("")', { logBytes: 1000 }],
    ['result', '"é".repeat(600)', { resultBytes: 1000 }],
    ['snippet', `'${'x'.repeat(50)}'`, { snippetBytes: 50 }],
  ])('the limit of %s ends %s', async (limit, code, limits) => {
    const outcome = await run(code, { limits })

    expect(outcome).toMatchObject({ kind: 'limit', limit, message: expect.stringMatching(/^The .*\.$/) })
  })

  test('a call with larger arguments than allowed fails alone', async () => {
    const code = `tools.test.echo({ a: 'x'.repeat(2000) }).catch((e) => [e.name, e.message])`

    const outcome = await run(code, { limits: { argumentBytes: 1000 } })

    expect(outcome).toMatchObject({ value: ['RangeError', 'The arguments are larger than one call may send.'] })
  })

  test('an answer that would fill the memory fails alone', async () => {
    const call = async () => text('x'.repeat(20 << 20))

    const outcome = await run(`tools.test.echo().catch((e) => [e.name, e.code, e.message])`, { call })

    const message = 'The answer of 20 MB does not fit into the 64 MB of the sandbox. Ask for less of it.'
    expect(outcome).toMatchObject({ value: ['CallError', 'limit_exceeded', message] })
  })

  test('a long text of an error is cut', async () => {
    const outcome = await run('throw new Error("é".repeat(9000))')

    expect(outcome.kind === 'threw' && Buffer.byteLength(outcome.error.message)).toBe(4096)
  })

  test('a limit out of its range is refused before anything starts', async () => {
    await expect(run('1', { limits: { timeMs: -1 } })).rejects.toMatchObject({ code: 'usage' })
  })
})

describe('TypeScript', () => {
  test('runs with its places kept', async () => {
    const code = `interface A { readonly n: number }\nconst a: A | undefined = undefined as A | undefined\nreturn a!.n`

    expect(await run(code)).toMatchObject({ kind: 'threw', error: { name: 'TypeError', line: 3, column: 8 } })
  })

  test.each([
    ['an expression', '({ a: 1 } satisfies object as { a: number })', { a: 1 }],
    ['an object in braces', '{ a: 1 as number, b: 2 }', { a: 1, b: 2 }],
    ['text beyond ASCII in a type', `type A = 'é🦊'; const a: A = 'é🦊'; return a`, 'é🦊'],
  ])('%s gives its value', async (_what, code, value) => {
    expect(await run(code, { language: 'ts' })).toMatchObject({ kind: 'returned', value })
    expect(await run(code)).toMatchObject({ kind: 'returned', value })
  })

  test('what cannot be stripped is named at its place', async () => {
    const outcome = await run('const a = 1\n  enum B { C }\nreturn B.C')

    expect(outcome).toMatchObject({ kind: 'threw', error: { name: 'SyntaxError', line: 2, column: 3 } })
    expect(outcome.kind === 'threw' && outcome.error.message).toContain('enum')
  })

  test.each<[string, { line: number; column?: number }]>([
    ['const 日本: = 1', { line: 1 }],
    ['const a = 1\n\tlet b: = 1', { line: 2 }],
    ['const a = 1\nlet b: = 1', { line: 2, column: 8 }],
  ])('a mistake in %j is placed as exactly as is known', async (code, { line, column }) => {
    const outcome = await run(code)

    expect(outcome.kind === 'threw' && [outcome.error.line, outcome.error.column]).toEqual([line, column])
  })

  test('is not tried where JavaScript was asked for', async () => {
    expect(await run('const a: number = 1', { language: 'js' })).toMatchObject({ error: { name: 'SyntaxError' } })
  })

  test('does not change the meaning of what JavaScript understands', async () => {
    expect(await run('const [a, b, c] = [3, 2, 1]; return a < b > (c)')).toMatchObject({ value: false })
  })
})

describe('a sandbox', () => {
  test('runs several snippets side by side, and no more than its number', async () => {
    await using small = createSandbox({ parallelRuns: 2, spareMs: 0 })
    let underWay = 0
    let most = 0
    const call: RunOptions['call'] = async () => {
      most = Math.max(most, ++underWay)
      // On a busy machine the second thread may take its time: nobody leaves before two are there.
      await vi.waitUntil(() => most >= 2, { timeout: 20_000 })
      underWay--
      return text('done')
    }

    const outcomes = await Promise.all([1, 2, 3, 4].map(() => small.run('tools.test.waits()', runOptions({ call }))))

    expect(outcomes.map(({ kind }) => kind)).toEqual(['returned', 'returned', 'returned', 'returned'])
    expect(most).toBe(2)
  })

  test('gives every run a world of its own', async () => {
    await run('globalThis.left = 1; Array.prototype.left = 2; return 1')

    expect(await run('[typeof left, typeof [].left]')).toMatchObject({ value: ['undefined', 'undefined'] })
  })

  test('ends its runs and refuses new ones when it is closed', async () => {
    const closing = createSandbox()
    const started = Promise.withResolvers<void>()
    const running = closing.run(`console.log(''); for (;;) {}`, runOptions({ onLog: () => started.resolve() }))
    await started.promise

    await closing[Symbol.asyncDispose]()
    await closing[Symbol.asyncDispose]()

    expect(await running).toMatchObject({ kind: 'cancelled' })
    expect(await closing.run('1', runOptions())).toMatchObject({ kind: 'cancelled' })
  })

  test('runs with other memory than the thread it keeps warm', async () => {
    await run('1')

    expect(await run('1', { limits: { memoryBytes: 4 << 20 } })).toMatchObject({ value: 1 })
  })
})
