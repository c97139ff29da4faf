import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { world, type World } from './cli.ts'
import { startsIn, traced } from './traced-server.ts'

let home: World

beforeAll(async () => {
  home = await world()
  const denying = { ...fixture('echo'), deny: ['erase'] }
  await home.write({
    '~/.config/capstan/mcp.json': { mcpServers: { one: denying } },
    'sum.ts': 'const a: number = 1\nreturn a + 2',
  })
})

afterAll(async () => home[Symbol.asyncDispose]())

describe.concurrent('capstan exec', () => {
  test.each([
    ['the value of an expression', ['-e', 'await tools.one.echo({ message: "hi" })'], '"hi"\n'],
    ['text as it is', ['-e', 'await tools.one.echo({ message: "hi" })', '--text'], 'hi\n'],
    ['what a TypeScript file returns', ['sum.ts'], '3\n'],
  ])('prints %s', async (_title, args, expected) => {
    expect(await home.capstan(['exec', ...args])).toMatchObject({ code: 0, stdout: expected, stderr: '' })
  })

  test('reads standard input, and what it logs goes to stderr', async () => {
    const outcome = await home.capstan(['exec', '-'], { input: 'console.log("note"); return [1]' })

    expect(outcome).toEqual({ code: 0, stdout: '[1]\n', stderr: 'note\n' })
  })

  test.each([
    [
      'is told about it when its last value went nowhere',
      'const a: number = 3; a',
      /^Nothing was returned\..*"return"/,
    ],
    ['is not told so when it logged something', 'console.log("done"); 1', /^done\n$/],
    ['is not told so when it returned', 'const a = null; return a', /^$/],
    ['is not told so as a single expression', 'null', /^$/],
  ])('a snippet %s', async (_title, code, said) => {
    const outcome = await home.capstan(['exec', '-e', code])

    expect(outcome).toMatchObject({ code: 0, stdout: 'null\n' })
    expect(outcome.stderr).toMatch(said)
  })

  test.each([
    [1, 'throws', ['-e', 'throw new Error("oops")'], /^Error: oops \(line 1, column \d+\)\n$/],
    [1, 'calls a tool that fails', ['-e', 'await tools.one.fail({})'], /ToolError/],
    [4, 'runs too long', ['-e', 'while (true) {}', '--time', '0.5'], /0\.5 s/],
    [2, 'is no snippet', [], /one snippet/],
    [2, 'is in no file', ['nofile.ts'], /nofile\.ts cannot be read: there is no such file\.\n.*-e/],
    [2, 'has a limit that is none', ['-e', '1', '--calls', 'many'], /--calls/],
    [1, 'wants a tool that the config denies', ['-e', 'await tools.one.erase({})'], /erase/],
    [
      1,
      'wants a tool outside of --allow',
      ['-e', 'await tools.one.echo({ message: "x" })', '--allow', 'one.add'],
      /echo/,
    ],
    [1, 'wants a tool that --deny took', ['-e', 'await tools.one.echo({ message: "x" })', '--deny', 'echo'], /echo/],
  ])('ends with %i when it %s', async (code, _title, args, said) => {
    const outcome = await home.capstan(['exec', ...args])

    expect([outcome.code, outcome.stdout]).toEqual([code, ''])
    expect(outcome.stderr).toMatch(said)
  })

  test('--trace lists the calls, --json holds result, log and trace', async () => {
    const code = 'await Promise.all([tools.one.add({ a: 1 }), tools.one.add({ a: 2 })])'

    const [traced, json] = await Promise.all([
      home.capstan(['exec', '-e', code, '--trace']),
      home.capstan(['exec', '-e', code, '--json']),
    ])

    expect(traced.stderr).toMatch(/^2 calls\n( {2}one\.add .*ok\n){2}$/)
    expect(JSON.parse(json.stdout)).toMatchObject({
      kind: 'returned',
      value: [2, 3],
      trace: [{ outcome: 'ok' }, { outcome: 'ok' }],
    })
  })

  test('names the servers that did not answer, and still runs', async () => {
    await home.write({ 'two.json': { mcpServers: { one: fixture('echo'), gone: { command: 'no-such-program' } } } })

    const outcome = await home.capstan(['exec', '-e', 'Object.keys(tools)', '--config', 'two.json'])

    expect(outcome).toMatchObject({ code: 0, stdout: '["one","prompts"]\n' })
    expect(outcome.stderr).toMatch(/^gone: .*no-such-program.*capstan doctor gone\n$/)
  })

  test('starts only the servers that --allow can mean', async () => {
    const trace = `${home.cwd}/trace`
    await home.write({ 'narrow.json': { mcpServers: { one: fixture('echo'), other: traced(trace) } } })
    const code = 'await search("echo"); return tools.one.echo({ message: "hi" })'

    const outcome = await home.capstan(['exec', '-e', code, '--allow', 'one.*', '--config', 'narrow.json'])

    expect(outcome).toEqual({ code: 0, stdout: '"hi"\n', stderr: '' })
    expect(startsIn(trace)).toBe(0)
  })
})
