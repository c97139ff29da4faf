import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { command as disable } from '../../src/cli/commands/disable.ts'
import { command as enable } from '../../src/cli/commands/enable.ts'
import { workbench } from './workbench.ts'

test('the built-in server is switched off by an entry of its own, and back on by taking that away', async () => {
  await using bench = await workbench()
  const servers = async () => JSON.parse(await readFile(bench.userFile, 'utf8')) as unknown

  await bench.run(disable, ['prompts'])
  const off = await servers()
  await bench.run(enable, ['prompts'])
  const on = await servers()

  expect([off, on]).toEqual([{ mcpServers: { prompts: { disabled: true } } }, { mcpServers: {} }])
})
