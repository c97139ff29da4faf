import { spawn } from 'node:child_process'
import { setTimeout as settle } from 'node:timers/promises'

/** One way of doing the work; a run gives one or more times in ms, by name. */
export interface Contestant {
  readonly name: string
  readonly run: () => Promise<Readonly<Record<string, number>>>
}

/** The times of each contestant, round by round. */
export type Samples = Readonly<Record<string, readonly Readonly<Record<string, number>>[]>>

/** Runs all contestants in turn, round after round, so that a busy moment of the machine hurts all of them alike. */
export async function compare(contestants: readonly Contestant[], rounds: number): Promise<Samples> {
  const samples = new Map(contestants.map(({ name }) => [name, [] as Readonly<Record<string, number>>[]]))
  for (const contestant of contestants) await contestant.run()
  for (let round = 0; round < rounds; round++) {
    const inOrder = round % 2 === 0 ? contestants : contestants.toReversed()
    for (const { name, run } of inOrder) {
      // What the last one left to do (processes that end, pages to free) must not be paid by the next one.
      await settle(300)
      samples.get(name)?.push(await run())
    }
  }
  return Object.fromEntries(samples)
}

export interface Comparison {
  readonly floorValue: number
  readonly oursValue: number
  /** The median, the lower and the upper quartile of the ratios within each round. */
  readonly ratio: number
  readonly spread: readonly [number, number]
}

/** Ratios are taken within a round: medians of two series may come from a quiet and from a busy minute. */
export function ratioOf(
  samples: Samples,
  names: { readonly floor: string; readonly ours: string },
  time: string,
): Comparison {
  const series = (name: string): readonly number[] => (samples[name] ?? []).map((times) => times[time] ?? Number.NaN)
  const [floor, ours] = [series(names.floor), series(names.ours)]
  const ratios = ours.map((value, round) => value / (floor[round] ?? Number.NaN)).sort((a, b) => a - b)
  return {
    floorValue: median(floor),
    oursValue: median(ours),
    ratio: median(ratios),
    spread: [quartile(ratios, 0.25), quartile(ratios, 0.75)],
  }
}

/** A row for values that have a limit of their own instead of something beside them. */
export function limitRow(
  work: string,
  limit: number,
  values: readonly number[],
): Comparison & { readonly work: string; readonly floor: string; readonly target: number } {
  const sorted = values.map((value) => value / limit).sort((a, b) => a - b)
  const spread = [quartile(sorted, 0.25), quartile(sorted, 0.75)] as const
  return {
    work,
    floor: 'limit',
    floorValue: limit,
    oursValue: median(values),
    ratio: median(values) / limit,
    spread,
    target: 1,
  }
}

function quartile(sorted: readonly number[], part: number): number {
  return sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
}

export interface TimedProgram {
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** The answer has come when all of these have been seen on stdout. */
  readonly expected: readonly string[]
}

/** Runs a program with this Node; times from its start to its answer on stdout, and to its exit. */
export async function timeProgram(
  program: TimedProgram,
): Promise<{ readonly answerMs: number; readonly exitMs: number }> {
  const startedAtMs = performance.now()
  const child = spawn(process.execPath, program.args, { env: program.env, stdio: ['ignore', 'pipe', 'pipe'] })
  let answerMs = program.expected.length === 0 ? 0 : Number.NaN
  let output = ''
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    const isWhole = Number.isNaN(answerMs) && program.expected.every((part) => output.includes(part))
    if (isWhole) answerMs = performance.now() - startedAtMs
  })
  // Not `close`: the raw scripts leave a server behind for an instant that still holds the pipe of stderr.
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve))
  const drained = new Promise((resolve) => child.stdout.on('end', resolve))
  const code = await exited
  const exitMs = performance.now() - startedAtMs
  await drained
  if (code === 0 && !Number.isNaN(answerMs)) return { answerMs, exitMs }
  throw new Error(`node ${program.args.join(' ')} ended with ${code} and without its answer:\n${output}\n${errors}`)
}
