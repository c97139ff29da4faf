import { expect, onTestFinished, test } from 'vitest'
import { asTyped } from '../../src/cli/as-typed.ts'
import { tempFolder } from '../config/temp-folder.ts'

async function folders(files: Readonly<Record<string, string>>) {
  const folder = await tempFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  await folder.write(files)
  return folder.path
}

const byNpx = { env: { npm_command: 'exec' }, cwd: '/' }

test.each([
  ['Run: capstan doctor files', 'Run: npx capstan doctor files'],
  ['capstan list\ncapstan config', 'npx capstan list\nnpx capstan config'],
  ['Usage: capstan [command] [flags]', 'Usage: npx capstan [command] [flags]'],
  ['Run "capstan review", or: capstan --help', 'Run "npx capstan review", or: npx capstan --help'],
  ['\u001B[36mcapstan call a.b\u001B[39m', '\u001B[36mnpx capstan call a.b\u001B[39m'],
  ['capstan add x -- npx -y y', 'npx capstan add x -- npx -y y'],
])('writes the commands in %j as somebody types them who started it with npx', (text, typed) => {
  expect(asTyped(text, byNpx)).toBe(typed)
})

test.each([
  'capstan: the message of a failure',
  'capstan needs Node 22.19',
  'npx capstan list',
  'my-capstan list',
  '/opt/capstan list',
  'capstan listing',
])('leaves %j alone, which is no command, or complete', (text) => {
  expect(asTyped(text, byNpx)).toBe(text)
})

test('says npx where the project has it installed, or is its clone, and the PATH has it not', async () => {
  const root = await folders({
    'project/node_modules/.bin/capstan': '',
    'project/deep/': '',
    'clone/dist/cli/bin.js': '',
    'elsewhere/': '',
  })
  const script = `${root}/clone/dist/cli/bin.js`
  const said = (folder: string) =>
    asTyped('capstan list', { env: { PATH: '/nowhere' }, cwd: `${root}/${folder}`, script })

  expect(['project/deep', 'clone', 'elsewhere'].map(said)).toEqual([
    'npx capstan list',
    'npx capstan list',
    'capstan list',
  ])
})

test('says capstan where the PATH has it, but not for the PATH that npm lends to a script', async () => {
  const root = await folders({ 'bin/capstan': '', 'project/node_modules/.bin/capstan': '' })
  const cwd = `${root}/project`
  const lent = `${cwd}/node_modules/.bin:/nowhere`

  expect(asTyped('capstan list', { env: { PATH: `/nowhere:${root}/bin` }, cwd })).toBe('capstan list')
  expect(asTyped('capstan list', { env: { PATH: lent }, cwd })).toBe('capstan list')
  expect(asTyped('capstan list', { env: { PATH: lent, npm_lifecycle_event: 'start' }, cwd })).toBe('npx capstan list')
})
