import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { servedPlace, type ServedPlace } from './real-clients-place.ts'

interface RealClient {
  readonly name: string
  /** Below the folder that `node bench/peers/install.ts` fills. */
  readonly program: string
  readonly list: (config: string, server: string) => readonly string[]
  readonly call: (config: string, server: string) => readonly string[]
}

const inspecting = (config: string, server: string) => ['--cli', '--config', config, '--server', server, '--method']

const clients: readonly RealClient[] = [
  {
    name: 'the official inspector',
    program:
      '@modelcontextprotocol+inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
    list: (...which) => [...inspecting(...which), 'tools/list'],
    call: (...which) => [
      ...inspecting(...which),
      'tools/call',
      '--tool-name',
      'one__echo',
      '--tool-arg',
      'message=hello there',
    ],
  },
  {
    name: 'mcporter',
    program: 'mcporter/node_modules/mcporter/dist/cli.js',
    list: (config, server) => ['--config', config, 'list', server, '--json'],
    call: (config, server) => ['--config', config, 'call', `${server}.one__echo`, 'message=hello there'],
  },
]

describe.each(clients)('$name', ({ program, list, call }) => {
  const file = fileURLToPath(new URL(`../../bench/peers/.cache/${program}`, import.meta.url))
  const reason = existsSync(file) ? '' : ' (left out: run node bench/peers/install.ts first)'

  test.skipIf(reason !== '').each(['stdio', 'http'])(
    `lists and calls through the gateway over %s${reason}`,
    async (door) => {
      await using served = await servedPlace({ one: fixture('echo') })
      const config = await configFor(served)
      const run = async (args: readonly string[]) => {
        const env = { ...served.entry.env, MCP_INSPECTOR_SECRET_STORE: 'memory' }
        const options = { env, cwd: served.place.cwd, timeout: 60_000 }
        return (await promisify(execFile)(process.execPath, [file, ...args], options)).stdout
      }

      const listed = await run(list(config, door))
      const called = await run(call(config, door))

      expect(listed).toMatch(/"name": ?"one__add"/)
      expect(called).toContain('hello there')
    },
  )
})

/** The gateway as both kinds of entry that clients know. */
async function configFor({ place, entry, listen }: ServedPlace): Promise<string> {
  const { url } = await listen()
  await place.write({ 'clients.json': { mcpServers: { stdio: entry, http: { type: 'http', url: url.href } } } })
  return join(place.cwd, 'clients.json')
}
