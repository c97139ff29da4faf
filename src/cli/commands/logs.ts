import { clockText } from '../../commands/time-text.ts'
import { CapstanError } from '../../errors.ts'
import type { LogLine } from '../../hub/api.ts'
import type { Command } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { plainText } from '../../policy/plain-text.ts'

export const command: Command = {
  options: { follow: { type: 'boolean', short: 'f' } },
  help: `Print what a server wrote: its stderr, its log messages, noise on its stdout, and what the hub has to say about it.

  -f, --follow    stay and print what comes, until Ctrl-C
  --json          one JSON value (with -f: one per line)

Examples
  capstan logs github
  capstan logs github -f`,
  async run(context, { positionals, values }) {
    const { io, flags, signal } = context
    const [name] = positionals
    if (name === undefined)
      throw new CapstanError('usage', 'Whose log? Write: capstan logs SERVER', { next: 'Run: capstan list' })
    const hub = await context.openHub(() => [name])
    // The log belongs to the running server: reaching it is what brings the lines here.
    await hub.catalogue({ servers: [name], kinds: ['tools'], signal })
    const lines = await hub.logs(name, { signal })
    if (flags.json && values['follow'] !== true) await io.out(`${JSON.stringify(lines)}\n`)
    else for (const line of lines) await io.out(flags.json ? `${JSON.stringify(line)}\n` : render(line))
    if (lines.length === 0 && !flags.json) io.err(`Nothing has been logged for "${name}".\n`)
    if (values['follow'] !== true) return exitCodes.ok
    using _listening = hub.on((event) => {
      if (event.kind === 'log' && event.server === name)
        void io.out(flags.json ? `${JSON.stringify(event.line)}\n` : render(event.line))
    })
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    return exitCodes.ok
  },
}

function render({ atMs, source, text }: LogLine): string {
  return plainText(`${clockText(atMs)} ${source.padEnd(7)} ${text}\n`)
}
