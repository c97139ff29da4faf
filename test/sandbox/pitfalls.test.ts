import { afterAll, describe, expect, test } from 'vitest'
import { CapstanError } from '../../src/errors.ts'
import type { JsonObject } from '../../src/hub/api.ts'
import type { ExecOutcome, RunOptions } from '../../src/sandbox/api.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { runOptions, text } from './run-options.ts'

// Each of these was found by running an engine in the wrong way first.
const sandbox = createSandbox()
afterAll(() => sandbox[Symbol.asyncDispose]())

async function run(code: string, overrides: Partial<RunOptions> = {}): Promise<ExecOutcome> {
  return sandbox.run(code, runOptions(overrides))
}

const megabyte = 1024 * 1024

test('1. a stack that overflows is an error of the snippet and nothing more', async () => {
  const outcome = await run(
    'let depth = 0; const f = () => { depth++; f() }; try { f() } catch (e) { return [e.name, depth > 100] }',
  )

  expect(outcome).toMatchObject({ value: ['RangeError', true] })
})

test('2. memory is limited in long built-ins too, and the process does not grow by more than a few times the limit', async () => {
  const before = process.memoryUsage.rss()

  const outcome = await run(`const all = []; for (;;) all.push(new Array(1e5).fill('x'.repeat(1000) + all.length))`)

  expect(outcome).toMatchObject({ kind: 'limit', limit: 'memory' })
  expect(outcome.ms).toBeLessThan(10_000)
  expect(process.memoryUsage.rss() - before).toBeLessThan(500 * megabyte)
})

test('3. the deadline holds inside one long built-in that asks nobody whether to go on', async () => {
  const outcome = await run(`/^(a|a)*$/.test('a'.repeat(60) + 'b')`, { limits: { timeMs: 500 } })

  expect(outcome).toMatchObject({ kind: 'limit', limit: 'time' })
  expect(outcome.ms).toBeLessThan(5000)
})

describe('4. recursion that gets past the guard of the engine ends the run, and only that run', () => {
  test.each([
    ['JSON', `JSON.parse('['.repeat(500_000))`],
    ['regular expressions', `new RegExp('('.repeat(200_000) + ')'.repeat(200_000))`],
    ['eval', `eval('['.repeat(300_000))`],
    ['the snippet itself', '['.repeat(200_000)],
    ['nested objects', `let o = {}; for (let i = 0; i < 100_000; i++) o = { o }; return o`],
  ])('in %s', async (_where, code) => {
    const outcome = await run(code)

    expect(['threw', 'limit']).toContain(outcome.kind)
    expect(await run('1')).toMatchObject({ value: 1 })
  })

  test('in the parser of TypeScript, which then breaks for the rest of its thread', async () => {
    await run('('.repeat(100_000), { language: 'ts' })

    expect(await run('const a: number = 1; return a', { language: 'ts' })).toMatchObject({ value: 1 })
  })
})

test('5. nothing of a failing host function shows inside, neither its stack nor a path', async () => {
  const call: RunOptions['call'] = async () => {
    throw new CapstanError('server_error', 'It failed.', { cause: new Error('secret cause') })
  }
  const code = `
    const seen = []
    for (const act of [() => tools.test.echo(), () => tools.nope.nope(), () => tools.test.echo({ a: 'x'.repeat(100) })])
      try { await act() } catch (e) { seen.push(Object.getOwnPropertyNames(e).map((name) => name + '=' + e[name]).join()) }
    return seen.join()`

  const outcome = await run(code, { call, limits: { argumentBytes: 50 } })

  expect(outcome.kind === 'returned' && outcome.value).toContain('It failed.')
  expect(JSON.stringify(outcome)).not.toMatch(/file:|node:|\.ts\b|\/src\/|secret cause/)
})

test('6. a snippet that changes the built-ins deceives only itself', async () => {
  const code = `
    const evil = () => { throw new Error('evil') }
    JSON.parse = JSON.stringify = Promise.prototype.then = Map.prototype.get = Map.prototype.set = Map.prototype.has = evil
    Reflect.apply = Object.defineProperty = Object.create = Array.isArray = String.prototype.slice = evil
    Array.prototype[Symbol.iterator] = Function.prototype.call = Function.prototype.apply = evil
    globalThis.Error = globalThis.Promise = globalThis.Map = globalThis.Proxy = evil
    Object.prototype.get = evil
    Object.prototype.toJSON = undefined
    const first = await tools.test.echo({ n: 1 })
    let caught
    try { await tools.test.nope() } catch (e) { caught = e.message }
    console.log('still here')
    return { n: first.n, caught }`

  const outcome = await run(code)

  expect(outcome).toMatchObject({
    value: { n: 1, caught: 'No tool "nope" at server "test". Find one with search("…").' },
    logs: [{ text: 'still here' }],
  })
})

test('7. a key named __proto__ stays a key, on its way in and on its way out', async () => {
  const received: JsonObject[] = []
  const call: RunOptions['call'] = async (_tool, args) => {
    received.push(args)
    return text('{"__proto__":{"polluted":2},"constructor":{"prototype":{"polluted":2}}}')
  }
  const code = `
    const answer = await tools.test.echo(JSON.parse('{"__proto__":{"polluted":1}}'))
    return [Object.keys(answer), ({}).polluted, answer.polluted, answer]`

  const outcome = await run(code, { call })

  expect(received.map((args) => [Object.keys(args), args['polluted']])).toEqual([[['__proto__'], undefined]])
  expect(outcome.kind === 'returned' && JSON.stringify(outcome.value)).toBe(
    '[["__proto__","constructor"],null,null,{"__proto__":{"polluted":2},"constructor":{"prototype":{"polluted":2}}}]',
  )
  expect(({} as { polluted?: number }).polluted).toBeUndefined()
})

describe('8. a snippet that closes the brackets around it is a syntax error at its own place', () => {
  test.each([
    ['}); evil(); (async()=>{', 1, 2],
    ['1), (2', 1, 2],
    ['const a = 1\n} foo(); {', 2, 3],
    ['}, {', 1, 2],
    ['return 1 } }', 1, 12],
    ['foo(', 1, 5],
    ['const a = 1\nlet b = ;\nreturn b', 2, 9],
  ])('%j', async (code, line, column) => {
    const outcome = await run(code, { language: 'js' })

    expect(outcome).toMatchObject({ kind: 'threw', error: { name: 'SyntaxError' } })
    expect(outcome.kind === 'threw' && [outcome.error.line, outcome.error.column]).toEqual([line, column])
  })
})

describe('9. an error has the line and column of the snippet', () => {
  test.each([
    ['in the first line', 'null.x', [[1, 1]]],
    ['in the first of several lines', 'throw new Error("x")\nreturn 1', [[1, 11]]],
    ['in a later line', 'const a = 1\n\n  throw new Error("x")', [[3, 13]]],
    [
      'in a function',
      'const f = () => {\n  null.x\n}\nf()',
      [
        [2, 3],
        [4, 1],
      ],
    ],
    ['after an await', 'await null\nawait tools.test.echo()\nundefined.x', [[3, 1]]],
  ])('%s', async (_where, code, places) => {
    const outcome = await run(code)

    expect(outcome.kind === 'threw' && outcome.error.stack.map(({ line, column }) => [line, column])).toEqual(places)
    expect(outcome).toMatchObject({ error: { line: places[0]?.[0], column: places[0]?.[1] } })
  })
})
