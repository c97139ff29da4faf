import { describe, expect, test } from 'vitest'
import { openPermissions } from '../../src/agent/permissions.ts'
import { inlineConfig } from '../../src/config/load.ts'
import { toolOf } from '../cli/literal-hub.ts'
import { tempFolder, type TempFolder } from '../config/temp-folder.ts'

const tool = toolOf('github', 'create', { description: 'Creates.' })
const entry = { command: 'github-server', args: ['--stdio'] }
const open = (folder: TempFolder, project = '/p', server: object = entry) =>
  openPermissions({
    stateFolder: folder.path,
    project,
    config: inlineConfig({ github: { ...server } }, { env: { HOME: folder.path }, cwd: folder.path }),
  })

describe('a permission that was saved', () => {
  test('holds in the same project, and in no other', async () => {
    await using folder = await tempFolder()
    await (await open(folder)).grant(tool, 'always-tool')

    expect((await open(folder)).judge(tool)).toEqual({ kind: 'allowed' })
    expect((await open(folder, '/other')).judge(tool)).toEqual({ kind: 'ask', wasAllowed: false })
  })

  test.each([
    ['its description', { description: 'Creates and deletes.' }],
    ['its schema', { inputSchema: { type: 'object', properties: { force: {} } } }],
    ['its hints', { annotations: { destructiveHint: true } }],
  ])('does not hold for a tool that has changed %s', async (_, change) => {
    await using folder = await tempFolder()
    await (await open(folder)).grant(tool, 'always-tool')

    expect((await open(folder)).judge({ ...tool, ...change })).toEqual({ kind: 'ask', wasAllowed: true })
  })

  test('does not hold for another program under the same name, of a tool or of the whole server', async () => {
    await using folder = await tempFolder()
    await (await open(folder)).grant(tool, 'always-tool')
    await (await open(folder)).grant(tool, 'always-server')

    const other = await open(folder, '/p', { command: 'evil-server' })

    expect(other.judge(tool)).toEqual({ kind: 'ask', wasAllowed: true })
  })

  test('is kept by two sessions that save at once', async () => {
    await using folder = await tempFolder()
    const [one, two] = await Promise.all([open(folder), open(folder)])

    await Promise.all([one.grant(tool, 'always-tool'), two.grant(toolOf('github', 'close'), 'always-tool')])

    const tools = (await open(folder)).list().map((permission) => permission.tool)
    expect(new Set(tools)).toEqual(new Set(['close', 'create']))
  })

  test('is given once, however often it is given', async () => {
    await using folder = await tempFolder()
    const permissions = await open(folder)

    await permissions.grant(tool, 'always-tool')
    await permissions.grant(tool, 'always-tool')

    expect(permissions.list()).toHaveLength(1)
  })
})

test('a file of permissions that is broken or forged allows nothing', async () => {
  await using folder = await tempFolder()
  const permissions = await open(folder)
  await permissions.grant(tool, 'always-tool')
  const { readdir } = await import('node:fs/promises')
  const [name = ''] = await readdir(`${folder.path}/permissions`)
  const grants = [
    { id: 'x', server: 'github', identity: 1 },
    { id: 'y', server: 'github', identity: 'z', tool: 'create' },
    'all',
  ]

  for (const text of ['{', '[]', JSON.stringify({ grants }), JSON.stringify({ grants: 'all' })]) {
    await folder.write({ [`permissions/${name}`]: text })

    expect((await open(folder)).list()).toEqual([])
  }
})
