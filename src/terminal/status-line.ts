import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui'
import type { SessionStatus } from '../agent/session.ts'
import type { ServerStatus } from '../hub/api.ts'
import { plainLine } from '../policy/plain-text.ts'
import { durationText } from './blocks/call-block.ts'
import { ownServers } from './overview.ts'
import type { Palette } from './paint.ts'

export interface StatusView {
  /** Absent until it has been opened. */
  readonly session: SessionStatus | undefined
  readonly servers: readonly ServerStatus[]
  /** Since when something has been under way, and what. */
  readonly work: { readonly what: string; readonly sinceMs: number } | undefined
  readonly hint: string | undefined
  readonly nowMs: number
}

/** The line above the editor: model, servers, tokens on the left, what goes on at the right. */
export function statusLine(view: StatusView, width: number, paint: Palette): string {
  const left = [...modelText(view.session), serversText(view.servers), ...tokensText(view.session)].join(' · ')
  const right = workText(view)
  if (right === '') return paint.faint(truncateToWidth(left, width, '…'))
  const room = width - visibleWidth(right) - 2
  if (room < 10) return paint.name(truncateToWidth(right, width, '…'))
  const cut = truncateToWidth(left, room, '…')
  return `${paint.faint(cut)}${' '.repeat(width - visibleWidth(cut) - visibleWidth(right))}${paint.name(right)}`
}

function modelText(session: SessionStatus | undefined): readonly string[] {
  if (session === undefined) return ['starting']
  return [session.model === undefined ? 'no model' : plainLine(session.model)]
}

function serversText(all: readonly ServerStatus[]): string {
  const servers = ownServers({ servers: all }).filter(({ state }) => state.kind !== 'disabled')
  const ready = servers.filter(({ state }) => state.kind === 'ready').length
  return `servers ${ready}/${servers.length}`
}

function tokensText(session: SessionStatus | undefined): readonly string[] {
  if (session === undefined || session.model === undefined) return []
  const tools = session.tools === undefined ? [] : [`tools ${short(session.tools.tokens)}`]
  return [`${short(session.usedTokens)} of ${short(session.contextTokens)} tokens`, ...tools]
}

function short(tokens: number): string {
  if (tokens < 1000) return String(tokens)
  return tokens < 100_000 ? `${(tokens / 1000).toFixed(1).replace(/\.0$/, '')}k` : `${Math.round(tokens / 1000)}k`
}

function workText({ hint, work, nowMs }: StatusView): string {
  if (hint !== undefined) return hint
  return work === undefined ? '' : `${work.what} ${durationText(nowMs - work.sinceMs)}, Esc stops`
}
