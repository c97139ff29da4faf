import type { Command } from '../command.ts'
import { dialRunning } from '../daemon-hub.ts'
import { exitCodes } from '../exit-codes.ts'

export const command: Command = {
  options: {},
  help: `Stop the daemon and the servers it runs. Calls that are under way end with an unknown outcome.

Examples
  capstan stop
  capstan stop && capstan start`,
  async run({ io, flags, signal }) {
    const hub = await dialRunning({ io, flags, signal })
    if (hub === undefined) io.err('No daemon runs.\n')
    else {
      // Its answer may be cut off by its own end, which is what was asked for.
      await hub.ask('daemon/stop').catch(() => undefined)
      await hub.closed
      io.err('The daemon has stopped.\n')
    }
    return exitCodes.ok
  },
}
