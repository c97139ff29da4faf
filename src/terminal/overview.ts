import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui'
import { stateText } from '../commands/builtins/server-command.ts'
import type { Catalogue, ServerStatus } from '../hub/api.ts'
import { toolsTokens } from '../hub/catalogue/tokens.ts'
import { plainLine } from '../policy/plain-text.ts'
import { wrapped } from './blocks/drawn.ts'
import type { Palette } from './paint.ts'

export interface Overview {
  readonly servers: readonly ServerStatus[]
  readonly catalogue: Catalogue
}

/** What a session opens on: the servers, what their tools cost, and what needs the person. */
export function overviewLines(overview: Overview, width: number, paint: Palette): readonly string[] {
  const servers = ownServers(overview)
  const needs = servers.flatMap(needOf)
  const about = 'Type / for commands and prompts, @ for resources and files, /help for more.'
  return [
    ...(servers.length === 0 ? noServers(width, paint) : knownServers(servers, overview.catalogue, width, paint)),
    ...(needs.length === 0
      ? []
      : ['', paint.warning('Needs you'), ...needs.flatMap((need) => needLines(need, width, paint))]),
    '',
    ...wrapped(about, width).map(paint.faint),
  ]
}

/** Those that the person set up; one that came with the program is seen where its prompts are. */
export function ownServers({ servers }: Pick<Overview, 'servers'>): readonly ServerStatus[] {
  return servers.filter(({ isBuiltin = false }) => !isBuiltin)
}

function noServers(width: number, paint: Palette): readonly string[] {
  return [
    ...wrapped('No servers are configured.', width).map(paint.heading),
    ...wrapped('Leave with /exit and run: capstan import, or: capstan add NAME -- COMMAND', width).map(paint.faint),
  ]
}

function knownServers(
  servers: readonly ServerStatus[],
  catalogue: Catalogue,
  width: number,
  paint: Palette,
): readonly string[] {
  return [
    paint.heading('Servers'),
    ...serverRows(servers, catalogue, width, paint),
    ...wrapped(totalText(catalogue, servers), width).map(paint.faint),
  ]
}

function serverRows(
  servers: readonly ServerStatus[],
  { tools, prompts }: Catalogue,
  width: number,
  paint: Palette,
): readonly string[] {
  const rows = servers.map(({ name, state }) => {
    const own = tools.filter(({ server }) => server === name)
    const ownPrompts = prompts.filter(({ server }) => server === name).length
    const offer = [
      ...(own.length === 0 ? [] : [`${count(own.length, 'tool')}, about ${count(toolsTokens(own), 'token')}`]),
      ...(ownPrompts === 0 ? [] : [count(ownPrompts, 'prompt')]),
    ]
    return {
      name: plainLine(name),
      state,
      words: stateText(state),
      offer: state.kind === 'ready' ? offer.join(', ') : '',
    }
  })
  const nameWidth = Math.min(24, Math.max(...rows.map(({ name }) => visibleWidth(name))))
  const wordsWidth = Math.max(...rows.map(({ words }) => words.length))
  return rows.map(({ name, state, words, offer }) => {
    const color =
      { ready: paint.good, failed: paint.bad, backing_off: paint.bad }[state.kind as string] ?? paint.warning
    const calm = state.kind === 'idle' || state.kind === 'disabled' || state.kind === 'connecting' ? paint.faint : color
    const left = truncateToWidth(name, nameWidth, '…')
    const line = `  ${left}${' '.repeat(Math.max(0, nameWidth - visibleWidth(left)))}  ${calm(words.padEnd(wordsWidth))}  ${paint.faint(offer)}`
    return truncateToWidth(line, width, '…').trimEnd()
  })
}

function totalText({ tools }: Catalogue, servers: readonly ServerStatus[]): string {
  const names = new Set(servers.map(({ name }) => name))
  const own = tools.filter(({ server }) => names.has(server))
  return `${count(own.length, 'tool')} in all, about ${count(toolsTokens(own), 'token')}.`
}

interface Need {
  readonly what: string
  readonly next: string
}

function needOf({ name, state, leftOut = [] }: ServerStatus): readonly Need[] {
  const waiting = leftOut.filter(({ reason }) => reason === 'new' || reason === 'changed')
  if (waiting.length > 0)
    return [
      {
        what: `${name}: ${count(waiting.length, 'tool')} of this project wait for your approval.`,
        next: 'capstan review',
      },
    ]
  if (state.kind === 'untrusted' && state.change === 'refused') return []
  if (state.kind === 'untrusted')
    return [{ what: `${name}: a server of this project that you have not approved.`, next: 'capstan review' }]
  if (state.kind === 'needs_login') return [{ what: `${name}: ${state.error.message}`, next: `/servers login ${name}` }]
  if (state.kind === 'failed' || state.kind === 'backing_off')
    return [{ what: `${name}: ${state.error.message}`, next: `capstan doctor ${name}` }]
  return []
}

function needLines({ what, next }: Need, width: number, paint: Palette): readonly string[] {
  return [...wrapped(plainLine(what), width, '  '), ...wrapped(plainLine(next), width, '    ').map(paint.name)]
}

function count(amount: number, what: string): string {
  return `${amount.toLocaleString('en-US')} ${what}${amount === 1 ? '' : 's'}`
}
