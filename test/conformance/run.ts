// Runs the official suite: its client scenarios against our hub, its server scenarios against our gateway. Prints what came of it; exit code
// 1 when a scenario fails that is not in the file of expected failures. `client` or `server` as an argument: only that side.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Era } from '../../src/hub/api.ts'
import { openGatewayUnderTest } from './gateway-under-test.ts'
import { runLeg, type Leg } from './run-leg.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'node_modules', '.capstan-conformance')
const client = join(folder, 'client.mjs')
const stable = join(root, 'node_modules', 'conformance-stable', 'dist', 'index.js')
const newest = join(root, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js')
const expectedFailures = (name: string) => fileURLToPath(new URL(`expected-failures${name}.yml`, import.meta.url))

/** What is the same for both sides, with the revision that a scenario is run in when it gets another chance. */
const suites = [
  { title: 'stable 0.1.16, all', suite: stable, args: ['--suite', 'all'], alone: [] },
  ...['2025-11-25', '2026-07-28'].map((revision) => ({
    title: `0.2.0-alpha.12, requirements of ${revision}`,
    suite: newest,
    args: ['--requirements', revision],
    alone: ['--spec-version', revision],
  })),
]

const [side] = process.argv.slice(2)
await mkdir(folder, { recursive: true })
try {
  if (side !== 'server') await runClientSide()
  if (side !== 'client') for (const era of ['modern', 'legacy'] as const) await runServerSide(era)
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function runClientSide(): Promise<void> {
  await bundleClient()
  const subject = ['client', '--command', `${process.execPath} ${client}`]
  for (const leg of suites) {
    const expected = leg.suite === stable ? { expectedFailures: expectedFailures('') } : {}
    // The revision goes to the client by another way here.
    await run({ ...leg, ...expected, title: `client, ${leg.title}`, alone: [], subject })
  }
}

/** Every revision of the suite's client, with a server of either era behind the gateway: it translates in all four directions. */
async function runServerSide(era: Era): Promise<void> {
  await using gateway = await openGatewayUnderTest(era)
  const subject = ['server', '--url', gateway.url]
  for (const leg of suites) {
    const isTranslated = era === 'legacy' && leg.args.includes('2026-07-28')
    const expected = isTranslated ? { expectedFailures: expectedFailures('-server-legacy') } : {}
    await run({ ...leg, ...expected, title: `gateway over a ${era} server, ${leg.title}`, subject })
  }
}

async function run(leg: Leg): Promise<void> {
  if (!(await runLeg(leg, folder))) process.exitCode = 1
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
