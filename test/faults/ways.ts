import { makers, type Maker } from '../hub/makers.ts'
import type { Fault } from './fault.ts'
import { faults } from './faults.ts'
import { gatewayFaults } from './gateway-faults.ts'
import { gatewayMaker } from './gateway-maker.ts'

/** A way to the servers, and the faults that mean something on it. */
export interface Way {
  readonly name: string
  /** The table of docs/reliability.md that has what is seen on it. */
  readonly table: 'hub' | 'gateway'
  readonly open: Maker
  readonly faults: readonly Fault[]
}

/** Where clients of the two eras hear of something in different ways: changes, progress, failures, sessions. The others are the same to the hub behind it. */
const differInEra: ReadonlySet<number> = new Set([1, 2, 7, 15])

export const ways: readonly Way[] = [
  ...makers.map(([name, open]) => ({
    name,
    table: 'hub' as const,
    open,
    faults: faults.filter(({ only }) => only === undefined || only === name),
  })),
  { name: 'a gateway and a modern client', table: 'gateway', open: gatewayMaker('modern'), faults: gatewayFaults },
  {
    name: 'a gateway and a legacy client',
    table: 'gateway',
    open: gatewayMaker('legacy'),
    faults: gatewayFaults.filter(({ id }) => differInEra.has(id)),
  },
]
