import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test, vi } from 'vitest'
import { bin, world, type World } from '../e2e/cli.ts'
import { fixture } from '../fixtures/fixture.ts'
import { textOf } from '../hub/makers.ts'
import { clientOptions, type EraName } from './doors.ts'

const daemonOn = { CAPSTAN_DAEMON: 'on', CAPSTAN_DAEMON_IDLE: '60' }

async function placeWith(server: object): Promise<World> {
  const place = await world()
  await place.write({ '~/.config/capstan/mcp.json': { mcpServers: { one: server } } })
  return {
    ...place,
    async [Symbol.asyncDispose]() {
      await place.capstan(['stop'], { env: daemonOn })
      await place[Symbol.asyncDispose]()
    },
  }
}

async function agent(place: World, era: EraName): Promise<AsyncDisposable & { readonly pid: () => Promise<string> }> {
  const client = new Client({ name: 'agent', version: '1' }, clientOptions(era))
  const env = { PATH: process.env['PATH'] ?? '', HOME: place.home, ...daemonOn }
  const command = { command: process.execPath, args: [bin, 'serve'], cwd: place.cwd, env, stderr: 'ignore' as const }
  await client.connect(new StdioClientTransport(command))
  return {
    async pid() {
      const result = await client.callTool({ name: 'one__pid', arguments: {} })
      if (result.isError === true) throw new Error(textOf(result))
      return textOf(result)
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

test('all agents share the servers of the daemon, whatever era they speak', async () => {
  await using place = await placeWith(fixture('echo'))
  await using first = await agent(place, 'legacy')
  await using second = await agent(place, 'modern')

  expect(await first.pid()).toBe(await second.pid())
})

test('an agent has a copy of its own of a server that is one client’s', async () => {
  await using place = await placeWith({ ...fixture('echo'), share: 'client' })
  await using first = await agent(place, 'legacy')
  await using second = await agent(place, 'legacy')

  expect(await first.pid()).not.toBe(await second.pid())
})

test('an agent goes on when the daemon was stopped: the gateway dials again', async () => {
  await using place = await placeWith(fixture('echo'))
  await using connected = await agent(place, 'legacy')
  const before = await connected.pid()

  await place.capstan(['stop'], { env: daemonOn })

  const after = await vi.waitFor(connected.pid, { timeout: 20_000, interval: 200 })
  expect(after).not.toBe(before)
})
