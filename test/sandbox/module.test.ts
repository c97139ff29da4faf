import { afterAll, describe, expect, test } from 'vitest'
import type { Entry, ExecOutcome, RunOptions } from '../../src/sandbox/api.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { runOptions, structured, text } from './run-options.ts'

const sandbox = createSandbox()
afterAll(() => sandbox[Symbol.asyncDispose]())

const exportsOf: Entry = { kind: 'exports', names: ['default', 'description', 'input', 'absent'] }
const called: Entry = { kind: 'function', args: { a: 1 } }

function run(code: string, entry: Entry, overrides: Partial<RunOptions> = {}): Promise<ExecOutcome> {
  return sandbox.run(code, runOptions({ entry, language: 'ts', ...overrides }))
}

describe('the exports of a module', () => {
  test('come with their types, functions without a value, and only those asked for', async () => {
    const code = `
      export const description: string = 'adds'
      export const input = { type: 'object' }
      export const other = 1
      export default async function (args: { a: number }) { return args.a }
    `

    const outcome = await run(code, exportsOf)

    expect(outcome).toMatchObject({
      kind: 'returned',
      value: {
        types: { default: 'function', description: 'string', input: 'object' },
        values: { description: 'adds', input: { type: 'object' } },
      },
    })
  })

  test.each<[string, string, object]>([
    ['does not parse', 'export const a = 1\nlet b = ;', { name: 'SyntaxError', line: 2 }],
    ['has types that cannot be stripped', '\nexport enum A { B }', { name: 'SyntaxError', line: 2 }],
    ['throws', '\n  throw new TypeError("no")', { name: 'TypeError', message: 'no', line: 2, column: 13 }],
    ['imports', 'const a = 1\nimport fs from "node:fs"', { name: 'ReferenceError', line: 2 }],
    ['has an export with no JSON', 'export const input = {}; input.self = input', { name: 'TypeError' }],
    ['imports at run time', 'await import("node:fs")', { name: 'ReferenceError' }],
  ])('of a module that %s are an error at its own line', async (_what, code, error) => {
    expect(await run(code, exportsOf)).toMatchObject({ kind: 'threw', error })
  })

  test('of a module that imports are refused with a word on what is there', async () => {
    const outcome = await run('import fs from "node:fs"', exportsOf)

    expect(outcome.kind === 'threw' && outcome.error.message).toMatch(/Nothing can be imported here/)
  })

  test('of a module with a wrong export get no advice that is meant for snippets', async () => {
    const outcome = await run('export const a: = 1', exportsOf)

    expect(outcome.kind === 'threw' && outcome.error.message).not.toMatch(/exported here/)
  })

  test('of a module whose top level never ends are given up in time', async () => {
    expect(await run('for (;;) {}', exportsOf, { limits: { timeMs: 500 } })).toMatchObject({ limit: 'time' })
  })

  test('can be limited to no call at all', async () => {
    const outcome = await run('await tools.test.echo({})', exportsOf, { limits: { calls: 0 } })

    expect(outcome).toMatchObject({ kind: 'limit', limit: 'calls', trace: [] })
  })
})

describe('the default export of a module', () => {
  test('is called with the arguments and can call tools', async () => {
    const code = `
      const shared = await Promise.resolve(10)
      export default async ({ a }: { a: number }) => ({ sum: a + shared, echo: await tools.test.echo({ a }) })
    `

    const outcome = await run(code, called, { call: async (_tool, args) => structured(args) })

    expect(outcome).toMatchObject({ kind: 'returned', value: { sum: 11, echo: { a: 1 } } })
  })

  test('that throws does so at the line and column of the file', async () => {
    const outcome = await run('export default function main(args) {\n  return args.b.c\n}', called, { language: 'js' })

    expect(outcome).toMatchObject({ kind: 'threw', error: { name: 'TypeError', line: 2 } })
  })

  test('must be a function', async () => {
    expect(await run('export default 5', called)).toMatchObject({ kind: 'threw', error: { name: 'TypeError' } })
  })

  test('sees nothing of the run before', async () => {
    const code = 'globalThis.count = (globalThis.count ?? 0) + 1\nexport default () => count'

    expect([await run(code, called), await run(code, called)]).toMatchObject([{ value: 1 }, { value: 1 }])
  })
})

test('runs that wait for a run at a greater depth never wait for each other', async () => {
  await using narrow = createSandbox({ parallelRuns: 1 })
  const options = runOptions({ limits: { timeMs: 10_000 } })
  const inner = () => narrow.run('7', { ...options, depth: 1 })
  const call = async () => text(JSON.stringify(await inner().then((end) => end.kind === 'returned' && end.value)))

  const outcome = await narrow.run('tools.test.echo({})', { ...options, call })

  expect(outcome).toMatchObject({ kind: 'returned', value: 7 })
})
