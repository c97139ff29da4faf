import { chmod, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { resolveWrapper } from '../../../src/hub/wire/resolve-wrapper.ts'
import { tempFolder } from '../../config/temp-folder.ts'

/** A project with one package as npm installs it, and an npm; `changes` are files written over that. What npm really does is in the slow tests. */
async function projectWith(changes: Readonly<Record<string, string>> = {}) {
  const folder = await tempFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  const at = (path: string) => join(folder.path, path)
  await folder.write({
    'npm/package.json': '{ "name": "npm", "version": "11.0.0" }',
    'npm/bin/npx-cli.js': '',
    'bin/': '',
    'home/': '',
    'project/package.json': '{ "name": "some-project" }',
    'project/node_modules/@acme/server/package.json':
      '{ "name": "@acme/server", "version": "1.0.0", "bin": { "acme": "main.js" } }',
    'project/node_modules/.package-lock.json': lock('node_modules/@acme/server'),
    'project/node_modules/.bin/acme': '#!/bin/sh\n',
    ...changes,
  })
  await chmod(at('project/node_modules/.bin/acme'), 0o755)
  await symlink(at('npm/bin/npx-cli.js'), at('bin/npx'))
  const env: Readonly<Record<string, string>> = { PATH: at('bin'), HOME: at('home') }
  return { at, cwd: at('project'), env, program: at('project/node_modules/.bin/acme') }
}

function lock(...paths: readonly string[]): string {
  return JSON.stringify({ packages: Object.fromEntries(paths.map((path) => [path, { version: '1.0.0' }])) }, null, 2)
}

test('gives the program its arguments, its variables, and the PATH that npm would give it', async () => {
  const { at, cwd, env, program } = await projectWith()

  const launch = await resolveWrapper('npx', ['-y', '@acme/server', '-y', '--', 'a b'], {
    cwd,
    env: { ...env, KEY: '1' },
  })

  expect(launch).toEqual({
    command: program,
    args: ['-y', '--', 'a b'],
    env: { KEY: '1', HOME: at('home'), PATH: expect.any(String) },
  })
  const paths = launch.env['PATH']?.split(':') ?? []
  expect([paths[0], paths[1], paths.at(-1)]).toEqual([
    at('project/node_modules/.bin'),
    at('node_modules/.bin'),
    at('bin'),
  ])
})

test.each([
  [
    'registries, tokens and comments',
    { 'home/.npmrc': '; mine\n@acme:registry=https://x.test\n//x.test/:_authToken=t\n' },
  ],
])('is not put off by %s', async (_, changes) => {
  const { cwd, env, program } = await projectWith(changes)

  expect((await resolveWrapper('npx', ['@acme/server'], { cwd, env })).command).toBe(program)
})

test.each<readonly [string, readonly string[]]>([
  ['a tag', ['@acme/server@latest']],
  ['a range', ['@acme/server@^1.0.0']],
  ['part of a version', ['@acme/server@1']],
  ['another version than the one that is there', ['@acme/server@1.0.1']],
  ['a package that is not there', ['@acme/other']],
  ['a folder', ['./main']],
  ['an address', ['github:acme/server']],
  ['a script for the shell', ['-c', 'acme']],
  ['a flag that may change what is run', ['--prefer-online', '@acme/server']],
  ['two packages', ['-p', '@acme/server', '-p', 'other', 'acme']],
  ['a program that is not there', ['-p', '@acme/server', 'acme-two']],
  ['no words at all', []],
])('leaves %s to npx', async (_, args) => {
  const { cwd, env } = await projectWith()

  expect(await resolveWrapper('npx', args, { cwd, env })).toEqual({ command: 'npx', args, env })
})

test.each<readonly [string, Readonly<Record<string, string>>]>([
  ['workspaces', { 'project/package.json': '{ "workspaces": ["a"] }' }],
  ['a project above that has workspaces', { 'package.json': '{ "workspaces": ["project"] }' }],
  ['a package.json that cannot be read', { 'project/package.json': '{' }],
  ['a project that is itself called like the package', { 'project/package.json': '{ "name": "@acme/server" }' }],
  ['a setting of the project that may matter', { 'project/.npmrc': 'script-shell=/bin/zsh' }],
  ['a setting of the user that may matter', { 'home/.npmrc': 'fund=false\nprefix = ~/.global' }],
  ['packages that another program than npm installed', { 'project/node_modules/.package-lock.json': '' }],
  [
    'several copies',
    {
      'project/node_modules/.package-lock.json': lock(
        'node_modules/@acme/server',
        'node_modules/a/node_modules/@acme/server',
      ),
    },
  ],
  [
    'another package under its name',
    { 'project/node_modules/@acme/server/package.json': '{ "name": "b", "bin": "b.js" }' },
  ],
  [
    'several programs, none called like the package',
    {
      'project/node_modules/@acme/server/package.json':
        '{ "name": "@acme/server", "bin": { "acme": "a.js", "b": "b.js" } }',
    },
  ],
  ['no npm but a program of that name', { 'npm/package.json': '{ "name": "npx", "version": "11.0.0" }' }],
  ['an npm that is older than we know', { 'npm/package.json': '{ "name": "npm", "version": "8.19.0" }' }],
])('leaves the command to npx because of %s', async (_, changes) => {
  const { cwd, env } = await projectWith(changes)
  const args = ['-y', '@acme/server']

  expect(await resolveWrapper('npx', args, { cwd, env })).toEqual({ command: 'npx', args, env })
})

test('leaves the command to npx where a variable sets up npm, or the program cannot be run', async () => {
  const { cwd, env, program } = await projectWith()
  const args = ['@acme/server']

  const withVariable = await resolveWrapper('npx', args, { cwd, env: { ...env, NPM_CONFIG_PREFIX: '/x' } })
  await chmod(program, 0o644)
  const withoutRight = await resolveWrapper('npx', args, { cwd, env })

  expect([withVariable.command, withoutRight.command]).toEqual(['npx', 'npx'])
})

test.each(['uvx', 'bunx', 'node', './npx'])('leaves the command %s as it is', async (command) => {
  const { cwd, env } = await projectWith()

  expect((await resolveWrapper(command, ['@acme/server'], { cwd, env })).command).toBe(command)
})
