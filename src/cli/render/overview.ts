import type { LeftOutTool, ServerState } from '../../hub/api.ts'
import { errorFamilies, unreachable } from '../../errors.ts'
import { plainLine } from '../../policy/plain-text.ts'
import type { Look } from './inspection.ts'
import { count, formatMs } from './numbers.ts'
import { problemOf, type ServerGroup } from './server-group.ts'
import { type Cell, paragraph, renderTable } from './table.ts'
import { toolsTokens } from '../../hub/catalogue/tokens.ts'

/** Something only the person can settle, and the command that does it. */
export interface Need {
  readonly what: string
  readonly next: string
}

export interface Overview {
  readonly groups: readonly ServerGroup[]
  readonly needs: readonly Need[]
  readonly next: readonly string[]
}

/** What waits for a person: servers to approve, to mend, entries to correct, and what the config files warn of. */
export function needsOf(groups: readonly ServerGroup[], warnings: readonly string[]): readonly Need[] {
  const untrusted = groups.filter((group) => group.status.state.kind === 'untrusted').map((group) => group.status.name)
  const review: Need = {
    what: `Project servers that wait for your approval: ${untrusted.join(', ')}`,
    next: 'capstan review',
  }
  return [
    ...(untrusted.length === 0 ? [] : [review]),
    ...groups.flatMap(({ status: { leftOut = [] } }) => needsOfTools(leftOut)),
    ...groups.flatMap(needOfServer),
    ...warnings.map((what) => ({ what, next: 'capstan config' })),
  ]
}

function needsOfTools(leftOut: readonly LeftOutTool[]): readonly Need[] {
  const waiting = leftOut.filter(({ reason }) => reason === 'new' || reason === 'changed')
  const broken = leftOut.filter(({ reason }) => reason === 'broken')
  const names = waiting.map(({ tool }) => `my.${tool}`).join(', ')
  return [
    ...(waiting.length === 0
      ? []
      : [{ what: `Project tools that wait for your approval: ${names}`, next: 'capstan review' }]),
    ...broken.map(({ error }) => ({ what: error.message, next: 'capstan doctor my' })),
  ]
}

function needOfServer(group: ServerGroup): readonly Need[] {
  // Its tools have been named one by one.
  const problem = group.status.leftOut === undefined ? problemOf(group) : undefined
  const { name, state } = group.status
  if (problem === undefined || state.kind === 'untrusted') return []
  const isInvalid = errorFamilies[problem.code] === 'configuration'
  const what = `${name}: ${problem.message}${isInvalid && problem.next !== undefined ? ` ${problem.next}` : ''}`
  return [{ what, next: isInvalid ? 'capstan config' : `capstan doctor ${name}` }]
}

/** What `capstan` alone prints. */
export function renderOverview({ groups, needs, next }: Overview, look: Look): string {
  const { style } = look
  const indented = { ...look, indent: 2 }
  return [
    `${style.heading('Servers')}\n${renderTable(
      groups.map((group) => serverRow(group, look)),
      indented,
    )}`,
    paragraph(totalLine(groups), look),
    ...(needs.length === 0
      ? []
      : [`${style.warning('Needs you')}\n${needs.map((need) => needLines(need, look)).join('')}`]),
    `${style.heading('Try')}\n${next.map((words) => `  ${style.name(plainLine(words))}\n`).join('')}`,
  ].join('\n')
}

function serverRow(group: ServerGroup, { style }: Look): readonly Cell[] {
  const { name, state } = group.status
  const isReady = state.kind === 'ready'
  const paints = {
    ready: style.good,
    failed: style.bad,
    backing_off: style.bad,
    needs_login: style.warning,
    untrusted: style.warning,
    connecting: style.warning,
  }
  const paint = Object.entries(paints).find(([kind]) => kind === state.kind)?.[1] ?? style.faint
  return [
    { text: plainLine(name), paint: style.heading },
    { text: stateWord(state), paint },
    { text: isReady ? count(group.tools.length, 'tool') : '' },
    { text: isReady ? `about ${count(toolsTokens(group.tools), 'token')}` : '' },
    { text: isReady ? formatMs(state.connectMs) : '', paint: style.faint },
  ]
}

function stateWord(state: ServerState): string {
  switch (state.kind) {
    case 'untrusted':
      return 'not trusted'
    case 'idle':
      return 'not started'
    case 'backing_off':
      return 'failed'
    case 'needs_login':
      return 'needs a login'
    case 'connecting':
    case 'ready':
    case 'disabled':
    case 'failed':
      return state.kind
    default:
      return unreachable(state)
  }
}

function totalLine(groups: readonly ServerGroup[]): string {
  const tools = groups.flatMap((group) => group.tools)
  const cost = `about ${count(toolsTokens(tools), 'token')}`
  return `${count(tools.length, 'tool')} in all. A client that is given every tool pays ${cost} for them with each request.`
}

function needLines({ what, next }: Need, look: Look): string {
  return paragraph(plainLine(what), { ...look, indent: 2 }) + `    ${look.style.name(next)}\n`
}
