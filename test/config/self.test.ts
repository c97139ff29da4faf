import { expect, test } from 'vitest'
import { servesPromptLibrary, startsCapstan } from '../../src/config/self.ts'

test.each([
  { command: 'capstan', args: ['serve'] },
  { command: '/usr/local/bin/capstan' },
  { command: 'C:\\npm\\capstan.cmd', args: ['serve'] },
  { command: 'capstan-prompts' },
  { command: 'capstan serve' },
  { command: 'npx', args: ['-y', 'capstan', 'serve'] },
  { command: 'npx', args: ['--yes', 'capstan@0.1.0', 'serve'] },
  { command: 'npx', args: ['-p', 'capstan@latest', 'capstan-prompts'] },
  { command: 'npx', args: ['--package=capstan', '--', 'anything'] },
  { command: 'npx -y capstan serve' },
  { command: 'npm', args: ['exec', '--', 'capstan', 'serve'] },
  { command: 'pnpm', args: ['dlx', 'capstan'] },
  { command: 'yarn', args: ['dlx', 'capstan'] },
  { command: 'bunx', args: ['capstan'] },
  { command: 'bun', args: ['x', 'capstan'] },
  { command: 'node', args: ['/x/node_modules/capstan/dist/cli/bin.js', 'serve'] },
  { command: 'node', args: ['--no-warnings', '../capstan/dist/cli/bin.js'] },
  { command: 'node', args: ['node_modules/.bin/capstan'] },
  { command: 'sh', args: ['-c', 'exec capstan serve'] },
  { command: 'bash', args: ['-lc', 'npx -y capstan serve'] },
  { command: 'cmd', args: ['/c', 'npx', '-y', 'capstan'] },
  { command: '/usr/bin/env', args: ['DEBUG=1', 'capstan', 'serve'] },
])('recognises %j as Capstan itself', (entry) => {
  expect(startsCapstan(entry)).toBe(true)
})

test.each([
  { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory', 'capstan'] },
  { command: 'npx', args: ['-y', 'capstan-weather'] },
  { command: 'npx', args: ['-y', '@someone/capstan'] },
  { command: 'node', args: ['dist/cli/bin.js'] },
  { command: 'node', args: ['server.js', '--name', 'capstan'] },
  { command: 'sh', args: ['-c', 'echo "unclosed'] },
  { command: 'sh' },
  { url: 'https://capstan.example/mcp' },
  { command: 5 },
  {},
])('leaves %j alone', (entry) => {
  expect(startsCapstan(entry)).toBe(false)
})

test.each([
  { command: 'capstan', args: ['library', 'serve', '--read-only'] },
  { command: 'capstan library serve' },
  { command: 'capstan', args: ['--no-input', 'prompts', 'serve'] },
  { command: 'capstan-prompts' },
  { command: 'npx', args: ['-y', '-p', 'capstan@latest', 'capstan-prompts'] },
  { command: 'npx', args: ['-y', 'capstan', 'library', 'serve'] },
  { command: 'node', args: ['node_modules/capstan/dist/cli/bin.js', 'library', 'serve'] },
  { command: 'node', args: ['node_modules/capstan/dist/cli/prompts-bin.js'] },
  { command: 'sh', args: ['-c', 'exec capstan library serve'] },
])('knows that %j serves the prompt library alone', (entry) => {
  expect([startsCapstan(entry), servesPromptLibrary(entry)]).toEqual([true, true])
})

test.each([
  { command: 'capstan', args: ['serve'] },
  { command: 'capstan', args: ['serve', 'library', 'serve'] },
  { command: 'npx', args: ['-p', 'capstan', 'capstan', 'serve'] },
  { command: 'capstan', args: ['library'] },
  { command: 'other', args: ['library', 'serve'] },
  { command: 5 },
])('does not take %j for the prompt library', (entry) => {
  expect(servesPromptLibrary(entry)).toBe(false)
})
