import type { Config, Permissions } from '../../index.ts'
import type { Connection } from './hub-link.ts'
import type { Environment } from './pi-api.ts'

/** What the tools and commands of one session share. */
export interface PiWorld {
  readonly env: Environment
  readonly config: () => Config
  readonly permissions: () => Promise<Permissions>
  readonly connection: () => Promise<Connection>
  /** Reads the config again and reaches the hub with it. */
  readonly reload: () => Promise<void>
  /** Puts questions to the person one after the other: tools run side by side, and a dialog would replace another. */
  readonly inTurn: InTurn
}

export type InTurn = <Result>(ask: () => Promise<Result>) => Promise<Result>

export function inTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (ask) => {
    const mine = last.then(ask)
    last = mine.catch(() => undefined)
    return mine
  }
}
