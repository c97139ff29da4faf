// Runs the official suite's client scenarios against our hub, and prints what came of it. Exit code 1 when a scenario fails that
// is not in the file of expected failures.
import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

interface Leg {
  readonly title: string
  readonly suite: string
  readonly args: readonly string[]
  readonly expectedFailures?: string
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'node_modules', '.capstan-conformance')
const client = join(folder, 'client.mjs')
const stable = join(root, 'node_modules', 'conformance-stable', 'dist', 'index.js')
const newest = join(root, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js')

const legs: readonly Leg[] = [
  {
    title: 'stable 0.1.16, all',
    suite: stable,
    args: ['--suite', 'all'],
    expectedFailures: fileURLToPath(new URL('expected-failures.yml', import.meta.url)),
  },
  { title: '0.2.0-alpha.12, requirements of 2025-11-25', suite: newest, args: ['--requirements', '2025-11-25'] },
  { title: '0.2.0-alpha.12, requirements of 2026-07-28', suite: newest, args: ['--requirements', '2026-07-28'] },
]

await mkdir(folder, { recursive: true })
try {
  await bundleClient()
  for (const leg of legs) if (!(await runLeg(leg))) process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** The suite starts the client once for each scenario, all at the same time: one file starts in a fraction of the time. */
async function bundleClient(): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('client.ts', import.meta.url))],
    outfile: client,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
    logLevel: 'error',
  })
}

async function runLeg({ title, suite, args, expectedFailures }: Leg): Promise<boolean> {
  const expected = expectedFailures === undefined ? [] : ['--expected-failures', expectedFailures]
  const { code, output } = await conformance(suite, [...args, ...expected])
  const total = /^Total: .*$/m.exec(output)?.[0] ?? 'no result'
  // Scenarios run side by side, and some look at the time: what fails on a busy machine gets another chance, alone.
  const failed = code === 0 ? [] : await failingAlone(suite, output)
  const isGood = code === 0 || (failed.length === 0 && output.includes('SUITE SUMMARY'))
  console.log(`${isGood ? 'ok    ' : 'FAILED'}  ${title}: ${total}`)
  if (isGood && code !== 0) console.log('        what failed side by side passed alone')
  for (const name of failed) console.log(`        ${name}`)
  const unscored = /^Not scored for .*$/m.exec(output)?.[0]
  if (unscored !== undefined) console.log(`        ${unscored}`)
  return isGood
}

async function failingAlone(suite: string, output: string): Promise<readonly string[]> {
  const summary = output.slice(output.indexOf('SUITE SUMMARY'))
  const names = [...summary.matchAll(/^✗ ([^:\s]+):/gm)].map((match) => match[1] ?? '')
  const unscored = new Set([...summary.matchAll(/^ {2}✗ (\S+) \(/gm)].map((match) => match[1] ?? ''))
  const expected = new Set([...summary.matchAll(/^\s*~ (\S+)/gm)].map((match) => match[1] ?? ''))
  const failed: string[] = []
  for (const name of names.filter((candidate) => !unscored.has(candidate) && !expected.has(candidate))) {
    const { code } = await conformance(suite, ['--scenario', name])
    if (code !== 0) failed.push(name)
  }
  return failed
}

function conformance(
  suite: string,
  args: readonly string[],
): Promise<{ readonly code: number; readonly output: string }> {
  const command = ['client', '--command', `${process.execPath} ${client}`, '-o', join(folder, 'results'), ...args]
  return new Promise((resolve) => {
    const options = { maxBuffer: 256 * 2 ** 20, cwd: folder }
    execFile(process.execPath, [suite, ...command], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}\n${stderr}` })
    })
  })
}
