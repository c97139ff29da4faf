import { expect, test } from 'vitest'
import { layeredConfig } from '../../src/config/layered-config.ts'
import { recordDecisions, trustFile } from '../../src/config/trust.ts'
import { tempFolder } from './temp-folder.ts'

const mine = { command: 'mine' }
const theirs = { command: 'theirs' }

test('replaces entries of the user by those of the project, by name, and keeps what was replaced', async () => {
  await using folder = await tempFolder()
  const env = { HOME: folder.path }
  const project = { file: 'options.json', mcpServers: { files: theirs } }

  const { servers } = await layeredConfig({
    user: { mcpServers: { files: mine, web: mine } },
    project,
    env,
    cwd: folder.path,
  })

  expect(servers.map(({ name, entry, standing }) => [name, entry, standing.kind])).toEqual([
    ['files', theirs, 'untrusted'],
    ['web', mine, 'usable'],
  ])
  expect(servers[0]?.shadows).toEqual([{ entry: mine, origin: { layer: 'user' } }])
})

test('judges entries of the project by what a person decided about that file, or allowed this time', async () => {
  await using folder = await tempFolder()
  const env = { HOME: folder.path }
  const mcpServers = { approved: theirs, refused: theirs, once: theirs, other: theirs }
  const projectFile = `${folder.path}/options.json`
  await recordDecisions(trustFile(env), [
    { projectFile, name: 'approved', entry: theirs, decision: 'trusted' },
    { projectFile, name: 'refused', entry: theirs, decision: 'refused' },
    { projectFile: '/elsewhere.json', name: 'other', entry: theirs, decision: 'trusted' },
  ])

  const { servers } = await layeredConfig({
    project: { file: 'options.json', mcpServers },
    env,
    cwd: folder.path,
    trustedOnce: ['once'],
  })

  expect(Object.fromEntries(servers.map(({ name, standing }) => [name, standing]))).toMatchObject({
    approved: { kind: 'usable' },
    refused: { kind: 'untrusted', change: 'refused' },
    once: { kind: 'usable' },
    other: { kind: 'untrusted', change: 'new' },
  })
})
