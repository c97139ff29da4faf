import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, test, vi } from 'vitest'
import { bin, isRunning, world, type World } from '../e2e/cli.ts'
import { fixture } from '../fixtures/fixture.ts'
import { textOf } from '../hub/makers.ts'
import { clientOptions, eras, type EraName } from './doors.ts'
import { listening } from './serving.ts'

const config = { mcpServers: { one: { ...fixture('echo'), description: 'Says things again.' } } }

async function prepared(): Promise<World> {
  const place = await world()
  await place.write({ '~/.config/capstan/mcp.json': config })
  return place
}

/** A client that starts `capstan serve` as agents do. */
async function startedBy(
  place: World,
  era: EraName,
  args: readonly string[] = [],
): Promise<AsyncDisposable & { client: Client }> {
  const listChanged = { tools: { onChanged: () => {}, autoRefresh: false, debounceMs: 0 } }
  const client = new Client({ name: 'agent', version: '1' }, clientOptions(era, { listChanged }))
  const env = { PATH: process.env['PATH'] ?? '', HOME: place.home, CAPSTAN_DAEMON: 'off' }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'serve', ...args],
    cwd: place.cwd,
    env,
    stderr: 'ignore',
  })
  await client.connect(transport)
  return { client, [Symbol.asyncDispose]: () => client.close() }
}

describe.each(eras)('capstan serve, started by a %s client', (era) => {
  test('offers the servers of the config, and says what they are for', async () => {
    await using place = await prepared()
    await using agent = await startedBy(place, era)

    const { tools } = await agent.client.listTools()
    const result = await agent.client.callTool({ name: 'one__echo', arguments: { message: 'hi' } })

    expect(tools.map(({ name }) => name)).toContain('one__add')
    expect(textOf(result)).toBe('hi')
    expect(agent.client.getInstructions()).toContain('one (Says things again)')
  })

  test('tells of a server that is added while it serves', async () => {
    await using place = await prepared()
    await using agent = await startedBy(place, era)
    await agent.client.listTools()

    await place.write({
      '~/.config/capstan/mcp.json': { mcpServers: { ...config.mcpServers, two: fixture('modern') } },
    })

    const names = async () => (await agent.client.listTools()).tools.map(({ name }) => name)
    await vi.waitFor(async () => expect(await names()).toContain('two__echo'), { timeout: 25_000, interval: 100 })
  })
})

describe('capstan serve', () => {
  test('answers a script that pipes its requests in and hangs up, and leaves nothing running', async () => {
    await using place = await prepared()
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'script', version: '1' } }
    const messages = [
      { id: 1, method: 'initialize', params: initialize },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'one__pid', arguments: {} } },
    ]
    const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')

    const { code, stdout } = await place.capstan(['serve'], { input })

    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id?: number; result?: { content?: { text: string }[] } })
    const pid = Number(answers.find(({ id }) => id === 2)?.result?.content?.[0]?.text)
    expect(code).toBe(0)
    expect(pid).toBeGreaterThan(0)
    expect(isRunning(pid)).toBe(false)
  })

  test('says which of the servers it should serve are not there', async () => {
    await using place = await prepared()

    const { code, stderr } = await place.capstan(['serve', '--servers', 'oen,prompts'], { input: '' })

    expect(code).toBe(0)
    expect(stderr).toContain('There is no server "oen" yet, so nothing of it is served. Closest: one.')
    expect(stderr).not.toContain('"prompts"')
  })

  test('keeps names as they are, and leaves out what flags and profile take away', async () => {
    await using place = await prepared()
    await place.write({ '~/.config/capstan/config.toml': '[gateway.profiles.calm]\ndeny = ["erase", "set"]' })
    await using agent = await startedBy(place, 'legacy', [
      '--no-prefix',
      '--profile',
      'calm',
      '--deny',
      'exit',
      '--tools',
      '{e,s}*',
    ])

    const { tools } = await agent.client.listTools()

    expect(tools.map(({ name }) => name)).toEqual(['echo', 'embedded', 'empty', 'env', 'slow', 'structured'])
  })

  test('shows a tool that has changed since its first use in the review, until it is approved', async () => {
    await using place = await world()
    await place.write({ '~/.config/capstan/mcp.json': { mcpServers: { one: fixture('changes-list') } } })
    {
      await using agent = await startedBy(place, 'legacy')
      await agent.client.callTool({ name: 'one__grow', arguments: {} })
      await agent.client.callTool({ name: 'one__renew', arguments: {} })
      const tools = async () => (await agent.client.listTools()).tools
      await vi.waitFor(async () =>
        expect(await tools()).toContainEqual(expect.objectContaining({ description: 'new' })),
      )
    }

    const waiting = await place.capstan(['review'])
    const approved = await place.capstan(['review', 'pin:one.grow'])
    const after = await place.capstan(['review'])

    expect(waiting.stdout).toMatch(/pin:one\.grow\n +description: added new\n/)
    expect(approved.stdout).toContain('Approved: pin:one.grow.')
    expect([waiting.code, approved.code, after.code]).toEqual([5, 0, 0])
  })

  test('listens on HTTP for clients of both eras, tells monitors how it goes, and ends with SIGTERM', async () => {
    await using place = await prepared()
    await using serving = await listening(place, [])
    const texts = await Promise.all(
      eras.map(async (era) => {
        const client = new Client({ name: 'agent', version: '1' }, clientOptions(era))
        await client.connect(new StreamableHTTPClientTransport(serving.url))
        const result = await client.callTool({ name: 'one__echo', arguments: { message: era } })
        await client.close()
        return textOf(result)
      }),
    )
    const page = async (path: string) => (await fetch(new URL(path, serving.url))).text()

    const [health, readiness, metrics] = await Promise.all(['/healthz', '/readyz', '/metrics'].map(page))
    serving.child.kill('SIGTERM')
    const { code } = await serving.ended

    expect(texts).toEqual(['legacy', 'modern'])
    expect([health, readiness]).toEqual(['ok\n', 'ok\n'])
    expect(metrics).toContain('capstan_calls_total{server="one",via="direct",outcome="ok"} 2\n')
    expect(metrics).toContain('capstan_server_state{server="one",state="ready"} 1\n')
    expect(code).toBe(0)
  })

  test('wants the token that it was given, also for its metrics', async () => {
    await using place = await prepared()
    const token = 'a-token-of-some-length'
    await using serving = await listening(place, [], { CAPSTAN_TOKEN: token })
    const statusOf = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(new URL(path, serving.url), { headers })).status

    const authorization = `Bearer ${token}`
    expect(await statusOf('/healthz')).toBe(200)
    expect(await statusOf('/metrics')).toBe(401)
    expect(await statusOf('/metrics', { authorization })).toBe(200)
    expect(await statusOf('/mcp')).toBe(401)
  })

  test.each([
    [['--http', '0.0.0.0:0'], 5, /can be reached by others.*--token-file/s],
    [['--http', 'nowhere'], 2, /not an address/],
    [['--mode', 'some'], 2, /--mode is auto, all, meta or code/],
    [['--profile', 'none'], 2, /no profile "none"/],
    [['--token-file', 'none', '--http', '0'], 2, /token file .*cannot be read/],
    [['more'], 2, /takes only flags/],
  ])('refuses %j with a sentence that says why', async (args, code, words) => {
    await using place = await prepared()

    const outcome = await place.capstan(['serve', ...args])

    expect(outcome.code).toBe(code)
    expect(outcome.stderr).toMatch(words)
    expect(outcome.stdout).toBe('')
  })
})
