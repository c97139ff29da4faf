import { join } from 'node:path'
import { filesToConnect } from '../../../src/config/connect/client-text.ts'
import { connectFile, type Connected } from '../../../src/config/connect/connect-file.ts'
import { readConnections } from '../../../src/config/connect/connections.ts'
import { disconnectFile } from '../../../src/config/connect/disconnect-file.ts'
import { gatewayEntry } from '../../../src/config/connect/gateway-entry.ts'
import { planConnect, type ConnectPlan } from '../../../src/config/connect/plan-connect.ts'
import { connectionsOf } from '../../../src/config/connect/find-connections.ts'
import { planDisconnect, type DisconnectPlan } from '../../../src/config/connect/plan-disconnect.ts'
import { readServerFile } from '../../../src/config/edit.ts'
import type { ClientId } from '../../../src/config/import/clients.ts'
import type { FixtureHome } from '../import/fixture-home.ts'

interface ConnectChoice {
  readonly move?: boolean
  readonly args?: readonly string[]
}

export interface Desk {
  readonly serversFile: string
  readonly stateFolder: string
  readonly pathOf: (client: ClientId) => Promise<string>
  readonly plan: (client: ClientId, options?: { readonly move?: boolean }) => Promise<ConnectPlan>
  /** Does what was planned, whatever has happened to the file since. */
  readonly apply: (shown: ConnectPlan, options?: ConnectChoice) => Promise<Connected>
  readonly connect: (client: ClientId, options?: ConnectChoice) => Promise<Connected>
  readonly disconnect: (
    client: ClientId,
    options?: { readonly keep?: boolean; readonly together?: readonly ClientId[] },
  ) => Promise<DisconnectPlan>
}

/** Connects and disconnects in a home of its own, without anybody to ask. */
export function connectDesk(home: FixtureHome): Desk {
  const serversFile = join(home.home, '.config', 'capstan', 'mcp.json')
  const stateFolder = join(home.home, '.local', 'state', 'capstan')
  const { signal } = new AbortController()
  const targetOf = async (client: ClientId) => {
    const [target] = await filesToConnect(client, home)
    if (target === undefined) throw new Error(`${client} has no file`)
    return target
  }
  const planFor = async (client: ClientId, text: string | undefined, { move = false, args = ['serve'] } = {}) => {
    const gateway = {
      kind: 'program',
      command: '/opt/node',
      args: ['/opt/capstan.js', ...args],
      env: { PATH: '/bin' },
    } as const
    const raw = gatewayEntry(client, gateway) ?? {}
    const known = await readServerFile(serversFile)
    return await planConnect({ ...(await targetOf(client)), text }, { entry: () => raw, move, known, env: home.env })
  }
  const apply: Desk['apply'] = async (shown, { move = false, args = ['serve'] } = {}) => {
    const again = async (text: string | undefined) => await planFor(shown.client, text, { move, args: [...args] })
    return await connectFile(shown, again, { stateFolder, serversFile, env: home.env, now: new Date(0), signal })
  }
  return {
    serversFile,
    stateFolder,
    pathOf: async (client) => (await targetOf(client)).path,
    plan: async (client, options) => await planFor(client, (await targetOf(client)).text, options),
    apply,
    connect: async (client, { move = false, args = ['serve'] } = {}) =>
      await apply(await planFor(client, (await targetOf(client)).text, { move, args: [...args] }), { move, args }),
    disconnect: async (client, { keep = false, together = [client] } = {}) => {
      const connections = await readConnections(stateFolder)
      const [connection] = await connectionsOf(client, connections, home)
      if (connection === undefined) throw new Error(`${client} has no connection`)
      const options = { stateFolder, clients: together, serversIn: readServerFile, keep, signal }
      const plan = await planDisconnect(connection, { ...options, connections })
      await disconnectFile(plan, options)
      return plan
    },
  }
}
