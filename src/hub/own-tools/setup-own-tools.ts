import { findOwnToolsAgain } from '../../config/load-trusted.ts'
import { ownToolFolders } from '../../config/own-tools.ts'
import { trustFile } from '../../config/trust.ts'
import type { OwnTool, Standing, Surroundings } from '../../config/types.ts'
import { watchFiles } from '../../files/watch.ts'
import type { HubEvent, LeftOutTool } from '../api.ts'
import type { ConnectionPool } from '../servers/connection-pool.ts'
import { noSandbox } from '../exec.ts'
import type { ListingCache } from '../catalogue/listing-cache.ts'
import { leftOutTools, storedFacts } from './own-tool-store.ts'
import { openOwnTools, type OwnToolsSetup } from './own-tools.ts'
import type { Limits, ServerSetup } from '../servers/server.ts'

/** What a server is made from, and which of its tools are known not to be there. */
export interface SetupWithGaps extends ServerSetup {
  readonly leftOut?: () => readonly LeftOutTool[]
}

interface OwnToolsContext {
  readonly surroundings: Surroundings
  readonly listings: ListingCache
  /** What own tools run in and see; absent where there is no sandbox. */
  readonly ownTools?: OwnToolsWorld | undefined
  readonly ownPool: Pick<ConnectionPool, 'lease'>
  readonly emit: (event: HubEvent) => void
}

export type OwnToolsWorld = Pick<OwnToolsSetup, 'sandbox' | 'hubFor'>

/** The time of a run is that of a snippet, unless the caller allows more. */
const limits: Limits = { idleMs: 30_000, maxMs: 600_000, startMs: 30_000 }

/** How the server of the person's own tools lives: inside the hub, for nobody else. */
export function setupOwnTools(
  name: string,
  { tools: found, trustProject }: Extract<Standing, { kind: 'own' }>,
  context: OwnToolsContext,
): SetupWithGaps {
  const { surroundings, listings: cache, ownTools, ownPool, emit } = context
  const error = noSandbox()
  let leftOut = leftOutTools(found, (tool) => storedFacts(cache, tool))
  return {
    name,
    description: 'Your own tools',
    limits,
    ...(ownTools === undefined
      ? { barred: { state: { kind: 'failed', error: error.toJSON(), stderrTail: [] }, error } }
      : {}),
    toolExists: () => true,
    emit,
    leftOut: () => leftOut,
    async lease(user) {
      if (ownTools === undefined) throw error
      const setup: OwnToolsSetup = {
        ...ownTools,
        cache,
        find: () => findOwnToolsAgain(surroundings, { trustProject }),
        watch: (tools, onChange) => watchFiles(watchedFiles(surroundings, tools), onChange),
        onLeftOut: (now) => void (leftOut = now),
      }
      const opens = [async (hooks: Parameters<typeof openOwnTools>[1]) => openOwnTools(setup, hooks)]
      const plan = { name, opens, startMs: limits.startMs, retry: 'never', isPerCall: false } as const
      return ownPool.lease(name, plan, user)
    },
  }
}

function watchedFiles(surroundings: Surroundings, tools: readonly OwnTool[]): readonly string[] {
  const folders = Object.values(ownToolFolders(surroundings))
  return [...folders, trustFile(surroundings.env), ...tools.map(({ file }) => file)]
}
