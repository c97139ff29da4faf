import type { Fault } from './fault.ts'
import { faults } from './faults.ts'
import { clientGone, herdAtTheDoor, slowReader } from './gateway-clients.ts'
import { gatewayKilled, reloaded, slowAmongFifty } from './gateway-ends.ts'

/** What is promised or looked at in another way where a gateway stands between. */
const own: Readonly<Record<number, Pick<Fault, 'run'> & Partial<Pick<Fault, 'promise'>>>> = {
  6: {
    promise:
      'the calls under way fail at the client, as with any lost connection; the servers end with their input, and the next gateway ends those that did not; modern clients go on with it',
    run: gatewayKilled,
  },
  8: {
    promise:
      'the first list comes at its deadline with the 49 others, later ones at once; the tools of the slow one say what is the matter, and its last list is marked if there is one',
    run: slowAmongFifty,
  },
  12: {
    promise:
      'so much is kept for all such clients and no more, and for a minute; then they are cut off; they take no place from others',
    run: slowReader,
  },
  18: {
    promise:
      'it is started once and all are answered, as far as the gateway lets them in: 64 at once of one caller, the others are told when to come back',
    run: herdAtTheDoor,
  },
  19: {
    promise:
      'the call is cancelled at the server and its place is free for others; up to 2025-11-25 with the end of the session, as a lost connection means nothing there',
    run: clientGone,
  },
  20: { run: reloaded },
}

/** The same faults, with a gateway between the hub and who uses it. */
export const gatewayFaults: readonly Fault[] = faults.map(({ only: _only, ...fault }) => ({
  ...fault,
  ...own[fault.id],
}))

/** What the table of docs/reliability.md says is promised there. */
export function gatewayRow(id: number): string {
  return own[id]?.promise ?? 'the same'
}
