import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder } from '../config/temp-folder.ts'
import { world, type World } from '../e2e/cli.ts'
import { fixture } from '../fixtures/fixture.ts'
import { textOf } from '../hub/makers.ts'
import { connectHttp } from './doors.ts'

const run = promisify(execFile)
const unit = await readFile('examples/systemd/capstan.service', 'utf8')
const containerfile = await readFile('examples/container/Containerfile', 'utf8')
const token = 'a-token-of-some-length-0123456789'

// Neither systemd nor an engine for containers can be counted on where tests run: what they would start is started here.
const deployments = [
  ['systemd unit', /^ExecStart=\S+ (.*)$/m.exec(unit)?.[1]?.split(' '), settingsIn(unit, /^Environment=(.*)$/gm)],
  ['container', wordsIn(containerfile, /^CMD (\[.*\])$/m)?.slice(1), settingsIn(containerfile, /^ENV (.*)$/gm)],
] as const

test.each(deployments)('what the %s starts serves those who show the token, and nobody else', async (_, args, env) => {
  await using place = await placeWithToken()
  await using served = await serve(place, { args: args ?? [], env })

  const stranger = await fetch(served.url, { method: 'POST', headers: { 'content-type': 'application/json' } })
  await using entered = await connectHttp(served.url, 'modern', { token })
  const result = await entered.client.callTool({ name: 'one__echo', arguments: { message: 'ahoy' } })

  expect(stranger.status).toBe(401)
  expect(textOf(result)).toBe('ahoy')
})

test('the container is found healthy while the gateway is ready, and not when it has gone', async () => {
  const [, args = [], env] = deployments[1]
  const [command = '', ...rest] = wordsIn(containerfile, /^ {2}CMD (\[.*\])$/m) ?? []
  await using place = await placeWithToken()
  const served = await serve(place, { args, env })
  const check = rest.map((word) => word.replace('7332', served.url.port))

  const healthy = run(command, check)
  await expect(healthy).resolves.toBeDefined()
  await served[Symbol.asyncDispose]()

  await expect(run(command, check)).rejects.toMatchObject({ code: 1 })
})

const analyzer = 'systemd-analyze'
const hasSystemd = spawnSync(analyzer, ['--version']).status === 0

test.skipIf(!hasSystemd)('systemd finds nothing wrong with the unit', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'capstan.service')
  // It also looks whether the program is there.
  await writeFile(file, unit.replace('/usr/local/bin/capstan', process.execPath))

  const { stdout, stderr } = await run(analyzer, ['verify', file])

  expect(stdout + stderr).toBe('')
})

function settingsIn(text: string, pattern: RegExp): Readonly<Record<string, string>> {
  const settings = Array.from(text.matchAll(pattern), ([, line = '']) => line.split(' ')).flat()
  // A value may hold the sign too.
  return Object.fromEntries(settings.map((setting) => setting.split(/=(.*)/s, 2)))
}

function wordsIn(text: string, pattern: RegExp): readonly string[] | undefined {
  const list = pattern.exec(text)?.[1]
  return list === undefined ? undefined : (JSON.parse(list) as readonly string[])
}

/** The folders of the machine, below the home of a test. */
async function placeWithToken(): Promise<World> {
  const place = await world()
  await place.write({
    '~/etc/capstan/mcp.json': { mcpServers: { one: fixture('echo') } },
    '~/run/secrets/capstan-token': token,
    '~/credentials/token': token,
  })
  return place
}

interface Started {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

async function serve(place: World, { args, env }: Started): Promise<AsyncDisposable & { readonly url: URL }> {
  const moved = (text: string) =>
    text
      .replace('${CREDENTIALS_DIRECTORY}', join(place.home, 'credentials'))
      .replace(/^\/(?=etc|var|run)/, `${place.home}/`)
      .replace(/:7332$/, ':0')
  const movedEnv = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, moved(value)]))
  const { child, ended } = place.start(args.map(moved), { env: movedEnv })
  if (child.stdout === null) throw new Error('no stdout')
  const lines = createInterface(child.stdout)
  const failed = ended.then(({ stderr }) => Promise.reject(new Error(stderr)))
  const [line] = (await Promise.race([once(lines, 'line'), failed])) as [string]
  failed.catch(() => {}) // From here on its end is expected.
  const url = new URL(line)
  url.hostname = '127.0.0.1'
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
