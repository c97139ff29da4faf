// node test/hosts/pi/install-pi.ts: installs the real pi below node_modules/.cache, for `npm run test:pi`.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const name = '@earendil-works/pi-coding-agent'
const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
const folder = fileURLToPath(new URL('../../../node_modules/.cache/pi', import.meta.url))

/** The last version without MCP of its own: its folder, as npm installs it. */
export const pi0 = join(folder, 'node_modules', name)

/**
 * A version with MCP of its own. It could not be installed when this was written, because packages that it names were missing; but its
 * program is bundled, and finds the one package that it lacks in the folder of the other.
 */
export const pi1 = join(folder, 'pi-1', 'package')

/** The program that people run. */
export function programOf(pi: string): string {
  return join(pi, 'dist', 'bundle', 'cli.js')
}

if (import.meta.main) {
  await mkdir(join(folder, 'pi-1'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  if (!existsSync(programOf(pi0))) await run('npm', ['install', ...quiet, `${name}@0.87.1`], { cwd: folder })
  if (!existsSync(programOf(pi1))) {
    const packed = await run('npm', ['pack', '--loglevel=error', `${name}@1.5.0`], { cwd: folder })
    await run('tar', ['xzf', packed.stdout.trim(), '-C', 'pi-1'], { cwd: folder })
  }
}
