import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { world, type Outcome, type World } from './cli.ts'

const examples = fileURLToPath(new URL('../../examples', import.meta.url))
const servers = ['everything', 'filesystem', 'memory']
let home: World

beforeAll(async () => {
  home = await world()
  await mkdir(join(home.home, 'tmp'))
})
afterAll(() => home[Symbol.asyncDispose]())

/** Runs the built command line on the example config, from a folder that is not the project's. */
function capstan(...args: readonly string[]): Promise<Outcome> {
  const env = { TMPDIR: join(home.home, 'tmp'), USER: 'ada' }
  return home.capstan([...args, '--config', join(examples, 'mcp.json')], { env })
}

describe.concurrent('with the three published servers of the example', () => {
  test('the overview shows each with its tools, and what to type next', async () => {
    const { code, stdout, stderr } = await capstan()

    expect([code, stderr]).toEqual([0, ''])
    for (const server of servers) expect(stdout).toMatch(new RegExp(`^  ${server} +ready +\\d+ tools`, 'm'))
    expect(stdout).toContain('capstan call everything.echo message=hello --config')
  })

  test.each([
    ['text', [], ['everything  15 tools', 'filesystem  14 tools', 'memory  9 tools', 'Echoes back the input']],
    ['TypeScript', ['--ts'], ['declare const tools', 'echo(a:{message:string}):R', 'read_text_file(a:{path:string']],
    ['costs', ['--tokens'], ['everything.echo', '%']],
    ['Markdown', ['--markdown'], ['# MCP catalogue', '#### `memory.read_graph`', '| `message` | `string` | yes |']],
    ['prompts', ['--prompts'], ['everything:args-prompt']],
    ['resources', ['--resources'], ['demo://resource/dynamic/text/{resourceId}', 'memory://knowledge-graph']],
    [
      'everything',
      ['--all'],
      ['everything:simple-prompt', 'demo://resource/static/document/features.md', 'write_file'],
    ],
  ])('list shows %s', async (_what, flags, expected) => {
    const { code, stdout, stderr } = await capstan('list', ...flags)

    expect([code, stderr]).toEqual([0, ''])
    for (const text of expected) expect(stdout).toContain(text)
  })

  test('list --json --all has the whole catalogue', async () => {
    const { stdout } = await capstan('list', '--all', '--json', '--fresh')

    const lists = JSON.parse(stdout) as Readonly<Record<string, readonly unknown[]>>
    const theirs = servers.map((name) => ({ name, state: { kind: 'ready', era: 'legacy' } }))
    expect(lists['servers']).toMatchObject([...theirs, { name: 'prompts', isBuiltin: true }])
    const counts = ['tools', 'prompts', 'resources', 'templates'].map((kind) => lists[kind]?.length)
    expect(counts).toEqual([40, 14, 8, 2])
  })

  test.each([
    ['a tool', 'filesystem.read_text_file', ['path', 'required', 'capstan call filesystem.read_text_file path=']],
    ['a prompt', 'everything:args-prompt', ['city', 'required', 'capstan prompt everything:args-prompt city=']],
    ['a server', 'memory', ['ready', '9 tools']],
  ])('inspect shows %s in full', async (_what, name, expected) => {
    const { code, stdout, stderr } = await capstan('inspect', name)

    expect([code, stderr]).toEqual([0, ''])
    for (const text of expected) expect(stdout).toContain(text)
  })

  test('doctor finds nothing wrong', async () => {
    const { code, stdout, stderr } = await capstan('doctor')

    expect([code, stderr]).toEqual([0, ''])
    for (const server of servers) expect(stdout).toContain(`✓ ${server}`)
  })
})

describe.concurrent('the server "everything"', () => {
  test('gets a message with spaces and quotes as it was typed', async () => {
    const { code, stdout, stderr } = await capstan('call', 'everything.echo', `message=hello "big"  'world'`)

    expect([code, stdout, stderr]).toEqual([0, `Echo: hello "big"  'world'\n`, ''])
  })

  test('gets numbers as numbers', async () => {
    const { stdout } = await capstan('call', 'everything.get-sum', 'a=2', 'b=3.5')

    expect(stdout).toBe('The sum of 2 and 3.5 is 5.5.\n')
  })

  test('has its picture saved, and named where it stood', async () => {
    const { code, stdout } = await capstan('call', 'everything.get-tiny-image', '--save', 'pictures')

    const [name = ''] = await readdir(join(home.cwd, 'pictures'))
    expect(code).toBe(0)
    expect(stdout.split('\n')).toContain(join(home.cwd, 'pictures', name))
    const bytes = await readFile(join(home.cwd, 'pictures', name))
    expect([name, bytes.subarray(0, 8).toString('latin1')]).toEqual(['get-tiny-image-2.png', '\u0089PNG\r\n\u001A\n'])
  })

  test('shows its progress on stderr and its result on stdout', async () => {
    const { stdout, stderr } = await capstan(
      'call',
      'everything.trigger-long-running-operation',
      'duration=0.2',
      'steps=4',
    )

    expect(stdout).toMatch(/^Long running operation completed/)
    expect(stderr).toBe('1/4\n2/4\n3/4\n4/4\n')
  })

  test('is given up at --timeout, with exit code 4', async () => {
    const args = ['call', 'everything.trigger-long-running-operation', 'duration=60', 'steps=2', '--timeout', '1.5']

    const { code, stdout, stderr } = await capstan(...args)

    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain('--timeout')
  })

  test('renders a prompt with a space in its argument, under its role', async () => {
    const { stdout } = await capstan('prompt', 'everything:args-prompt', 'city=New York', 'state=NY')

    expect(stdout).toBe("[user]\nWhat's weather in New York, NY?\n")
  })

  test.each([
    ['a text', 'demo://resource/static/document/features.md', /^# Everything Server/],
    ['a text from a template', 'demo://resource/dynamic/text/1', /^Resource 1: This is a plaintext resource/],
    ['bytes from a template', 'demo://resource/dynamic/blob/1', /^Resource 1: This is a base64 blob/],
  ])('has %s read by its URI', async (_what, uri, expected) => {
    const { code, stdout, stderr } = await capstan('read', uri)

    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(expected)
  })

  test.each([
    ['a wrong type', ['call', 'everything.get-sum', 'a=two', 'b=1'], '"a"'],
    ['a missing argument', ['call', 'everything.echo'], '"message" is missing'],
    ['a missing argument of a prompt', ['prompt', 'everything:args-prompt'], '"city" is missing'],
    ['a misspelt tool', ['call', 'everything.ecko', 'message=x'], 'Closest: everything.echo'],
  ])('is not called with %s: exit code 2', async (_what, args, reason) => {
    const { code, stdout, stderr } = await capstan(...args)

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(reason)
  })
})

test.concurrent('the server "filesystem" reads the example’s files and reports what it may not read: exit code 1, on stderr', async () => {
  const welcome = join(examples, 'files', 'welcome.txt')

  const allowed = await capstan('call', 'filesystem.read_text_file', `path=${welcome}`)
  const refused = await capstan('call', 'filesystem.read_text_file', 'path=/etc/hostname')

  expect(allowed).toMatchObject({ code: 0, stderr: '', stdout: await readFile(welcome, 'utf8') })
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Access denied') })
})

test.concurrent('the server "memory" keeps what one command wrote for the next to read', async () => {
  const entities = JSON.stringify([{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }])

  const written = await capstan('call', 'memory.create_entities', `entities=${entities}`)
  const read = await capstan('call', 'memory.search_nodes', 'query=Ada', '--json')

  expect(written.code).toBe(0)
  expect(JSON.parse(read.stdout)).toMatchObject({
    structuredContent: { entities: [{ name: 'Ada', observations: ['likes engines'] }] },
  })
  expect(existsSync(join(home.home, 'tmp', 'capstan-example-memory-ada.jsonl'))).toBe(true)
})
