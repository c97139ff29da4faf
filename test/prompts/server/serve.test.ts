import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { bin, world, type World } from '../../e2e/cli.ts'

const promptsBin = fileURLToPath(new URL('../../../dist/cli/prompts-bin.js', import.meta.url))
const serve = `${process.execPath} ${bin} library serve`

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'script', version: '1' } },
}

function lines(...messages: readonly unknown[]): string {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('')
}

function answers(stdout: string): readonly Record<string, unknown>[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** Runs the program as a script would: all requests at once, then the end of the input. */
async function piped(home: World, args: readonly string[], messages: readonly unknown[]) {
  return await home.capstan(['library', 'serve', ...args], { input: lines(hello, ...messages) })
}

const create = (name: string) => ({
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'create_prompt', arguments: { name, text: 'Hello {{who}}', arguments: [{ name: 'who' }] } },
})

test('capstan itself lists, gets and calls over "capstan library serve"', async () => {
  await using home = await world()

  const list = await home.capstan(['list', '--prompts', '--json', '--stdio', serve])
  const got = await home.capstan(['prompt', 'explain_code', 'code=x = 1', '--stdio', serve])
  const found = await home.capstan(['call', 'search_prompts', 'query=outage', '--json', '--stdio', serve])

  const { prompts } = JSON.parse(list.stdout) as { prompts: { prompt: string }[] }
  expect(prompts.map(({ prompt }) => prompt)).toContain('code_review')
  expect(got).toMatchObject({ code: 0, stdout: expect.stringContaining('x = 1') })
  expect(found.stdout).toContain('incident_response')
})

test('without a flag, what an agent writes is only proposed', async () => {
  await using home = await world()

  const { stdout } = await piped(home, [], [create('greeting')])
  const library = await home.capstan(['library', 'list', '--json'])

  expect(JSON.stringify(answers(stdout)[1])).toContain('capstan review')
  expect(library.stdout).not.toContain('greeting')
})

test('--write lets it through, --read-only has no such tool, and only one of the flags may be given', async () => {
  await using home = await world()

  await piped(home, ['--write'], [create('greeting')])
  const refused = await piped(home, ['--read-only'], [create('other')])
  const both = await home.capstan(['library', 'serve', '--write', '--read-only'])
  const library = await home.capstan(['library', 'list', '--json'])

  expect(library.stdout).toContain('greeting')
  expect(answers(refused.stdout)[1]).toMatchObject({ error: { code: -32602 } })
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('only one of --read-only and --write') })
})

test('--prompts-dir, --settings and --log say where things are', async () => {
  await using home = await world()
  await home.write({ 'my.toml': '[prompts]\ninclude_builtin = false\nmax_per_page = 1\n' })
  const flags = ['--prompts-dir', 'here', '--settings', 'my.toml', '--log', 'server.log', '--write']

  await piped(home, flags, [create('one')])
  await piped(home, flags, [create('two')])
  const listed = await piped(home, flags, [
    { jsonrpc: '2.0', id: 2, method: 'prompts/list' },
    { jsonrpc: '2.0', id: 3, method: 'prompts/get', params: { name: 'gone' } },
  ])

  const byId = new Map(answers(listed.stdout).map((answer) => [answer['id'], answer]))
  expect(byId.get(2)).toMatchObject({ result: { prompts: [{ name: 'one' }], nextCursor: expect.any(String) } })
  expect(await readFile(join(home.cwd, 'here', 'user.jsonl'), 'utf8')).toContain('"name":"two"')
  expect(await readFile(join(home.cwd, 'server.log'), 'utf8')).toMatch(/prompts\/get refused: .*gone/)
  expect(listed.stderr).toBe('')
})

test.each([
  ['a settings file that is not there', ['--settings', 'no.toml'], 2, /no settings file/],
  ['a log that cannot be written', ['--log', 'no/such/folder/x.log'], 2, /log file/],
  ['a word too many', ['extra'], 2, /takes only flags/],
])('%s ends it with a sentence', async (_, args, code, message) => {
  await using home = await world()

  expect(await home.capstan(['library', 'serve', ...args])).toMatchObject({
    code,
    stderr: expect.stringMatching(message),
  })
})

test('a line of the library that cannot be read is named in the log, and the rest is served', async () => {
  await using home = await world()
  await mkdir(join(home.home, '.local/share/capstan/prompts'), { recursive: true })
  await writeFile(join(home.home, '.local/share/capstan/prompts/user.jsonl'), '{"name":\n')

  const outcome = await piped(home, [], [{ jsonrpc: '2.0', id: 2, method: 'prompts/list' }])

  expect(outcome.stderr).toMatch(/user\.jsonl:1 cannot be read/)
  expect(answers(outcome.stdout)[1]).toMatchObject({ result: { prompts: expect.any(Array) } })
})

test('capstan-prompts is the same server, and says its version', async () => {
  await using home = await world()
  const run = async (args: readonly string[], input: string) => {
    const child = spawn(process.execPath, [promptsBin, ...args], {
      cwd: home.cwd,
      env: { PATH: process.env['PATH'], HOME: home.home },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.stdin.end(input)
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    const [code] = (await once(child, 'close')) as [number]
    return { code, stdout: Buffer.concat(chunks).toString('utf8') }
  }

  const version = await run(['--version'], '')
  const served = await run([], lines(hello))

  expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  expect(answers(served.stdout)[0]).toMatchObject({ id: 1, result: { serverInfo: { name: 'capstan-prompts' } } })
})

test('a signal ends it at once, without a word on stdout', async () => {
  await using home = await world()
  const child = spawn(process.execPath, [bin, 'library', 'serve'], {
    cwd: home.cwd,
    env: { PATH: process.env['PATH'], HOME: home.home },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.write(lines(hello))
  await once(child.stdout, 'data')

  child.kill('SIGTERM')

  const [code] = (await once(child, 'close')) as [number]
  expect(code).toBe(0)
})
