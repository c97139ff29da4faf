import type { TraceEntry } from '../../sandbox/api.ts'
import { plainLine } from '../../policy/plain-text.ts'
import { count, formatMs } from './numbers.ts'
import type { Style } from './style.ts'

/** One call of a snippet, in a line. */
export function traceLine({ errand, ms, bytes, outcome }: TraceEntry): string {
  return plainLine(`${errandText(errand)}  ${formatMs(ms)}  ${bytes} B  ${outcome}`)
}

function errandText(errand: TraceEntry['errand']): string {
  if (errand.kind === 'call') return `${errand.server}.${errand.tool}`
  return errand.kind === 'search' ? `search ${JSON.stringify(errand.query)}` : `inspect ${errand.name}`
}

export function renderTrace(trace: readonly TraceEntry[], style: Style): string {
  const lines = trace.map((entry) => `  ${entry.outcome === 'ok' ? traceLine(entry) : style.bad(traceLine(entry))}\n`)
  return `${style.faint(count(trace.length, 'call'))}\n${lines.join('')}`
}
