import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder, type TempFolder } from './config/temp-folder.ts'

// The examples import the package by its own name, so what runs here is the last build.
const run = promisify(execFile)

test('call-a-tool prints what the tool answered', async () => {
  await using home = await tempFolder()

  const { stdout, stderr } = await example(home, 'call-a-tool.ts', 'good morning')

  expect(stdout).toBe('Echo: good morning\n')
  expect(stderr).toBe('')
})

test('list-everything lists the tools of all example servers', async () => {
  await using home = await tempFolder()

  const { stdout, stderr } = await example(home, 'list-everything.ts')

  expect(stdout).toContain('everything.echo\n')
  expect(stdout).toContain('filesystem.read_text_file\n')
  expect(stdout).toContain('memory.read_graph\n')
  expect(stderr).toBe('')
})

test('list-everything names a server that did not answer, and why', async () => {
  await using home = await tempFolder()
  const mcpServers = { ghost: { command: 'no-such-program' } }
  await home.write({ 'ghost.json': JSON.stringify({ mcpServers }) })

  const { stdout, stderr } = await example(home, 'list-everything.ts', 'examples/mcp.json', `${home.path}/ghost.json`)

  expect(stdout).toContain('everything.echo\n')
  expect(stderr).toMatch(/^ghost \(start_failed\): .*"no-such-program" was not found.*\n$/)
})

test('share-a-hub lets two callers use one server, and tells them what happens to it', async () => {
  await using home = await tempFolder()

  const { stdout, stderr } = await example(home, 'share-a-hub.ts')

  expect(stdout.split('\n')).toEqual([
    'memory is connecting',
    'memory is ready',
    'create_entities: ok',
    'search_nodes: ok',
    '{"entities":[{"name":"Ada","entityType":"person","observations":["likes knots"]}],"relations":[]}',
    'serch_nodes: tool_unknown',
    expect.stringMatching(/^tool_unknown: .*Closest: memory\.search_nodes/),
    '',
  ])
  expect(stderr).toBe('')
})

test('builtin-server answers from inside the process', async () => {
  await using home = await tempFolder()

  const { stdout, stderr } = await example(home, 'builtin-server.ts')

  expect(stdout).toBe("{ type: 'text', text: 'Tuesday' }\n")
  expect(stderr).toBe('')
})

test('run-code finds a tool and runs a snippet that may call only what it was allowed', async () => {
  await using home = await tempFolder()

  const { stdout, stderr } = await example(home, 'run-code.ts')

  expect(stdout.split('\n')).toEqual([
    "filesystem.read_text_file [ 'read', 'text', 'file' ]",
    'read 76 characters',
    'rows: 3',
    'read_text_file ok',
    '',
  ])
  expect(stderr).toBe('')
})

test('every example program is run by a test', async () => {
  const files = await readdir('examples')

  expect(files.filter((file) => file.endsWith('.ts')).sort()).toEqual([
    'builtin-server.ts',
    'call-a-tool.ts',
    'list-everything.ts',
    'run-code.ts',
    'share-a-hub.ts',
  ])
})

/** Runs an example to its end in a home of its own. */
function example(home: TempFolder, file: string, ...args: readonly string[]) {
  const env = { PATH: process.env['PATH'], HOME: home.path, TMPDIR: home.path, NO_COLOR: '1' }
  return run(process.execPath, [`examples/${file}`, ...args], { env })
}
