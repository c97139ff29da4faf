import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Era } from '../../src/hub/api.ts'

export interface GatewayUnderTest extends AsyncDisposable {
  readonly url: string
}

const bin = fileURLToPath(new URL('../../src/cli/bin.ts', import.meta.url))
const fixture = fileURLToPath(new URL('server-fixture.ts', import.meta.url))
const flags = ['--own', '--http', '127.0.0.1:0', '--mode', 'all', '--no-prefix']

/** `capstan serve` with the suite's server behind it, which speaks the given era, in a home of its own. */
export async function openGatewayUnderTest(serverEra: Era): Promise<GatewayUnderTest> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'capstan-conformance-')))
  const args = [fixture, ...(serverEra === 'legacy' ? ['legacy'] : [])]
  const server = { command: process.execPath, args, sampling: true, roots: true }
  const config = join(home, 'mcp.json')
  await writeFile(config, JSON.stringify({ mcpServers: { fixture: server } }))
  const gateway = spawn(process.execPath, [bin, '--config', config, 'serve', ...flags], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, CAPSTAN_DAEMON: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(gateway, 'close')
  const log: string[] = []
  gateway.stderr.setEncoding('utf8').on('data', (text: string) => log.push(text))
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(gateway.stdout).once('line', resolve)
    void ended.then(() => reject(new Error(`The gateway ended before it listened: ${log.join('')}`)))
  })
  return {
    url,
    async [Symbol.asyncDispose]() {
      gateway.kill('SIGTERM')
      await ended
      await rm(home, { recursive: true, force: true })
    },
  }
}
