import { createInterface } from 'node:readline'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { world } from './cli.ts'

test('calls -f stays, prints the call that another process makes, and ends on Ctrl-C', async () => {
  await using place = await world()
  await place.write({ '~/.config/capstan/mcp.json': { mcpServers: { one: fixture('echo') } } })
  const { child, ended } = place.start(['calls', '-f'])
  if (child.stdout === null) throw new Error('no stdout')
  const lines = createInterface(child.stdout)
  const [first] = (await once(lines, 'line')) as [string]

  const [[next]] = (await Promise.all([once(lines, 'line'), place.capstan(['call', 'one.pid'])])) as [[string], unknown]
  child.kill('SIGINT')

  expect(first).toBe('No calls yet.')
  expect(next).toMatch(/ cli {2}one\.pid .* ok$/)
  expect((await ended).stderr).toBe('')
})
