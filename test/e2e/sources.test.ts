import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { startHttpServer } from '../fixtures/http-server.ts'
import { world } from './cli.ts'
import { startsIn, traced } from './traced-server.ts'

const echoFile = fixture('echo').args[0] ?? ''
const namesIn = (stdout: string): readonly string[] =>
  (JSON.parse(stdout) as { servers: readonly { name: string }[] }).servers.map(({ name }) => name)

test.concurrent('--stdio runs a server that stands in no file, with quotes in its command, and leaves the configured ones alone', async () => {
  await using home = await world()
  const trace = join(home.cwd, 'trace')
  await home.write({
    '~/.config/capstan/mcp.json': { mcpServers: { mine: traced(trace) } },
    'my server.ts': `import ${JSON.stringify(echoFile)}`,
  })

  const { code, stdout, stderr } = await home.capstan([
    'call',
    'echo',
    'message=hi',
    '--stdio',
    `${process.execPath} "my server.ts" 'a b'`,
  ])

  expect([code, stdout, stderr, startsIn(trace)]).toEqual([0, 'hi\n', '', 0])
})

test.concurrent('--stdio names the server after its command', async () => {
  await using home = await world()

  const { stdout } = await home.capstan([
    'call',
    'node.echo',
    'message=hi',
    '--stdio',
    `${process.execPath} ${echoFile}`,
  ])

  expect(stdout).toBe('hi\n')
})

test.concurrent('--url with --header reaches a server that wants a token', async () => {
  await using home = await world()
  await using server = await startHttpServer({ token: 'sesame' })

  const [closed, ...open] = await Promise.all([
    home.capstan(['list', '--url', server.url]),
    ...['Authorization=Bearer sesame', 'Authorization: Bearer sesame'].map((header) =>
      home.capstan(['call', 'echo', 'message=hi', '--url', server.url, '--header', header]),
    ),
  ])

  expect(closed.code).toBe(3)
  expect(open.map(({ stdout }) => stdout)).toEqual(['hi\n', 'hi\n'])
})

test.concurrent('--url finds out by itself that a server speaks the old SSE transport', async () => {
  await using home = await world()
  await using server = await startHttpServer({ modern: false, legacy: false, sse: true })

  const { stdout, stderr } = await home.capstan(['call', 'echo', 'message=hi', '--url', server.sseUrl])

  expect([stdout, stderr]).toEqual(['hi\n', ''])
})

test.concurrent.each([
  ['--stdio and --url together', ['--stdio', 'x', '--url', 'http://localhost'], 'either --stdio or --url'],
  ['--header without --url', ['--header', 'a=b'], '--header needs --url'],
  ['--header without a value', ['--url', 'http://localhost', '--header', 'nonsense'], 'NAME=VALUE'],
  ['--stdio with an open quote', ['--stdio', 'node "x'], 'never closed'],
  ['--stdio with nothing in it', ['--stdio', ''], 'names no command'],
])('%s is refused with exit code 2', async (_what, flags, reason) => {
  await using home = await world()

  const { code, stderr } = await home.capstan(['list', ...flags])

  expect(code).toBe(2)
  expect(stderr).toContain(reason)
})

test.concurrent('--config may be repeated, replaces the user’s and the project’s files, and the later file wins', async () => {
  await using home = await world()
  await home.write({
    '~/.config/capstan/mcp.json': { mcpServers: { user: fixture('echo') } },
    '.mcp.json': { mcpServers: { project: fixture('echo') } },
    'first.json': { mcpServers: { one: { command: 'no-such-program' }, two: fixture('paged') } },
    'second.json': { mcpServers: { one: fixture('echo') } },
  })

  const { code, stdout } = await home.capstan(['list', '--json', '--config', 'first.json', '--config', 'second.json'])

  expect(code).toBe(0)
  expect(namesIn(stdout)).toEqual(['one', 'two'])
})

test.concurrent('CAPSTAN_CONFIG names files as --config does, and --config is stronger', async () => {
  await using home = await world()
  await home.write({
    '~/.config/capstan/mcp.json': { mcpServers: { user: fixture('echo') } },
    'first.json': { mcpServers: { one: fixture('paged') } },
    'second.json': { mcpServers: { two: fixture('paged') } },
  })
  const env = { CAPSTAN_CONFIG: ['first.json', join(home.cwd, 'second.json')].join(delimiter) }

  const [listed, overruled] = await Promise.all([
    home.capstan(['list', '--json'], { env }),
    home.capstan(['list', '--json', '--config', 'second.json'], { env }),
  ])

  expect(namesIn(listed.stdout)).toEqual(['one', 'two'])
  expect(namesIn(overruled.stdout)).toEqual(['two'])
})

test.concurrent('XDG_CONFIG_HOME says where the user’s servers are', async () => {
  await using home = await world()
  await home.write({ '~/elsewhere/capstan/mcp.json': { mcpServers: { here: fixture('paged') } } })

  const { stdout } = await home.capstan(['list', '--json'], { env: { XDG_CONFIG_HOME: join(home.home, 'elsewhere') } })

  expect(namesIn(stdout)).toEqual(['here'])
})

test.concurrent('a misspelt field is warned about on stderr and stops nothing', async () => {
  await using home = await world()
  await home.write({ '~/.config/capstan/mcp.json': { mcpServers: { one: { ...fixture('echo'), alwaysAlow: ['*'] } } } })

  const { code, stdout, stderr } = await home.capstan(['call', 'one.echo', 'message=hi'])

  expect([code, stdout]).toEqual([0, 'hi\n'])
  expect(stderr).toMatch(/^warning: .*alwaysAlow.*alwaysAllow/)
})

test.concurrent('a variable that is missing fails its own server, naming variable, server and file, and no other', async () => {
  await using home = await world()
  const needy = { ...fixture('echo'), env: { TOKEN: '${NOT_SET_ANYWHERE}' } }
  await home.write({ '~/.config/capstan/mcp.json': { mcpServers: { needy, fine: fixture('paged') } } })

  const { code, stdout, stderr } = await home.capstan(['list'])

  expect(code).toBe(0)
  expect(stdout).toContain('tool-1')
  expect(stderr).toMatch(/needy.*NOT_SET_ANYWHERE.*mcp\.json/)
})
