import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'smol-toml'
import { expect, test } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { startHttpServer } from '../fixtures/http-server.ts'
import { world } from './cli.ts'

const echo = (number: number) => fixture('echo', { args: [`number-${number}`] })

test('fifteen servers of four clients, two dead and two that want a login, become one entry that works without a shell, and go back', async () => {
  await using home = await world()
  await using closed = await startHttpServer({ always: 401 })
  const cursor = {
    mcpServers: {
      marked: { ...echo(1), env: { MARK: '${MARK_OF_TEST}' } },
      ...Object.fromEntries([2, 3, 4, 5].map((number) => [`echo-${number}`, echo(number)])),
      dead: fixture('exits-at-start'),
    },
  }
  const codex = {
    mcp_servers: {
      missing: { command: '/no/such/program' },
      ...Object.fromEntries([6, 7, 8].map((number) => [`echo-${number}`, echo(number)])),
    },
  }
  const gemini = { mcpServers: { private: { httpUrl: closed.url }, 'echo-9': echo(9), 'echo-10': echo(10) } }
  const claude = {
    numStartups: 3,
    mcpServers: { locked: { type: 'http', url: `${closed.url}?team=2` }, 'echo-11': echo(11) },
  }
  await home.write({
    '~/.cursor/mcp.json': cursor,
    '~/.codex/config.toml': stringify(codex),
    '~/.gemini/settings.json': gemini,
    '~/.claude.json': claude,
  })
  const env = { MARK_OF_TEST: 'here' }
  const file = join(home.home, '.cursor', 'mcp.json')
  const before = await readFile(file)

  const imported = await home.capstan(['import', '--all', '--json'], { env })
  const doctor = await home.capstan(['doctor', '--json'], { env })
  const connected = await home.capstan(['connect', 'cursor', 'codex', '--move', '--mode', 'all', '--yes'], { env })

  expect(JSON.parse(imported.stdout).copied).toHaveLength(15)
  expect(doctor.code).toBe(1)
  expect(troubled(doctor.stdout)).toEqual(['dead', 'locked', 'missing', 'private'])
  expect(connected).toMatchObject({ code: 0, stderr: '' })
  const { mcpServers } = JSON.parse(await readFile(file, 'utf8'))
  expect(Object.keys(mcpServers)).toEqual(['capstan'])

  // As a program that was started from a desktop starts it: from no folder in particular, with the entry's variables and few others.
  const { command, args, env: carried } = mcpServers.capstan
  const client = new Client({ name: 'cursor', version: '1' })
  await client.connect(
    new StdioClientTransport({ command, args, cwd: '/', env: { HOME: home.home, ...carried }, stderr: 'ignore' }),
  )
  const result = await client.callTool({ name: 'marked__echo', arguments: { message: 'through the entry' } })
  await client.close()
  expect(JSON.stringify(result.content)).toContain('through the entry')

  const undone = await home.capstan(['disconnect', 'cursor', 'codex', '--yes'], { env })
  expect(undone).toMatchObject({ code: 0, stderr: '' })
  expect(await readFile(file)).toEqual(before)
})

/** The servers of which doctor says that something is wrong. */
function troubled(report: string): readonly string[] {
  const { servers }: { servers: { name: string; findings: { level: string }[] }[] } = JSON.parse(report)
  return servers
    .filter(({ findings }) => findings.some(({ level }) => level === 'problem'))
    .map(({ name }) => name)
    .toSorted()
}
