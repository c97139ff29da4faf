import type { DaemonStatus } from '../../daemon/status.ts'
import type { ServerState } from '../../hub/api.ts'
import type { SharedStatus } from '../../hub/servers/shared-server.ts'
import { plainText } from '../../policy/plain-text.ts'
import { ageOf, count, formatMs } from './numbers.ts'
import type { Style } from './style.ts'
import { renderTable } from './table.ts'
import { wrap } from './width.ts'

export interface Look {
  readonly columns: number
  readonly style: Style
}

/** The daemon in a line, and a row for each server that it runs. */
export function renderDaemonStatus(status: DaemonStatus, { columns, style }: Look): string {
  const head = `Daemon ${status.version}, pid ${status.pid}, up ${ageOf(0, status.uptimeMs)}, ${count(status.clients, 'client')}, ${Math.round(status.rssBytes / 2 ** 20)} MB`
  if (status.servers.length === 0) return `${head}\nNo server runs; the next use starts it.\n`
  const titles = ['SERVER', 'STATE', 'ERA', 'PID', 'UP', 'RESTARTS', 'CALLS', 'P50', 'P95', '']
  const rows = [titles.map((text) => ({ text, paint: style.faint })), ...status.servers.map(row)]
  const note = hasCopies(status.servers) ? `\n${wrap(aboutCopies, columns).map(style.faint).join('\n')}\n` : ''
  return `${head}\n\n${renderTable(rows, { columns })}${note}`
}

const aboutCopies =
  'A server stands here more than once where callers differ in their PATH, folder or variables: each kind has its own process. They end when nobody has used them for a while.'

function hasCopies(servers: readonly SharedStatus[]): boolean {
  const names = servers.flatMap((server) => server.names)
  return new Set(names).size < names.length
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
