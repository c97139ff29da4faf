import { createInterface } from 'node:readline'
import type { RawEntry } from '../../src/config/types.ts'
import { bin, world, type World } from '../e2e/cli.ts'

/** A home with servers in its config, and `capstan serve` as clients are told to reach it. */
export interface ServedPlace extends AsyncDisposable {
  readonly place: World
  /** The entry for a client that starts it itself. */
  readonly entry: { readonly command: string; readonly args: string[]; readonly env: Record<string, string> }
  /** Starts it over HTTP; it ends with the place. */
  readonly listen: (options?: ListenOptions) => Promise<Listening>
}

export interface ListenOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export interface Listening {
  readonly url: URL
  /** Ends it; what it has said on stderr. */
  readonly stop: () => Promise<string>
}

export async function servedPlace(mcpServers: Readonly<Record<string, RawEntry>>): Promise<ServedPlace> {
  const place = await world()
  await place.write({ '~/.config/capstan/mcp.json': { mcpServers } })
  const stops: (() => Promise<string>)[] = []
  const env = { PATH: process.env['PATH'] ?? '', HOME: place.home, CAPSTAN_DAEMON: 'off' }
  return {
    place,
    entry: { command: process.execPath, args: [bin, 'serve'], env },
    async listen(options = {}) {
      const listening = await listen(place, options)
      stops.push(listening.stop)
      return listening
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(stops.map((stop) => stop()))
      await place[Symbol.asyncDispose]()
    },
  }
}

async function listen(place: World, { args = [], env = {} }: ListenOptions): Promise<Listening> {
  const { child, ended } = place.start(['serve', '--http', '0', ...args], { env })
  const { stdout } = child
  if (stdout === null) throw new Error('no stdout')
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(stdout).once('line', resolve)
    void ended.then(({ stderr }) => reject(new Error(stderr)))
  })
  return {
    url: new URL(url),
    async stop() {
      child.kill('SIGTERM')
      return (await ended).stderr
    },
  }
}
