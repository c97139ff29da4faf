import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadTrustedConfig } from '../../src/config/load-trusted.ts'
import { recordDecisions, trustFile } from '../../src/config/trust.ts'
import type { OwnTool } from '../../src/config/types.ts'
import { tempFolder, type TempFolder } from './temp-folder.ts'

const code = 'export default () => 1'
const user = '.config/capstan/tools'
const project = 'p/.capstan/tools'

async function load(folder: TempFolder, options: Parameters<typeof loadTrustedConfig>[0] = {}) {
  return loadTrustedConfig({ env: { HOME: folder.path }, cwd: join(folder.path, 'p'), ...options })
}

async function ownTools(folder: TempFolder, options?: Parameters<typeof load>[1]): Promise<readonly OwnTool[]> {
  const { servers } = await load(folder, options)
  const standing = servers.find(({ name }) => name === 'my')?.standing
  return standing?.kind === 'own' ? standing.tools : []
}

const inShort = (tools: readonly OwnTool[]) => tools.map(({ name, layer, standing }) => [name, layer, standing.kind])

test('files in the tools folder of the person are the tools of the server my, in the order of their names', async () => {
  await using folder = await tempFolder()
  await folder.write({
    [`${user}/b.ts`]: code,
    [`${user}/a.mjs`]: code,
    [`${user}/capstan.d.ts`]: '',
    [`${user}/notes.md`]: '',
    [`${user}/.hidden.ts`]: code,
    'p/README.md': '',
  })

  const tools = await ownTools(folder)

  expect(inShort(tools)).toEqual([
    ['a', 'user', 'usable'],
    ['b', 'user', 'usable'],
  ])
  expect(tools.map(({ language }) => language)).toEqual(['js', 'ts'])
})

test('without a tool file there is no server my', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'p/README.md': '', [`${user}/notes.md`]: '' })

  expect((await load(folder)).servers).toEqual([])
})

test('a server on the command line is all there is', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'p/README.md': '', [`${user}/a.ts`]: code })

  expect(await ownTools(folder, { adhoc: { stdio: 'node server.js' } })).toEqual([])
})

test('an entry named my takes the place of the tools, and a warning says so', async () => {
  await using folder = await tempFolder()
  const entry = JSON.stringify({ mcpServers: { my: { command: 'node' } } })
  await folder.write({ 'p/README.md': '', [`${user}/a.ts`]: code, '.config/capstan/mcp.json': entry })

  const { servers, warnings } = await load(folder)

  expect(servers).toMatchObject([{ name: 'my', standing: { kind: 'usable' } }])
  expect(warnings).toEqual([expect.stringMatching(/tools are not used|are not used/)])
})

test('a tool of the project waits for approval, and takes the place of the person’s of the same name', async () => {
  await using folder = await tempFolder()
  await folder.write({ [`${user}/a.ts`]: code, [`${user}/b.ts`]: code, [`${project}/a.ts`]: 'export default () => 2' })

  expect(inShort(await ownTools(folder))).toEqual([
    ['a', 'project', 'untrusted'],
    ['b', 'user', 'usable'],
  ])
  expect(inShort(await ownTools(folder, { trustProject: true }))[0]).toEqual(['a', 'project', 'usable'])
})

test('an approval is of the code: with another letter the tool waits again', async () => {
  await using folder = await tempFolder()
  await folder.write({ [`${project}/a.ts`]: code })
  const projectFile = join(folder.path, project)
  const approval = { projectFile, name: 'a.ts', entry: { code }, decision: 'trusted' } as const
  await recordDecisions(trustFile({ HOME: folder.path }), [approval])

  const approved = await ownTools(folder)
  await folder.write({ [`${project}/a.ts`]: `${code} ` })
  const changed = await ownTools(folder)

  expect(approved[0]?.standing).toEqual({ kind: 'usable' })
  expect(changed[0]?.standing).toEqual({ kind: 'untrusted', change: 'changed' })
})

test('an approval of one file is none of another with the same code', async () => {
  await using folder = await tempFolder()
  await folder.write({ [`${project}/a.ts`]: code, [`${project}/b.ts`]: code })
  const projectFile = join(folder.path, project)
  const approval = { projectFile, name: 'a.ts', entry: { code }, decision: 'trusted' } as const
  await recordDecisions(trustFile({ HOME: folder.path }), [approval])

  expect((await ownTools(folder)).map(({ standing }) => standing.kind)).toEqual(['usable', 'untrusted'])
})

test.each([
  ['a name that no tool can have', { 'a b.ts': code }],
  ['a name that is too long for models', { [`${'a'.repeat(61)}.ts`]: code }],
  ['the name of another file', { 'a.ts': code, 'a.js': code }],
  ['more text than a tool may have', { 'a.ts': `/*${' '.repeat(256 * 1024)}*/` }],
])('a file with %s is left out with a reason and a next step, and the others stay', async (_what, files) => {
  await using folder = await tempFolder()
  await folder.write({ 'p/README.md': '', [`${user}/good.ts`]: code })
  await folder.write(Object.fromEntries(Object.entries(files).map(([name, text]) => [`${user}/${name}`, text])))

  const tools = await ownTools(folder)

  const bad = tools.filter(({ name }) => name !== 'good')
  expect(bad).toHaveLength(1)
  expect(bad[0]?.standing).toMatchObject({
    kind: 'invalid',
    error: { code: 'config_invalid', next: expect.any(String) },
  })
  expect(tools.find(({ name }) => name === 'good')?.standing).toEqual({ kind: 'usable' })
})

test('a pipe in the folder is not waited for', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'p/README.md': '', [`${user}/good.ts`]: code })
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', join(folder.path, user, 'pipe.ts')])

  expect(inShort(await ownTools(folder))).toEqual([
    ['good', 'user', 'usable'],
    ['pipe', 'user', 'invalid'],
  ])
})
