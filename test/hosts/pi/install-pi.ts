// node test/hosts/pi/install-pi.ts: installs the real pi below node_modules/.cache, for `npm run test:pi`.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const version = '0.87.1'
const folder = fileURLToPath(new URL(`../../../node_modules/.cache/pi-${version}`, import.meta.url))
const installed = join(folder, 'node_modules', '@earendil-works', 'pi-coding-agent')

/** The program that people run. */
export const piProgram = join(installed, 'dist', 'bundle', 'cli.js')

/** pi's own types, to hold ours against. */
export const piTypes = join(installed, 'dist', 'index.d.ts')

if (import.meta.main && !existsSync(piProgram)) {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await promisify(execFile)('npm', ['install', ...quiet, `@earendil-works/pi-coding-agent@${version}`], { cwd: folder })
}
