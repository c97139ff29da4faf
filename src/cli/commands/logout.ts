import { CapstanError } from '../../errors.ts'
import { chooseServers } from '../choose-servers.ts'
import type { Command } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { plainText } from '../../policy/plain-text.ts'

export const command: Command = {
  options: {},
  help: `Forget the login of a server, and tell its authorization server to end it, where that can be told.

Examples
  capstan logout github`,
  async run(context, { positionals }) {
    const { io, flags, signal } = context
    if (positionals.length === 0) {
      const next = 'Run: capstan list'
      throw new CapstanError('usage', 'From which server? Write: capstan logout SERVER', { next })
    }
    const hub = await context.openHub(() => positionals)
    const chosen = chooseServers(await hub.servers({ signal }), positionals)
    for (const { name } of chosen) {
      await hub.control(name, 'logout', { signal })
      if (!flags.json) await io.out(plainText(`Logged out of "${name}".\n`))
    }
    const servers = chosen.map(({ name }) => ({ server: name, state: 'logged_out' }))
    if (flags.json) await io.out(`${JSON.stringify({ servers })}\n`)
    return exitCodes.ok
  },
}
