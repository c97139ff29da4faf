import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { loadTrustedConfig } from '../../src/config/load-trusted.ts'
import type { Hub, JsonObject, LeftOutTool } from '../../src/hub/api.ts'
import { openHub, type OpenHubOptions } from '../../src/hub/hub.ts'
import type { Sandbox } from '../../src/sandbox/api.ts'
import { fixture } from '../fixtures/fixture.ts'
import { temporaryFolder } from './makers.ts'

type Files = Readonly<Record<string, string>>

export interface Place extends AsyncDisposable {
  readonly home: string
  readonly write: (files: Files) => Promise<void>
  readonly open: (options?: OpenHubOptions) => Promise<Hub>
}

/** A home with the server `one`, tools of the person's (`NAME.ts`), and tools of a project (`project/NAME.ts`). */
export async function ownToolsPlace(
  sandbox: Sandbox,
  files: Files,
  servers: JsonObject = { one: fixture('echo') },
): Promise<Place> {
  const home = await temporaryFolder()
  const hubs: Hub[] = []
  const write = async (more: Files) => {
    for (const [name, text] of Object.entries(more)) {
      const file = name.startsWith('project/')
        ? join(home, 'p/.capstan/tools', name.slice('project/'.length))
        : join(home, '.config/capstan/tools', name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
    }
  }
  await mkdir(join(home, 'p'))
  await mkdir(join(home, '.config/capstan'), { recursive: true })
  await write(files)
  await writeFile(join(home, '.config/capstan/mcp.json'), JSON.stringify({ mcpServers: servers }))
  return {
    home,
    write,
    async open(options = { sandbox: async () => sandbox }) {
      const env = { PATH: process.env['PATH'], HOME: home }
      const hub = await openHub(await loadTrustedConfig({ env, cwd: join(home, 'p') }), options)
      hubs.push(hub)
      return hub
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(hubs.map((hub) => hub[Symbol.asyncDispose]()))
      await rm(home, { recursive: true, force: true })
    },
  }
}

export const my = (tool: string) => ({ server: 'my', tool })

export async function idsOf(hub: Hub): Promise<readonly string[]> {
  return (await hub.catalogue({ servers: ['my'] })).tools.map(({ id }) => id)
}

export async function leftOutOf(hub: Hub): Promise<readonly LeftOutTool[]> {
  return (await hub.servers()).find(({ name }) => name === 'my')?.leftOut ?? []
}
