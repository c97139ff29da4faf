import { startModelServer, type ModelServer, type Scripted } from '../fixtures/model-server.ts'
import type { RawEntry } from '../../src/config/types.ts'
import { bin, world, type World } from '../e2e/cli.ts'
import { fixture } from '../fixtures/fixture.ts'
import { watch, type Eye } from './eye.ts'

export interface SessionPlace extends AsyncDisposable {
  readonly home: World
  readonly model: ModelServer
  /** Opens a session, as the built command line does, on a terminal of its own. */
  readonly open: (args?: readonly string[], options?: OpenOptions) => Eye
}

export interface OpenOptions {
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
}

export interface PlaceOptions {
  readonly servers?: Readonly<Record<string, RawEntry>>
  readonly script?: readonly Scripted[]
  readonly dialect?: 'chat' | 'anthropic'
}

/** A home with servers, and a scripted provider on loopback. */
export async function sessionPlace(options: PlaceOptions = {}): Promise<SessionPlace> {
  const { servers = { echo: fixture('echo') }, script = [], dialect = 'chat' } = options
  const home = await world()
  await home.write({ '~/.config/capstan/mcp.json': { mcpServers: servers } })
  const model = await startModelServer({ dialect, script })
  const anthropic = { CAPSTAN_MODEL: 'anthropic/scripted', ANTHROPIC_API_KEY: 'none' }
  const provider = {
    CAPSTAN_MODEL_URL: model.url,
    ...(dialect === 'anthropic' ? anthropic : { CAPSTAN_MODEL: 'scripted' }),
  }
  return {
    home,
    model,
    open: (args = ['chat'], { env = {}, ...size } = {}) =>
      watch({
        command: [process.execPath, bin, ...args],
        cwd: home.cwd,
        env: { PATH: process.env['PATH'] ?? '', HOME: home.home, CAPSTAN_DAEMON: 'off', ...provider, ...env },
        ...size,
      }),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

export const keys = {
  enter: '\r',
  tab: '\t',
  escape: '\u001B',
  up: '\u001B[A',
  down: '\u001B[B',
  ctrlC: '\u0003',
  ctrlO: '\u000F',
  ctrlP: '\u0010',
} as const
