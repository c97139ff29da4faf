import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { pi0, pi1 } from './install-pi.ts'
import { root } from './pi-world.ts'

test.each([
  ['0.87', pi0],
  ['1.5', pi1],
])('pi %s hands the extension what it declares that it needs', async (_version, pi) => {
  const folder = join(root, 'node_modules', '.cache', 'pi-types')
  await mkdir(folder, { recursive: true })
  const place = await mkdtemp(join(folder, 'run-'))
  const program = `
    import type { ExtensionAPI } from ${JSON.stringify(join(pi, 'dist', 'index.js'))}
    import capstan from ${JSON.stringify(join(root, 'src', 'hosts', 'pi', 'extension.ts'))}
    export const factory: (pi: ExtensionAPI) => void = capstan
    // @ts-expect-error -- types that were not found would fit everything
    export const isFound: number = {} as ExtensionAPI
  `
  await writeFile(join(place, 'fits.ts'), program)
  await writeFile(
    join(place, 'tsconfig.json'),
    JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['fits.ts'] }),
  )

  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', place]).catch((error: unknown) => {
    return error as { readonly stdout: string }
  })
  await rm(place, { recursive: true })

  expect(stdout).toBe('')
})
