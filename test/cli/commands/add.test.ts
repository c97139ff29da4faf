import { readFile, stat, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { command as add } from '../../../src/cli/commands/add.ts'
import { readServerFile } from '../../../src/config/edit.ts'
import { readTrust, standingOf } from '../../../src/config/trust.ts'
import { workbench } from '../workbench.ts'

const token = `ghp_${'a1B2'.repeat(9)}`

test('a program goes into the user file with its arguments untouched, and the next command is named', async () => {
  await using bench = await workbench()

  const { code, printed, said } = await bench.run(add, ['files', '--', 'npx', '-y', 'server', '--flag=a b', '--json'])

  expect(code).toBe(0)
  expect(printed).toBe(
    `Added files in ${bench.userFile}: npx -y server '--flag=a b' --json\nNext: capstan list files\n`,
  )
  expect(said).toBe('')
  expect(await readServerFile(bench.userFile)).toEqual(
    new Map([['files', { command: 'npx', args: ['-y', 'server', '--flag=a b', '--json'] }]]),
  )
  expect((await stat(bench.userFile)).mode & 0o777).toBe(0o600)
})

test('variables and the folder are written, the folder as an absolute path', async () => {
  await using bench = await workbench()

  await bench.run(add, ['x', '--env', 'A=1', '--env', 'B=${HOME}=b', '--cwd', 'sub', '--', 'run'])

  expect((await readServerFile(bench.userFile)).get('x')).toEqual({
    command: 'run',
    env: { A: '1', B: '${HOME}=b' },
    cwd: `${bench.path}/project/sub`,
  })
})

test('a URL is written with its headers and its type', async () => {
  await using bench = await workbench()
  const words = [
    'docs',
    'https://docs.example/mcp',
    '--header',
    'Authorization=Bearer ${T}',
    '--header',
    'X-Y: a=b',
    '--type',
    'sse',
  ]

  await bench.run(add, words)

  expect((await readServerFile(bench.userFile)).get('docs')).toEqual({
    type: 'sse',
    url: 'https://docs.example/mcp',
    headers: { Authorization: 'Bearer ${T}', 'X-Y': 'a=b' },
  })
})

test('what is added to the project file is trusted by the person who added it', async () => {
  await using bench = await workbench()

  await bench.run(add, ['db', '--project', '--cwd', 'sub', '--', './serve'])

  const entry = (await readServerFile(bench.projectFile)).get('db') ?? {}
  expect(entry).toEqual({ command: './serve', cwd: 'sub' })
  expect(standingOf(await readTrust(bench.trustFile), bench.projectFile, 'db', entry)).toBe('trusted')
})

test('from a folder inside the project the file at its root is written', async () => {
  await using bench = await workbench()
  await bench.write({ 'project/deep/er/': '' })

  await bench.run(add, ['db', '--project', '--', 'serve'], { cwd: 'project/deep/er' })

  expect((await readServerFile(bench.projectFile)).has('db')).toBe(true)
})

test('a name that is taken is refused and the file left as it is, unless it is forced', async () => {
  await using bench = await workbench()
  await bench.run(add, ['x', '--', 'old'])
  const before = await readFile(bench.userFile, 'utf8')

  await expect(bench.run(add, ['x', '--', 'new'])).rejects.toMatchObject({
    code: 'usage',
    next: expect.stringContaining('--force'),
  })
  expect(await readFile(bench.userFile, 'utf8')).toBe(before)

  expect((await bench.run(add, ['x', '--force', '--', 'new'])).printed).toMatch(/^Replaced x /)
  expect((await readServerFile(bench.userFile)).get('x')).toEqual({ command: 'new' })
})

test.each([
  ['a bad name', ['My Server!', '--', 'x'], /My-Server/],
  ['the reserved name', ['mcp', '--', 'x'], /mcp-server/],
  ['no name', [], /add NAME/],
  ['nothing to run', ['x'], /add NAME/],
  ['a URL without a scheme', ['x', 'localhost:3000/mcp'], /http:\/\/localhost:3000/],
  ['another scheme', ['x', 'ws://a.example/mcp'], /http:\/\/a\.example/],
  ['words behind a URL', ['x', 'https://a.example', 'more'], /too much/],
  ['variables for a URL', ['x', 'https://a.example', '--env', 'A=1'], /--env/],
  ['headers for a program', ['x', '--header', 'A=1', '--', 'run'], /--header/],
  ['a type for a program', ['x', '--type', 'sse', '--', 'run'], /--type/],
  ['an unknown type', ['x', 'https://a.example', '--type', 'ws'], /http or sse/],
  ['a variable without a value', ['x', '--env', 'A', '--', 'run'], /NAME=VALUE/],
])('%s is refused with what to do instead', async (_what, words, hint) => {
  await using bench = await workbench()

  const failure = await bench.run(add, words).catch((error: unknown) => error)

  expect(failure).toMatchObject({ code: 'usage' })
  expect(JSON.stringify([String(failure), failure])).toMatch(hint)
  await expect(stat(bench.userFile)).rejects.toThrow()
})

test('Capstan is not added to itself', async () => {
  await using bench = await workbench()

  await expect(bench.run(add, ['hub', '--', 'npx', 'capstan', 'serve'])).rejects.toMatchObject({
    code: 'config_invalid',
  })
})

test.each([
  ['env', ['gh', '--env', `GITHUB_TOKEN=${token}`, '--', 'gh-mcp'], "--env 'GITHUB_TOKEN=${GITHUB_TOKEN}'"],
  [
    'a header',
    ['gh', 'https://a.example/mcp', '--header', `Authorization=Bearer ${token}`],
    "--header 'Authorization=Bearer ${GH_TOKEN}'",
  ],
])('a literal secret in %s gets a warning with the safer form, and is never repeated', async (_where, words, safer) => {
  await using bench = await workbench()

  const { printed, said } = await bench.run(add, words)

  expect(said).toContain(safer)
  expect(printed + said).not.toContain(token)
})

test('a variable in place of the secret gets no warning', async () => {
  await using bench = await workbench()

  expect((await bench.run(add, ['gh', '--env', 'GITHUB_TOKEN=${GITHUB_TOKEN}', '--', 'gh-mcp'])).said).toBe('')
})

test('a path that works from this folder only gets a warning', async () => {
  await using bench = await workbench()

  expect((await bench.run(add, ['x', '--', 'node', './server.js'])).said).toContain('--cwd .')
  expect((await bench.run(add, ['y', '--cwd', '.', '--', 'node', './server.js'])).said).toBe('')
})

test('says when the project has an entry of that name, which goes first', async () => {
  await using bench = await workbench()
  await writeFile(bench.projectFile, '{"mcpServers": {"x": {"command": "theirs"}}}')

  expect((await bench.run(add, ['x', '--', 'mine'])).said).toContain(`the entry "x" in ${bench.projectFile} goes first`)
})

test.each(['flag', 'variable'])('a file named by %s is written instead of the user file', async (how) => {
  await using bench = await workbench()
  const named = how === 'flag' ? { flags: { config: ['my.json'] } } : { env: { CAPSTAN_CONFIG: 'my.json' } }

  await bench.run(add, ['x', '--', 'run'], named)

  expect((await readServerFile(`${bench.path}/project/my.json`)).has('x')).toBe(true)
  await expect(stat(bench.userFile)).rejects.toThrow()
})

test('--json prints one value with secrets masked', async () => {
  await using bench = await workbench()

  const { printed } = await bench.run(add, ['gh', '--env', `GITHUB_TOKEN=${token}`, '--', 'x'], {
    flags: { json: true },
  })

  expect(JSON.parse(printed)).toEqual({
    name: 'gh',
    file: bench.userFile,
    layer: 'user',
    entry: { command: 'x', env: { GITHUB_TOKEN: 'ghp_****' } },
    replaced: false,
  })
})
