import { expect, test } from 'vitest'
import { fixture } from '../../fixtures/fixture.ts'
import { pi1 } from './install-pi.ts'
import { calling, piWorld } from './pi-world.ts'

const print = ['--no-session', '-p']
const version = pi1

test('a pi that speaks MCP itself gets our servers as one server of its own, and calls their tools', async () => {
  const code =
    'return (await tools.mcp__capstan__demo__echo({ message: "through the gateway" })).structuredContent.message'
  await using world = await piWorld(calling('codemode', { code }))
  await world.write({ '~/.config/capstan/mcp.json': { mcpServers: { demo: fixture('modern') } } })

  const { code: exit, stderr } = await world.pi([...print, 'Say it.'], { version })

  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  expect(world.systemPrompt(0)).toContain('mcp__capstan (codemode): The MCP servers of Capstan: demo')
  expect(world.lastMessage(1).content).toContain('through the gateway')
  expect(world.toolNames(0).filter((name) => name.startsWith('mcp_'))).toEqual([])
})

test('what stands in its own files it starts by itself: nothing of ours is there', async () => {
  await using world = await piWorld([{ text: 'Hello.' }])
  await world.write({ '~/.pi/agent/mcp.json': { mcpServers: { demo: fixture('modern') } } })

  await world.pi([...print, 'Hello?'], { version })

  expect(world.systemPrompt(0)).toContain('mcp__demo')
  expect(world.systemPrompt(0)).not.toContain('mcp__capstan')
})
