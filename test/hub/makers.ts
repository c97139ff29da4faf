import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inlineConfig } from '../../src/config/load.ts'
import type { RawEntry } from '../../src/config/types.ts'
import { dialHub } from '../../src/daemon/dial.ts'
import { serveHub } from '../../src/daemon/serve.ts'
import type { Hub } from '../../src/hub/api.ts'
import { openHub, type OpenHubOptions } from '../../src/hub/hub.ts'

export type Servers = Readonly<Record<string, RawEntry>>

export interface TestHub extends Hub {
  /** The home folder of this hub: everything it keeps is below it. */
  readonly home: string
}

export type Maker = (servers: Servers, options?: OpenHubOptions & TestOptions) => Promise<TestHub>

interface TestOptions {
  readonly home?: string
  readonly env?: Readonly<Record<string, string>>
  readonly catalogueSeconds?: number
}

/** The two ways to get a Hub. Every promise of the hub is tested with both. */
export const makers: readonly (readonly [string, Maker])[] = [
  ['openHub', (servers, options) => openTestHub(servers, options)],
  ['dialHub', (servers, options) => dialTestHub(servers, options)],
]

export async function openTestHub(servers: Servers, options: OpenHubOptions & TestOptions = {}) {
  const folder = await temporaryFolder()
  const home = options.home ?? folder
  const env = { PATH: process.env['PATH'], HOME: home, ...options.env }
  const config = inlineConfig(servers, { env, cwd: home })
  const settings = {
    ...config.settings,
    ...(options.catalogueSeconds === undefined ? {} : { catalogueSeconds: options.catalogueSeconds }),
  }
  const hub = await openHub({ ...config, settings }, options)
  return {
    ...hub,
    home,
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function dialTestHub(servers: Servers, options: OpenHubOptions & TestOptions = {}): Promise<TestHub> {
  const opened = await openTestHub(servers, options)
  const folder = await temporaryFolder()
  const socket = join(folder, 'hub.sock')
  const served = await serveHub(opened, socket)
  const dialled = await dialHub(socket)
  return {
    ...dialled,
    home: opened.home,
    async [Symbol.asyncDispose]() {
      await dialled[Symbol.asyncDispose]()
      await served[Symbol.asyncDispose]()
      await opened[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function temporaryFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'capstan-')))
}

/** The text of a tool's result. */
export function textOf(result: { readonly content: readonly { readonly type: string }[] }): string {
  return result.content.map((block) => ('text' in block ? String(block.text) : `<${block.type}>`)).join('\n')
}
