import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resolveWrapper, type Launch } from '../../../src/hub/wire/resolve-wrapper.ts'
import { tempFolder, type TempFolder } from '../../config/temp-folder.ts'
import { npmRegistry } from '../../fixtures/npm-registry.ts'

const run = promisify(execFile)

let world: TempFolder
let registry: Awaited<ReturnType<typeof npmRegistry>>
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  world = await tempFolder()
  await world.write({
    ...packageFiles('one', { name: '@acme/server', version: '1.0.0', bin: 'main.js' }),
    ...packageFiles('two', { name: '@acme/server', version: '2.0.0', bin: { 'acme-server': 'main.js' } }),
    ...packageFiles('bare', {
      name: 'bare-server',
      version: '1.0.0',
      bin: { 'bare-server': 'main.js', other: 'other.js' },
    }),
    'project/package.json': '{ "private": true }',
    'project/deep/inside/': '',
    'elsewhere/': '',
    'home/': '',
  })
  registry = await npmRegistry(['one', 'two', 'bare'].map((name) => join(world.path, name)))
  env = { PATH: process.env['PATH'] ?? '', HOME: join(world.path, 'home'), npm_config_registry: registry.url }
  const tarballs = ['one/acme-server-1.0.0.tgz', 'bare/bare-server-1.0.0.tgz'].map((file) => join(world.path, file))
  await run('npm', ['install', ...tarballs], { cwd: join(world.path, 'project'), env })
}, 60_000)

afterAll(async () => {
  await registry[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

/** Programs that tell which file they are, of which version, and what they were given. */
function packageFiles(folder: string, manifest: { readonly version: string; readonly [key: string]: unknown }) {
  const program = (name: string) =>
    `#!/usr/bin/env node\nconsole.log(JSON.stringify([${JSON.stringify([folder, name, manifest.version].join(' '))}, __filename, process.argv.slice(2), process.cwd(), process.env.PATH.split(':').filter((part) => part.endsWith('.bin'))]))\n`
  return {
    [`${folder}/package.json`]: JSON.stringify(manifest),
    [`${folder}/main.js`]: program('main'),
    [`${folder}/other.js`]: program('other'),
  }
}

async function tell({ command, args, env: own }: Launch, cwd: string): Promise<unknown> {
  const { stdout } = await run(command, [...args], { cwd, env: own })
  return JSON.parse(stdout)
}

test.each([
  ['a package of the project, by its name', 'project', ['-y', '@acme/server', 'stdio', '--flag=a b', '$HOME', '--']],
  ['a package of the project, from a folder in it', 'project/deep/inside', ['@acme/server', 'stdio']],
  ['a package of the project, by its exact version', 'project', ['-y', '@acme/server@1.0.0']],
  ['a program of the project', 'project/deep', ['--yes', 'bare-server', 'x']],
  ['another program of a package of the project', 'project', ['-p', 'bare-server', 'other', '--', '-p']],
  ['a program of the project under another name than its package', 'project', ['--', 'other']],
  ['an exact version that npx has fetched before', 'elsewhere', ['-y', '@acme/server@2.0.0', 'stdio']],
  ['an exact version that differs from the one of the project', 'project', ['-y', '@acme/server@2.0.0']],
  [
    'a program of an exact version that npx has fetched',
    'elsewhere',
    ['-y', '--package=bare-server@1.0.0', 'other', 'x'],
  ],
])('runs what npx runs, without npx: %s', { timeout: 60_000 }, async (_, folder, args) => {
  const cwd = join(world.path, folder)
  const byNpx = await tell({ command: 'npx', args, env }, cwd)

  const resolved = await resolveWrapper('npx', args, { cwd, env })

  expect(resolved.command).toContain('/node_modules/.bin/')
  expect(await tell(resolved, cwd)).toEqual(byNpx)
})

test(
  'leaves a name alone to npx where only its cache has the package, because npx looks for a newer one',
  { timeout: 60_000 },
  async () => {
    const cwd = join(world.path, 'elsewhere')
    const args = ['-y', '@acme/server']
    const [said] = (await tell({ command: 'npx', args, env }, cwd)) as readonly string[]

    const resolved = await resolveWrapper('npx', args, { cwd, env })

    expect(said).toBe('two main 2.0.0')
    expect(resolved).toEqual({ command: 'npx', args, env })
  },
)
