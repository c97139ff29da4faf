import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { resolveServer } from '../../src/config/interpolate.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { StdioServer } from '../../src/config/types.ts'
import { tempFolder } from './temp-folder.ts'

const file = resolve('examples/mcp.json')

test.each(['everything', 'filesystem', 'memory'])(
  'the example server %s starts from any folder and introduces itself',
  async (name) => {
    await using folder = await tempFolder()
    const env = { PATH: process.env['PATH'], HOME: folder.path, TMPDIR: folder.path, USER: 'ada' }
    const config = await loadConfig({ env, cwd: tmpdir(), configFiles: [file], trust: () => 'new' })
    const standing = config.servers.find((server) => server.name === name)?.standing
    if (standing?.kind !== 'usable') throw new Error(`${name} is not usable`)

    const server = await resolveServer(standing.server, { name, file, layer: 'user' }, config.surroundings)

    expect(await introduction(server as StdioServer, env)).toContain('"serverInfo"')
    expect(config.warnings).toEqual([])
  },
)

/** The answer to `initialize`, as one line. */
async function introduction(server: StdioServer, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(server.command, server.args, {
    cwd: server.cwd,
    env: { ...env, ...server.env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const exited = once(child, 'exit')
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } }
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  for await (const line of createInterface({ input: child.stdout })) {
    child.kill('SIGKILL')
    await exited
    return line
  }
  throw new Error('the server ended without a word')
}
