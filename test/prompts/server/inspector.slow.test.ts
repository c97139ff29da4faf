// The official inspector is installed by the benchmarks (bench/peers); without it there is nobody to ask. Its command line completes
// nothing, so completion is held by `requests.test.ts` with the SDK's client.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { bin, world } from '../../e2e/cli.ts'

const peers = fileURLToPath(new URL('../../../bench/peers/.cache', import.meta.url))
const inspector = join(peers, '@modelcontextprotocol+inspector', 'node_modules', '.bin', 'mcp-inspector')

test.skipIf(!existsSync(inspector))('the official inspector lists, gets, calls, and finds the skills', async () => {
  await using home = await world()
  const ask = async (...args: readonly string[]) => {
    const command = [inspector, '--cli', process.execPath, bin, 'library', 'serve', ...args]
    const env = { PATH: process.env['PATH'], HOME: home.home }
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: home.cwd, env })
    return JSON.parse(stdout) as Record<string, unknown>
  }

  const prompts = await ask('--method', 'prompts/list')
  const prompt = await ask('--method', 'prompts/get', '--prompt-name', 'fix_bugs', '--prompt-args', 'code=x = 1')
  const tags = await ask('--method', 'tools/call', '--tool-name', 'list_tags')
  const skills = await ask('--method', 'skills/list')

  expect(prompts['prompts']).toHaveLength(10)
  expect(JSON.stringify(prompt['messages'])).toContain('x = 1')
  expect(JSON.stringify(tags)).toContain('code/review')
  expect(JSON.stringify(skills)).toContain('skill://incident-response/SKILL.md')
})
