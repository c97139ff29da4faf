import { expect, test } from 'vitest'
import type { Eye } from '../../terminal/eye.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { calling, piWorld } from './pi-world.ts'

/** One key after the other: what comes together is pasted, and pi completes nothing in it. */
async function keys(pi: Eye, text: string): Promise<void> {
  let typed = ''
  for (const key of text) {
    pi.type(key)
    typed += key
    if (key !== ' ') await pi.shows(typed)
  }
}

const servers = (mcpServers: object) => ({ '~/.pi/agent/mcp.json': { mcpServers } })

test('prompts are completed by name, and their arguments by the server', async () => {
  await using world = await piWorld([{ text: 'Hello, Albert.' }])
  await world.write(servers({ demo: fixture('modern') }))
  await using pi = world.terminal()

  await pi.shows(/MCP: 1 server, \d+ tools/)
  await keys(pi, '/demo')
  await pi.shows(/demo:greet.*Greets\. \(who\)/)
  pi.type('\t')
  await pi.shows('/demo:greet')
  await keys(pi, 'alb')
  await pi.shows(/→ albert/)
  pi.type('\t')
  await pi.shows('/demo:greet albert')
  pi.type('\r')
  await pi.shows('Hello, Albert.')

  expect(world.lastMessage(0).content).toMatchObject([{ text: 'Say hello to albert.' }])
})

test('a call waits in a dialog with its arguments, and runs after a yes', async () => {
  await using world = await piWorld(calling('mcp_invoke', { tool: 'demo.echo', arguments: { message: 'ahoy' } }))
  await world.write(servers({ demo: fixture('modern') }))
  await using pi = world.terminal()

  await pi.shows(/MCP: 1 server/)
  pi.type('Say it.\r')
  await pi.shows('May the model call demo.echo?')
  await pi.shows('"message": "ahoy"')
  await pi.shows('Yes, this once')
  pi.type('\r')
  await pi.shows('That was it.')

  expect(world.lastMessage(1)).toMatchObject({ content: 'ahoy' })
})

test('/capstan completes what it can do, and the servers', async () => {
  await using world = await piWorld()
  await world.write(servers({ demo: fixture('modern') }))
  await using pi = world.terminal()

  await pi.shows(/MCP: 1 server/)
  await keys(pi, '/capstan res')
  await pi.shows(/restart .*restart one server/)
  pi.type('\t')
  await pi.shows('/capstan restart')
  await keys(pi, ' d')
  await pi.shows(/→ demo/)
  pi.type('\t')
  await pi.shows('/capstan restart demo')
  pi.type('\r')
  await pi.shows('demo was restarted.')
})
