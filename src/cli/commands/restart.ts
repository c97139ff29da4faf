import { CapstanError } from '../../errors.ts'
import type { Command } from '../command.ts'
import { dialRunning } from '../daemon-hub.ts'
import { exitCodes } from '../exit-codes.ts'
import { count } from '../render/numbers.ts'

export const command: Command = {
  options: {},
  help: `Stop a running server of the daemon, or all of them; the next use starts it anew.

Examples
  capstan restart github
  capstan restart`,
  async run({ io, flags, signal }, { positionals }) {
    const [name] = positionals
    const hub = await dialRunning({ io, flags, signal })
    const stopped = hub === undefined ? 0 : Number(await hub.ask('daemon/restart', name))
    await hub?.[Symbol.asyncDispose]()
    if (stopped === 0 && name !== undefined) {
      throw new CapstanError('server_unknown', `No running server "${name}".`, {
        server: name,
        next: 'Run: capstan status',
      })
    }
    io.err(`Stopped ${count(stopped, 'server')}; the next use starts ${stopped === 1 ? 'it' : 'them'} anew.\n`)
    return exitCodes.ok
  },
}
