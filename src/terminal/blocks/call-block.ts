import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui'
import type { CallInput } from '../../agent/record.ts'
import type { CallState, CallView } from '../../agent/session.ts'
import { unreachable } from '../../errors.ts'
import type { Progress } from '../../hub/api.ts'
import { plainLine, plainText } from '../../policy/plain-text.ts'
import type { Palette } from '../paint.ts'
import type { Block } from '../transcript.ts'
import { frozen, wrapped } from './drawn.ts'
import { contentText } from './said.ts'

/** One call as it goes: a line that lives, and its result, folded until somebody wants to see all of it. */
export interface CallBlock extends Block {
  readonly update: (call: CallView) => void
  readonly isFolded: () => boolean
  readonly unfold: (isWhole: boolean) => void
}

export interface CallBlockSetup {
  readonly paint: Palette
  readonly now: () => number
  readonly isWhole?: boolean
  /** What a person reads for a name that only models see. It may become known later. */
  readonly labelOf?: (label: string) => string
}

export function callBlock(first: CallView, setup: CallBlockSetup): CallBlock {
  const { paint, now, labelOf = (label) => label } = setup
  let call = first
  let isWhole = setup.isWhole ?? false
  let args = foldedInput(call.input)
  let body = frozenBody()
  return {
    update(next) {
      // A later event may leave out what an earlier one told.
      const input = next.input ?? call.input
      if (input !== call.input) args = foldedInput(input)
      call = { ...next, ...(input === undefined ? {} : { input }) }
      body = frozenBody()
    },
    isFolded: () => !isWhole,
    unfold(next) {
      isWhole = next
      body = frozenBody()
    },
    render: (width) => {
      const { label, state } = call
      return ['', headLine({ label: labelOf(label), args, state }, { width, paint, now }), ...body.render(width)]
    },
  }

  /** The line above it lives; a result may be large, and is drawn once. */
  function frozenBody(): Block {
    return frozen((width) => bodyLines(call, { width, paint, isWhole }))
  }
}

interface Drawing {
  readonly width: number
  readonly paint: Palette
}

interface Head extends Pick<CallView, 'label' | 'state'> {
  /** The arguments on one line. */
  readonly args: string
}

function headLine({ label, args, state }: Head, { width, paint, now }: Drawing & { now: () => number }): string {
  const { mark, color } = lookOf(state, paint)
  const right = stateText(state, now())
  const room = Math.max(8, width - visibleWidth(right) - 5)
  const name = plainLine(label)
  const left = truncateToWidth(`${name}${args === '' ? '' : ` ${args}`}`, room, '…')
  const painted = left.startsWith(name) ? paint.heading(name) + paint.faint(left.slice(name.length)) : left
  return truncateToWidth(`${color(mark)} ${painted}  ${color(right)}`, width, '…')
}

function lookOf(state: CallState, paint: Palette): { readonly mark: string; readonly color: (text: string) => string } {
  switch (state.kind) {
    case 'pending':
      return { mark: '○', color: paint.faint }
    case 'waiting':
      return { mark: '?', color: paint.warning }
    case 'processing':
      return { mark: '●', color: paint.name }
    case 'ended':
      return state.end === 'done' ? { mark: '✓', color: paint.good } : { mark: '✗', color: paint.bad }
    default:
      return unreachable(state)
  }
}

function stateText(state: CallState, nowMs: number): string {
  switch (state.kind) {
    case 'pending':
      return 'pending'
    case 'waiting':
      return 'waits for you'
    case 'processing':
      return [...barOf(state.progress), durationText(nowMs - state.sinceMs)].join(' ')
    case 'ended':
      return state.end === 'done' ? durationText(state.ms) : endText(state)
    default:
      return unreachable(state)
  }
}

/** What never ran took no time. */
function endText({ end, ms }: Extract<CallState, { kind: 'ended' }>): string {
  return ms === 0 ? end : `${end}, ${durationText(ms)}`
}

/** A bar where the server says how much there is to do, else a count. */
function barOf(progress: Progress | undefined): readonly string[] {
  if (progress === undefined) return []
  const { progress: done, total } = progress
  if (total === undefined || !(total > 0)) return [String(done)]
  const part = Math.min(1, Math.max(0, done / total))
  const cells = 10
  const full = Math.round(part * cells)
  return [`${'█'.repeat(full)}${'░'.repeat(cells - full)} ${Math.round(part * 100)}%`]
}

export function durationText(ms: number): string {
  const tenths = Math.round(Math.max(0, ms) / 100)
  if (tenths < 100) return `${(tenths / 10).toFixed(1)} s`
  const seconds = Math.round(tenths / 10)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** The arguments on one line: `message="hello", times=2`. */
function foldedInput(input: CallInput | undefined): string {
  if (input === undefined) return ''
  if (input.kind === 'invalid') return plainLine(input.text.slice(0, mostFolded))
  return Object.entries(input.value)
    .map(([name, value]) => `${plainLine(name)}=${plainLine(JSON.stringify(value).slice(0, mostFolded))}`)
    .join(', ')
    .slice(0, mostFolded)
}

/** More characters than any line has. */
const mostFolded = 500

function bodyLines(call: CallView, { width, paint, isWhole }: Drawing & { isWhole: boolean }): readonly string[] {
  const { state, input } = call
  const faintly = (text: string): readonly string[] => wrapped(text, width, '  ').map(paint.faint)
  if (state.kind === 'processing') {
    const message = state.progress?.message
    return message === undefined ? [] : faintly(plainLine(message)).slice(0, 1)
  }
  if (state.kind !== 'ended') return []
  const args = isWhole && input?.kind === 'json' ? faintly(plainText(JSON.stringify(input.value, null, 2))) : []
  const text = state.parts.map(contentText).join('\n').trimEnd()
  const result = text === '' ? [] : faintly(text)
  if (isWhole || result.length <= foldedLines + 1) return [...args, ...result]
  const hidden = `… ${result.length - foldedLines} more lines, Ctrl-O shows them`
  return [...result.slice(0, foldedLines), truncateToWidth(`  ${paint.faint(hidden)}`, width, '…')]
}

const foldedLines = 3
