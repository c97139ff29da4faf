// Adds up the JSON reports of vitest runs and ends with the line `N passed, N failed`. With CAPSTAN_NO_SKIPS=1 a skipped
// test counts as failed, and so does a report that is not there: a run that never came to its tests has not passed.
import { existsSync, readFileSync } from 'node:fs'

interface TestReport {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly TestResult[]
  }[]
}

interface TestResult {
  readonly fullName: string
  readonly status: string
  readonly failureMessages?: readonly string[]
}

const allowsSkips = process.env['CAPSTAN_NO_SKIPS'] !== '1'
const counts = { passed: 0, failed: 0, skipped: 0 }
for (const file of process.argv.slice(2)) addReport(file)
console.log(
  `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
)
process.exitCode = counts.failed > 0 ? 1 : 0

function addReport(file: string): void {
  if (!existsSync(file)) return fail(`no report: ${file}`)
  const report = JSON.parse(readFileSync(file, 'utf8')) as TestReport
  for (const { name, status, assertionResults } of report.testResults) {
    if (status === 'failed' && assertionResults.length === 0) fail(`could not be loaded: ${name}`)
    assertionResults.forEach(addTest)
  }
}

function addTest({ fullName, status, failureMessages = [] }: TestResult): void {
  if (status === 'passed') counts.passed += 1
  else if (status === 'failed') fail([fullName, ...failureMessages.map(beginningOf)].join('\n'))
  else if (allowsSkips) counts.skipped += 1
  else fail(`skipped, which is not allowed here: ${fullName}`)
}

/** The last lines of a long run are what people get to see, so the reason stands there once more. */
function beginningOf(message: string): string {
  return message
    .split('\n')
    .slice(0, 12)
    .map((line) => `        ${line}`)
    .join('\n')
}

function fail(reason: string): void {
  counts.failed += 1
  console.log(`FAILED  ${reason}`)
}
