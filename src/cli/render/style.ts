import { styleText } from 'node:util'
import type { Io } from '../command.ts'
import { wantsColor } from '../../policy/wants-color.ts'

type Paint = (text: string) => string

/** The few looks that all output shares, by meaning. Without colour each gives its text back as it is. */
export interface Style {
  readonly heading: Paint
  readonly name: Paint
  readonly faint: Paint
  readonly good: Paint
  readonly bad: Paint
  readonly warning: Paint
}

type Screen = Pick<Io, 'env' | 'stdoutIsTerminal' | 'stderrIsTerminal'>

/** The style for one of the two streams: colour on a terminal, unless `NO_COLOR` or `FORCE_COLOR` says otherwise. */
export function styleFor(io: Screen, stream: 'stdout' | 'stderr' = 'stdout'): Style {
  const isTerminal = stream === 'stdout' ? io.stdoutIsTerminal : io.stderrIsTerminal
  const paint = (format: Parameters<typeof styleText>[0]): Paint => {
    if (!wantsColor(io.env, isTerminal)) return (text) => text
    // The stream is checked above: ours may not be the process's own.
    return (text) => styleText(format, text, { validateStream: false })
  }
  return {
    heading: paint('bold'),
    name: paint('cyan'),
    faint: paint('dim'),
    good: paint('green'),
    bad: paint('red'),
    warning: paint('yellow'),
  }
}

/** Columns to fit text into. A pipe has none: whoever reads it wants whole lines. */
export function columnsFor(
  io: Pick<Io, 'columns' | 'stdoutIsTerminal' | 'stderrIsTerminal'>,
  stream: 'stdout' | 'stderr' = 'stdout',
): number {
  const isTerminal = stream === 'stdout' ? io.stdoutIsTerminal : io.stderrIsTerminal
  return isTerminal ? Math.max(20, io.columns) : Number.POSITIVE_INFINITY
}
