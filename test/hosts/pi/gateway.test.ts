import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import { registerGateway } from '../../../src/hosts/pi/gateway.ts'
import { tempFolder } from '../../config/temp-folder.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { recordedPi } from './recorded-pi.ts'

const ours = 'home/.config/capstan/mcp.json'

test('the server that is registered is the gateway over our servers', async () => {
  await using folder = await tempFolder()
  await folder.write({ [ours]: JSON.stringify({ mcpServers: { demo: fixture('modern') } }), 'project/': '' })
  const env = { HOME: join(folder.path, 'home'), PATH: process.env['PATH'] ?? '', CAPSTAN_DAEMON: 'off' }
  const { pi, context, gateways } = recordedPi({ cwd: join(folder.path, 'project'), speaksMcp: true })

  await registerGateway(pi, { context, env })
  const gateway = gateways.get('capstan')
  const client = new Client({ name: 'pi', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: gateway?.command ?? '',
      args: gateway?.args ?? [],
      env: { ...env, ...gateway?.env },
      cwd: context.cwd,
    }),
  )
  const { tools } = await client.listTools()
  await client.close()

  expect(gateway?.description).toBe('The MCP servers of Capstan: demo')
  expect(tools.map(({ name }) => name)).toContain('demo__echo')
})

test('nothing is registered where we have no servers, whatever pi has', async () => {
  await using folder = await tempFolder()
  const file = JSON.stringify({ mcpServers: { demo: fixture('modern') } })
  await folder.write({ 'home/.pi/agent/mcp.json': file, 'project/': '' })
  const { pi, context, gateways, notices } = recordedPi({ cwd: join(folder.path, 'project'), speaksMcp: true })

  await registerGateway(pi, { context, env: { HOME: join(folder.path, 'home') } })

  expect([...gateways.keys()]).toEqual([])
  expect(notices).toEqual([])
})

test('a config that cannot be read is an error with its reason', async () => {
  await using folder = await tempFolder()
  await folder.write({ [ours]: '{ oops', 'project/': '' })
  const { pi, context, gateways, notices } = recordedPi({ cwd: join(folder.path, 'project'), speaksMcp: true })

  await registerGateway(pi, { context, env: { HOME: join(folder.path, 'home') } })

  expect([...gateways.keys()]).toEqual([])
  expect(notices).toMatchObject([{ level: 'error', message: expect.stringContaining('mcp.json') }])
})
