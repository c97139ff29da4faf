import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { world, type World } from './cli.ts'
import { startsIn, traced } from './traced-server.ts'

interface Place extends World {
  /** Holds a line for each start of the server `one`. */
  readonly trace: string
}

const twice = `
  export const description = 'Says a thing twice.'
  export const input = { type: 'object', properties: { message: { enum: ['hi', 'ho'] } }, required: ['message'] }
  export default async ({ message }: { message: string }) => \`\${await tools.one.echo({ message })} \${message}\`
`
const theirs = 'export default () => tools.one.echo({ message: "ran" })'

/** A home with the server `one` and the tool `my.twice`, in a project that brings `my.theirs`. */
async function place(): Promise<Place> {
  const home = await world()
  const trace = join(home.home, 'trace')
  await home.write({
    '~/.config/capstan/mcp.json': { mcpServers: { one: traced(trace) } },
    '~/.config/capstan/tools/twice.ts': twice,
    '.capstan/tools/theirs.js': theirs,
  })
  return { ...home, trace }
}

describe.concurrent('a tool of the person’s own', () => {
  test.each([
    ['call', ['call', 'my.twice', 'message=hi'], 'hi hi\n'],
    ['inspect', ['inspect', 'my.twice'], expect.stringContaining('Says a thing twice.')],
    ['inspect of the server', ['inspect', 'my'], expect.stringContaining('Your own tools')],
    ['list', ['list', 'my'], expect.stringContaining('Says a thing twice.')],
    ['list --ts', ['list', 'my', '--ts'], expect.stringContaining('twice(a:{message:"hi"|"ho"}):R')],
    ['search', ['search', 'twice', '--server', 'my'], expect.stringContaining('my.twice')],
    ['exec', ['exec', '-e', 'await tools.my.twice({ message: "ho" })', '--text'], 'ho ho\n'],
    ['config', ['config'], expect.stringContaining('twice from')],
    ['the overview', [], expect.stringMatching(/my +ready +1 tool/)],
  ])('is there for %s', async (_door, args, printed) => {
    await using home = await place()

    const outcome = await home.capstan(args)

    expect(outcome).toMatchObject({ code: 0, stdout: printed })
  })

  test('is completed, with its arguments and their values', async () => {
    await using home = await place()
    await home.capstan(['list', 'my'])
    const offered = async (line: string) => (await home.capstan(['completion', 'fish', '--line', line])).stdout

    expect(await offered('capstan call my.')).toContain('my.twice')
    expect(await offered('capstan call my.twice ')).toContain('message=')
    expect(await offered('capstan call my.twice message=')).toContain('message=ho')
  })

  test('is listed from disk without running, until its file changes', async () => {
    await using home = await place()
    await home.capstan(['list'])
    const before = startsIn(home.trace)

    const again = await home.capstan(['list'])
    await home.write({ '~/.config/capstan/tools/twice.ts': twice.replace('Says', 'Shouts') })
    const changed = await home.capstan(['list', 'my'])

    expect(again.stdout).toContain('Says a thing twice.')
    expect(startsIn(home.trace)).toBe(before)
    expect(changed.stdout).toContain('Shouts a thing twice.')
  })

  test('that fails says where in its file, with exit code 1', async () => {
    await using home = await place()
    await home.write({ '~/.config/capstan/tools/bad.ts': 'export default () => {\n  throw new Error("oh")\n}' })

    const { code, stderr } = await home.capstan(['call', 'my.bad'])

    expect([code, stderr]).toEqual([1, expect.stringMatching(/^bad\.ts:2:\d+: Error: oh\n$/)])
  })

  test('that cannot be read is told of by inspect, call, list, logs and doctor, and the others work', async () => {
    await using home = await place()
    await home.write({ '~/.config/capstan/tools/bad.ts': 'export const = 1' })
    const told = /bad\.ts:1:\d+: SyntaxError/

    const [inspected, called, listed] = await Promise.all([
      home.capstan(['inspect', 'my.bad']),
      home.capstan(['call', 'my.bad']),
      home.capstan(['list', 'my']),
    ])
    const [logs, doctor] = [await home.capstan(['logs', 'my']), await home.capstan(['doctor', 'my'])]

    expect([inspected.code, called.code, listed.code, doctor.code]).toEqual([2, 2, 0, 1])
    for (const text of [inspected.stderr, called.stderr, listed.stderr, logs.stdout, doctor.stdout])
      expect(text.replaceAll(/\s+/g, ' ')).toMatch(told)
    expect(listed.stdout).toContain('twice')
  })
})

describe.concurrent('a tool of the project', () => {
  const run = ['call', 'my.theirs']

  test.each([
    ['call', run, 5],
    ['call through a snippet', ['exec', '-e', 'await tools.my.theirs()', '--allow', 'my.*'], 1],
    ['inspect', ['inspect', 'my.theirs'], 5],
    ['list', ['list', 'my'], 0],
    ['search', ['search', 'theirs', '--server', 'my'], 0],
    ['doctor', ['doctor', 'my'], 1],
    ['review', ['review'], 5],
    ['the overview', [], 0],
  ])('does not run before it is approved: %s says so', async (_door, args, code) => {
    await using home = await place()

    const outcome = await home.capstan(args)

    expect(outcome.code).toBe(code)
    const said = (outcome.stdout + outcome.stderr).replaceAll(/\s+/g, ' ')
    expect(said).toMatch(/my\.theirs/)
    // What a snippet is told is an error of its own, which has no next step.
    if (args[0] !== 'exec') expect(said).toContain('capstan review')
  })

  test('leaves no trace before it is approved, runs after, and waits again with the difference', async () => {
    await using home = await place()

    await home.capstan(run)
    await home.capstan(['list', 'my', '--fresh'])
    const before = startsIn(home.trace)
    const review = await home.capstan(['review', 'my.theirs'])
    const approved = await home.capstan(run)
    await home.write({ '.capstan/tools/theirs.js': `// new\n${theirs}` })
    const changed = await home.capstan(run)
    const difference = await home.capstan(['review'])

    expect(before).toBe(0)
    expect(review).toMatchObject({ code: 0, stdout: expect.stringContaining('Approved: my.theirs.') })
    expect(approved).toEqual({ code: 0, stdout: 'ran\n', stderr: '' })
    expect(changed).toMatchObject({ code: 5, stderr: expect.stringContaining('has changed') })
    expect(startsIn(home.trace)).toBe(1)
    expect(difference.stdout).toMatch(/my\.theirs has changed:\n {4}\+ 1: \/\/ new\nNext/)
  })

  test('runs unapproved with --trust-project, which approves nothing for later', async () => {
    await using home = await place()

    const trusted = await home.capstan([...run, '--trust-project'])
    const later = await home.capstan(run)

    expect([trusted.stdout, later.code]).toEqual(['ran\n', 5])
  })
})

describe.concurrent('the example', () => {
  test('crew runs, and type-checks against what list --ts prints', async () => {
    await using home = await world()
    const config = resolve('examples/mcp.json')
    const tools = join(home.home, '.config/capstan/tools')
    await home.write({ '~/.config/capstan/tools/crew.ts': await readFile('examples/tools/crew.ts', 'utf8') })

    const called = await home.capstan(['call', 'my.crew', 'duty=engineer', '--config', config])
    const declared = await home.capstan(['list', '--ts', '--config', config])
    await home.write({ '~/.config/capstan/tools/capstan.d.ts': declared.stdout })
    const checked = checkTypes(tools, ['crew.ts', 'capstan.d.ts'])

    expect(called.stdout).toBe('{"names":["Grace"]}\n')
    await expect(checked).resolves.toMatchObject({ stdout: '' })
  })

  test('a wrong argument of a tool is an error of types against what list --ts prints', async () => {
    await using home = await world()
    await home.write({ '~/.config/capstan/mcp.json': { mcpServers: { one: fixture('echo') } } })
    const code =
      'export default async () => [await tools.one.echo.raw({ message: "x" }), tools.one.echo({ message: 5 })]'
    await home.write({ 'a.ts': code, 'capstan.d.ts': (await home.capstan(['list', '--ts'])).stdout })

    const checked = checkTypes(home.cwd, ['a.ts', 'capstan.d.ts'])

    await expect(checked).rejects.toMatchObject({ stdout: expect.stringMatching(/^a\.ts\(1,\d+\): error TS2322.*\n$/) })
  })
})

/** As an editor would: the files alone, strictly. */
function checkTypes(cwd: string, files: readonly string[]) {
  const tsc = resolve('node_modules/typescript/bin/tsc')
  const flags = ['--strict', '--noEmit', '--target', 'es2023', '--module', 'esnext']
  return promisify(execFile)(process.execPath, [tsc, ...flags, ...files], { cwd })
}
