import type { DaemonStatus } from '../../daemon/status.ts'
import type { Command } from '../command.ts'
import { dialRunning } from '../daemon-hub.ts'
import { exitCodes } from '../exit-codes.ts'
import { renderDaemonStatus } from '../render/daemon-status.ts'
import { columnsFor, styleFor } from '../render/style.ts'

export const command: Command = {
  options: { watch: { type: 'boolean', short: 'w' } },
  help: `Show the daemon and the servers it runs: era, process id, age, restarts, calls and how long they take.

  -w, --watch     again every second, until Ctrl-C

Examples
  capstan status
  capstan status --json`,
  ownText: { stdout: true },
  async run({ io, flags, signal }, { values }) {
    const hub = await dialRunning({ io, flags, signal })
    if (hub === undefined) {
      if (flags.json) await io.out(`${JSON.stringify({ daemon: null, servers: [] })}\n`)
      else await io.out('No daemon runs. The next command that needs a server starts it; or run: capstan start\n')
      return exitCodes.ok
    }
    await using _open = hub
    for (;;) {
      const status = (await hub.ask('daemon/status')) as DaemonStatus
      if (values['watch'] === true && io.stdoutIsTerminal) await io.out('\u001B[H\u001B[2J')
      await io.out(
        flags.json
          ? `${JSON.stringify(toJson(status))}\n`
          : renderDaemonStatus(status, { columns: columnsFor(io), style: styleFor(io) }),
      )
      if (values['watch'] !== true || (await waitOrEnd(signal))) return exitCodes.ok
    }
  },
}

function toJson({ servers, ...daemon }: DaemonStatus) {
  return { daemon, servers }
}

function waitOrEnd(signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 1000, false)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
