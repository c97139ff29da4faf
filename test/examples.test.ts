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

test('tool-manager runs tools of servers beside one of its own, and shows and answers all of them', async () => {
  await using home = await tempFolder()

  const { stdout, stderr } = await example(home, 'tool-manager.ts')

  expect(stdout.split('\n')).toEqual([
    'my-editor.json wants files: command: node',
    'without ghost: start_failed',
    'everything__echo, everything__get-sum, files__read_text_file, count_words',
    'may mcp.files.read_text_file run? It says that it only reads.',
    'mcp.files.read_text_file (Read Text File): done in a moment',
    '  path: crew.csv',
    '  head: 2',
    'name,duty,since',
    'Ada,navigator,2021',
    '{"type":"tool_result","tool_use_id":"call_1","content":[{"type":"text","text":"name,duty,since\\nAda,navigator,2021"}]}',
    expect.stringMatching(/^mcp\.everything\.get-sum \(Get Sum Tool\): Bad arguments .*"b" is missing/),
    '  a: one',
    expect.stringMatching(/^\{"type":"tool_result","tool_use_id":"call_2","is_error":true,.*Bad arguments/),
    '{"type":"tool_result","tool_use_id":"call_3","content":"4"}',
    '',
  ])
  expect(stderr).toBe('')
})

test('ai-sdk-tools asks through the SDK about what the config does not allow', async () => {
  await using home = await tempFolder()

  const { stdout, stderr } = await example(home, 'ai-sdk-tools.ts')

  expect(stdout).toBe('may everything__get-sum run with {"a":19,"b":23}?\nThe sum is 42.\n')
  expect(stderr).toBe('')
})

test('every example program is run by a test', async () => {
  const files = await readdir('examples')

  expect(files.filter((file) => file.endsWith('.ts')).sort()).toEqual([
    'ai-sdk-tools.ts',
    'builtin-server.ts',
    'call-a-tool.ts',
    'list-everything.ts',
    'run-code.ts',
    'share-a-hub.ts',
    'tool-manager.ts',
  ])
})

/** Runs an example to its end in a home of its own. */
function example(home: TempFolder, file: string, ...args: readonly string[]) {
  const env = { PATH: process.env['PATH'], HOME: home.path, TMPDIR: home.path, NO_COLOR: '1' }
  return run(process.execPath, [`examples/${file}`, ...args], { env })
}
