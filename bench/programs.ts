import { compare, ratioOf, timeProgram, type Samples, type TimedProgram } from './measure.ts'
import type { Row } from './table.ts'

/** Whole programs by name, one of which is called `ours`. */
export type Programs = Readonly<Record<string, TimedProgram>>

/** Times programs side by side, from start to answer and to exit. */
export function comparePrograms(programs: Programs, rounds: number): Promise<Samples> {
  const contestants = Object.entries(programs).map(([name, program]) => ({
    name,
    run: async () => ({ ...(await timeProgram(program)) }),
  }))
  return compare(contestants, rounds)
}

export interface Beside {
  /** Whose time ours is divided by; the name of a program. */
  readonly floor: string
  readonly target?: number
  /** Which of ours, where there are several. */
  readonly ours?: string
  readonly time?: 'answerMs' | 'exitMs'
}

export function timeRow(work: string, samples: Samples, beside: Beside): Row {
  const { floor, target, ours = 'ours', time = 'exitMs' } = beside
  const aim = target === undefined ? {} : { target }
  return { work, floor, unit: 'ms', ...aim, ...ratioOf(samples, { floor, ours }, time) }
}
