import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { world } from './cli.ts'
import { startsIn, traced } from './traced-server.ts'

/** Every file and folder below, with size, time and content of each file. */
function everythingIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { mtimeMs, size } = statSync(join(folder, name))
      return `${name} ${size} ${mtimeMs}`
    })
}

test.each([[[]], [['--json']], [['import']]])(
  'the first run with another client’s config shows its servers, writes nothing, starts nothing: capstan %j',
  async (args) => {
    await using home = await world()
    const trace = join(home.cwd, 'trace')
    await home.write({
      '~/.cursor/mcp.json': { mcpServers: { weather: traced(trace), notes: { url: 'https://notes.example/mcp' } } },
    })
    const before = [everythingIn(home.home), everythingIn(home.cwd)]
    const startedAt = performance.now()

    const { code, stdout, stderr } = await home.capstan(args)

    expect(performance.now() - startedAt).toBeLessThan(2000)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('weather')
    expect(stdout).toContain('notes')
    if (!args.includes('--json')) expect(stdout).toContain('capstan import --all')
    expect([everythingIn(home.home), everythingIn(home.cwd)]).toEqual(before)
    expect(startsIn(trace)).toBe(0)
  },
)

test('the command that the first run names does what it says, and the servers can be used at once', async () => {
  await using home = await world()
  const trace = join(home.cwd, 'trace')
  await home.write({ '~/.cursor/mcp.json': { mcpServers: { weather: traced(trace) } } })

  const imported = await home.capstan(['import', '--all'])
  const called = await home.capstan(['call', 'weather.echo', 'message=sunny'])

  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('weather') })
  expect(called).toMatchObject({ code: 0, stdout: 'sunny\n' })
  expect(
    Object.keys(
      (JSON.parse(readFileSync(join(home.home, '.config/capstan/mcp.json'), 'utf8')) as { mcpServers: object })
        .mcpServers,
    ),
  ).toEqual(['weather'])
})

test('with no servers anywhere it says so, with the exact command to add one', async () => {
  await using home = await world()
  const before = everythingIn(home.home)

  const { code, stdout, stderr } = await home.capstan([])

  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/No servers are configured/)
  expect(stdout).toContain('capstan add files -- npx -y @modelcontextprotocol/server-filesystem .')
  expect(everythingIn(home.home)).toEqual(before)
})

test('looking without any server starts no daemon, and does not speak of servers that are kept warm', async () => {
  await using home = await world()

  const looks = await Promise.all(
    [['list'], ['search', 'files']].map((args) => home.capstan(args, { env: { CAPSTAN_DAEMON: 'on' } })),
  )

  for (const { stderr } of looks) expect(stderr).toMatch(/^No servers are configured/)
  expect(existsSync(join(home.home, '.local/state/capstan/daemon.sock'))).toBe(false)
})

test.each([
  ['list', ['list'], 0],
  ['call', ['call', 'x.y'], 2],
  ['doctor', ['doctor'], 0],
  ['review', ['review'], 0],
  ['config', ['config'], 0],
])('%s without any server says what to do', async (_what, args, expected) => {
  await using home = await world()

  const { code, stdout, stderr } = await home.capstan(args)

  expect(code).toBe(expected)
  expect(stdout + stderr).toMatch(/\S/)
  expect(stderr).not.toMatch(/^\s+at /m)
})
