import { execFile } from 'node:child_process'
import { join } from 'node:path'

/** One run of one version of the suite. */
export interface Leg {
  readonly title: string
  /** The program of the suite. */
  readonly suite: string
  /** Which side it tests, and where that is. */
  readonly subject: readonly string[]
  readonly args: readonly string[]
  /** What a scenario needs besides its name when it is run alone. */
  readonly alone: readonly string[]
  readonly expectedFailures?: string
}

/** Runs it and prints what came of it; false when something failed that is not expected to. */
export async function runLeg(leg: Leg, folder: string): Promise<boolean> {
  const { title, args, expectedFailures } = leg
  const expected = expectedFailures === undefined ? [] : ['--expected-failures', expectedFailures]
  const { code, output } = await conformance(leg, [...args, ...expected], folder)
  const total = /^Total: .*$/m.exec(output)?.[0] ?? 'no result'
  const hasRun = total !== 'no result'
  // Scenarios of a client run side by side, and some look at the time: what fails on a busy machine gets another chance, alone.
  const failed = code === 0 ? [] : await failingAlone(leg, output, folder)
  // The file may also name what passes by now.
  const isStale = output.includes('Stale baseline')
  const isGood = code === 0 || (failed.length === 0 && hasRun && !isStale)
  console.log(`${isGood ? 'ok    ' : 'FAILED'}  ${title}: ${total}`)
  if (isGood && code !== 0) console.log('        what failed at first passed alone')
  if (isStale) console.log(`        something in ${expectedFailures} passes by now: take it out`)
  for (const name of failed) console.log(`        ${name}`)
  const unscored = /^Not scored for .*$/m.exec(output)?.[0]
  if (unscored !== undefined) console.log(`        ${unscored}`)
  return isGood
}

async function failingAlone(leg: Leg, output: string, folder: string): Promise<readonly string[]> {
  const failed: string[] = []
  for (const name of failedIn(leg, output)) {
    const alone = await conformance(leg, ['--scenario', name, ...leg.alone], folder)
    // What does not belong to the revision is passed over, which proves nothing.
    if (alone.code !== 0 || alone.output.includes('SKIPPED: scenario')) failed.push(name)
  }
  return failed
}

/** The scenarios that failed and count. With a file of expected failures the suite lists them itself. */
function failedIn({ expectedFailures }: Leg, output: string): readonly string[] {
  const summary = output.slice(output.indexOf('SUMMARY ==='))
  const names = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map((match) => match[1] ?? '')
  if (expectedFailures !== undefined) return names(/^ +✗ (\S+)/gm, summary.split('Unexpected failures (')[1] ?? '')
  const unscored = new Set(names(/^ {2}✗ (\S+) \(/gm, summary))
  return names(/^✗ ([^:\s]+):/gm, summary).filter((name) => !unscored.has(name))
}

function conformance(
  { suite, subject }: Leg,
  args: readonly string[],
  folder: string,
): Promise<{ readonly code: number; readonly output: string }> {
  const command = [...subject, '-o', join(folder, 'results'), ...args]
  return new Promise((resolve) => {
    const options = { maxBuffer: 256 * 2 ** 20, cwd: folder }
    execFile(process.execPath, [suite, ...command], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}\n${stderr}` })
    })
  })
}
