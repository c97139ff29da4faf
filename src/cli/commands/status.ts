import type { DaemonStatus } from '../../daemon/status.ts'
import type { ServerState } from '../../hub/api.ts'
import type { SharedStatus } from '../../hub/servers/shared-server.ts'
import type { Command, Io } from '../command.ts'
import { dialRunning } from '../daemon-hub.ts'
import { exitCodes } from '../exit-codes.ts'
import { plainText } from '../../policy/plain-text.ts'
import { ageOf, count, formatMs } from '../render/numbers.ts'
import { columnsFor, styleFor } from '../render/style.ts'
import { renderTable } from '../render/table.ts'

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
      await io.out(flags.json ? `${JSON.stringify(toJson(status))}\n` : render(status, io))
      if (values['watch'] !== true || (await waitOrEnd(signal))) return exitCodes.ok
    }
  },
}

function toJson({ servers, ...daemon }: DaemonStatus) {
  return { daemon, servers }
}

function render(status: DaemonStatus, io: Io): string {
  const style = styleFor(io)
  const head = `Daemon ${status.version}, pid ${status.pid}, up ${ageOf(0, status.uptimeMs)}, ${count(status.clients, 'client')}, ${Math.round(status.rssBytes / 2 ** 20)} MB`
  if (status.servers.length === 0) return `${head}\nNo server runs; the next use starts it.\n`
  const rows = [
    ['SERVER', 'STATE', 'ERA', 'PID', 'UP', 'RESTARTS', 'CALLS', 'P50', 'P95', ''].map((text) => ({
      text,
      paint: style.faint,
    })),
    ...status.servers.map(row),
  ]
  return `${head}\n\n${renderTable(rows, { columns: columnsFor(io) })}\n`
}

function row({ names, state, stats }: SharedStatus): readonly string[] {
  return [
    plainText(names.join(', ')),
    stateWord(state),
    state.kind === 'ready' ? state.era : '',
    state.kind === 'ready' && state.pid !== undefined ? String(state.pid) : '',
    stats.uptimeMs === undefined ? '' : ageOf(0, stats.uptimeMs),
    String(stats.restarts),
    String(stats.calls),
    stats.p50Ms === undefined ? '' : formatMs(stats.p50Ms),
    stats.p95Ms === undefined ? '' : formatMs(stats.p95Ms),
    plainText(stats.lastError ?? ''),
  ]
}

function stateWord(state: ServerState): string {
  if (state.kind !== 'backing_off') return state.kind.replace('_', ' ')
  return `down, next try in ${Math.max(0, Math.ceil((state.nextTryAtMs - Date.now()) / 1000))} s`
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
