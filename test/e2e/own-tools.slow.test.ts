import { expect, test } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { world } from './cli.ts'
import { onTerminal } from './terminal.ts'

test.each([
  ['in this process', 'off'],
  ['through the daemon', 'on'],
])(
  'on a terminal a call of a project’s tool shows its code, asks, and runs it once it is approved: %s',
  async (_where, daemon) => {
    await using home = await world()
    const env = { CAPSTAN_DAEMON: daemon }
    await home.write({
      '~/.config/capstan/mcp.json': { mcpServers: { one: fixture('echo') } },
      '~/.config/capstan/tools/mine.js': 'export default () => "mine"',
      '.capstan/tools/theirs.js': 'export default () => tools.one.echo({ message: "ran" })',
    })
    try {
      await using asked = onTerminal(home, ['call', 'my.theirs'], { env })
      await asked.shows('my.theirs (theirs.js):')
      await asked.shows('| export default () => tools.one.echo')
      await asked.shows('Trust them? [all/choose/none]')
      asked.type('all\r')
      await asked.shows('ran')
      expect(await asked.ended).toBe(0)

      await using later = onTerminal(home, ['call', 'my.theirs'], { env })
      expect(await later.ended).toBe(0)
      expect(later.bytes()).not.toContain('Trust')
    } finally {
      await home.capstan(['stop'], { env })
    }
  },
  60_000,
)

test('on a terminal a call of another server asks nothing about the project’s tools', async () => {
  await using home = await world()
  await home.write({
    '~/.config/capstan/mcp.json': { mcpServers: { one: fixture('echo') } },
    '.capstan/tools/theirs.js': 'export default () => 1',
  })

  await using terminal = onTerminal(home, ['call', 'one.echo', 'message=hi'])

  expect(await terminal.ended).toBe(0)
  expect(terminal.bytes()).not.toContain('Trust')
})
