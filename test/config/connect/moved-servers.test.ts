import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConnections } from '../../../src/config/connect/connections.ts'
import { editServerFile } from '../../../src/config/edit.ts'
import { fixtureHome } from '../import/fixture-home.ts'
import { connectDesk } from './desk.ts'

const json = async (path: string) => JSON.parse(await readFile(path, 'utf8'))
const namesIn = async (path: string) => Object.keys((await json(path)).mcpServers)

test('a server that Capstan has already is taken out of the client, comes back, and stays in Capstan', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  const { mcpServers } = await json(await desk.pathOf('cursor'))
  await editServerFile(desk.serversFile, [{ kind: 'put', name: 'gh', entry: mcpServers.github }])

  await desk.connect('cursor', { move: true })
  const connected = await namesIn(await desk.pathOf('cursor'))
  const { restored, leaving } = await desk.disconnect('cursor')

  expect(connected).toEqual(['notes', 'capstan'])
  expect(restored).toContain('github')
  expect(leaving.map(({ to }) => to.name)).toEqual(['docs'])
  expect(await namesIn(desk.serversFile)).toEqual(['gh'])
})

test('a server whose name Capstan uses for another one moves under a name with a number', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  await editServerFile(desk.serversFile, [{ kind: 'put', name: 'docs', entry: { command: 'mine' } }])

  await desk.connect('cursor', { move: true })
  const moved = await namesIn(desk.serversFile)
  await desk.disconnect('cursor')

  expect(moved).toEqual(['docs', 'github', 'docs-2'])
  expect(await namesIn(desk.serversFile)).toEqual(['docs'])
})

test('moved servers stay in Capstan while another client is connected, and leave with the last one', async () => {
  await using home = await fixtureHome(['cursor', 'codex'])
  const desk = connectDesk(home)
  await desk.connect('cursor', { move: true })
  await desk.connect('codex', { move: true })

  const first = await desk.disconnect('cursor')
  const last = await desk.disconnect('codex')

  expect(first.kept).toEqual([
    { name: 'github', reason: 'Codex uses Capstan too' },
    { name: 'docs', reason: 'Codex uses Capstan too' },
  ])
  expect(last.leaving.map(({ to }) => to.name)).toEqual(['database', 'figma', 'old'])
  expect(await namesIn(desk.serversFile)).toEqual(['github', 'docs'])
})

test('clients that are disconnected together do not hold each other up', async () => {
  await using home = await fixtureHome(['cursor', 'codex'])
  const desk = connectDesk(home)
  await desk.connect('cursor', { move: true })
  await desk.connect('codex', { move: true })

  await desk.disconnect('cursor', { together: ['cursor', 'codex'] })
  await desk.disconnect('codex', { together: ['cursor', 'codex'] })

  expect(await namesIn(desk.serversFile)).toEqual([])
})

test('a moved server that was changed in Capstan stays there, and so do all with keep', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  await desk.connect('cursor', { move: true })
  await editServerFile(desk.serversFile, [{ kind: 'set', name: 'docs', field: 'disabled', value: true }])
  const { kept } = await desk.disconnect('cursor')
  await desk.connect('cursor', { move: true })

  await desk.disconnect('cursor', { keep: true })

  expect(kept).toEqual([{ name: 'docs', reason: 'it was changed since' }])
  expect(await namesIn(desk.serversFile)).toEqual(['docs', 'github', 'docs-2'])
})

test('a server whose name was given to another one meanwhile does not come back, and stays in Capstan', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  const path = await desk.pathOf('cursor')
  await desk.connect('cursor', { move: true })
  const { mcpServers } = await json(path)
  await writeFile(path, JSON.stringify({ mcpServers: { ...mcpServers, docs: { command: 'another' } } }))

  const { notRestored, kept } = await desk.disconnect('cursor')

  expect(notRestored).toEqual([{ name: 'docs', reason: 'Cursor has another server of that name now' }])
  expect(kept).toEqual([{ name: 'docs', reason: 'Cursor does not have it' }])
  expect((await json(path)).mcpServers).toMatchObject({ docs: { command: 'another' }, github: {} })
})

test('when the file of the client is gone, its servers stay in Capstan', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  await desk.connect('cursor', { move: true })
  await rm(await desk.pathOf('cursor'))

  const { how } = await desk.disconnect('cursor')

  expect(how).toBe('done')
  expect(await namesIn(desk.serversFile)).toEqual(['github', 'docs'])
  expect(await readConnections(desk.stateFolder)).toEqual([])
})

test('a person who took our entry out already gets the moved servers back', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  const path = await desk.pathOf('cursor')
  await desk.connect('cursor', { move: true })
  await writeFile(path, '{}')

  const { how, removed, restored } = await desk.disconnect('cursor')

  expect([how, removed]).toEqual(['edited', undefined])
  expect(restored).toEqual(['capstan', 'github', 'docs'])
})

test('an entry that is no longer ours, though it has the name, stays', async () => {
  await using home = await fixtureHome(['gemini'])
  const desk = connectDesk(home)
  const path = await desk.pathOf('gemini')
  await desk.connect('gemini')
  const text = JSON.stringify({ mcpServers: { capstan: { command: 'winch' } } })
  await writeFile(path, text)

  const { how } = await desk.disconnect('gemini')

  expect(how).toBe('done')
  expect(await readFile(path, 'utf8')).toBe(text)
})

test('a server of another kind that is called capstan keeps its name; ours gets a number', async () => {
  await using home = await fixtureHome(['gemini'])
  const desk = connectDesk(home)
  const path = await desk.pathOf('gemini')
  await writeFile(path, JSON.stringify({ mcpServers: { capstan: { command: 'winch' } } }))

  await desk.connect('gemini')

  expect((await json(path)).mcpServers).toMatchObject({
    capstan: { command: 'winch' },
    'capstan-2': { command: '/opt/node' },
  })
})

test('the server over the prompt library is left beside the entry', async () => {
  await using home = await fixtureHome(['gemini'])
  const desk = connectDesk(home)
  const path = await desk.pathOf('gemini')
  await writeFile(path, JSON.stringify({ mcpServers: { prompts: { command: 'capstan-prompts' } } }))

  await desk.connect('gemini')

  expect(await namesIn(path)).toEqual(['prompts', 'capstan'])
})

test('rules of the client that keep it from using the entry are noticed', async () => {
  await using home = await fixtureHome(['gemini'])
  const desk = connectDesk(home)
  await writeFile(await desk.pathOf('gemini'), JSON.stringify({ mcp: { allowed: ['other'] } }))

  expect((await desk.plan('gemini')).isSwitchedOff).toBe(true)
})

test('servers that need something only the client has stay in it, with the reason', async () => {
  await using home = await fixtureHome(['cursor', 'vscode', 'windsurf', 'zed', 'opencode', 'claude-code'])
  const desk = connectDesk(home)

  const staying = await Promise.all(
    (['cursor', 'vscode', 'windsurf', 'zed', 'opencode'] as const).map(
      async (client) => (await desk.plan(client)).staying,
    ),
  )

  expect(staying.flat()).toEqual([
    { name: 'notes', reason: 'it needs the folder that is open there' },
    { name: 'perplexity', reason: 'it asks for "perplexity-key"' },
    { name: 'lint', reason: 'it needs the folder that is open there' },
    { name: 'vault', reason: 'it uses ${file:/home/ada/.vault-token}' },
    { name: 'mcp-server-github', reason: 'it belongs to a Zed extension' },
    { name: 'jira', reason: 'it uses {file:~/.jira-token}' },
    { name: 'from-organisation', reason: 'it only switches a server of the organisation on or off' },
  ])
  expect((await desk.plan('claude-code')).movable).toEqual(['filesystem', 'tracker', 'impatient'])
})

test('servers that both would offer are named, because each of their tools would appear twice', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  const { mcpServers } = await json(await desk.pathOf('cursor'))
  await editServerFile(desk.serversFile, [{ kind: 'put', name: 'github', entry: mcpServers.github }])

  const [kept, moved] = [await desk.plan('cursor'), await desk.plan('cursor', { move: true })]

  expect([kept.twice, moved.twice]).toEqual([['github'], []])
})

test('an entry without a note of it is found by what it starts, and goes', async () => {
  await using home = await fixtureHome(['cursor', 'codex'])
  const desk = connectDesk(home)
  await desk.connect('codex')
  await rm(desk.stateFolder, { recursive: true })

  const [byHand, forgotten] = [await desk.disconnect('cursor'), await desk.disconnect('codex')]

  expect([byHand.removed, forgotten.removed]).toEqual(['capstan', 'capstan'])
  expect(await readFile(await desk.pathOf('cursor'), 'utf8')).not.toContain('capstan')
  expect(await readFile(await desk.pathOf('codex'), 'utf8')).not.toContain('capstan')
  await expect(desk.disconnect('codex')).rejects.toThrow('Codex is not connected')
})

test('a crash after the note and before the file leaves something that can be taken back', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  const path = await desk.pathOf('cursor')
  const before = await readFile(path, 'utf8')
  await desk.connect('cursor', { move: true })
  await writeFile(path, before)

  const { how } = await desk.disconnect('cursor')

  expect(how).toBe('done')
  expect(await readFile(path, 'utf8')).toBe(before)
  expect(await namesIn(desk.serversFile)).toEqual([])
})

test('a lost or damaged backup is noticed: only what is ours goes then', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  const connected = await desk.connect('cursor', { move: true })
  if (connected.kind !== 'written' || connected.connection.before.kind !== 'text') throw new Error('no backup')
  await writeFile(connected.connection.before.backup, '{}')

  const { how } = await desk.disconnect('cursor')

  expect(how).toBe('edited')
  expect(await namesIn(await desk.pathOf('cursor'))).toEqual(['notes', 'capstan', 'github', 'docs'])
})

test('notes that cannot be read stop everything, and are named', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  await desk.connect('cursor')
  const file = join(desk.stateFolder, 'connections.json')
  await writeFile(file, '{"version": 1, "connections": [{"client": "cursor"}]}')

  await expect(desk.disconnect('cursor')).rejects.toThrow(`${file} cannot be read`)
  await expect(desk.connect('cursor', { move: true })).rejects.toThrow(`${file} cannot be read`)
})

test('a client that is not installed is not given a file', async () => {
  await using home = await fixtureHome([])
  const desk = connectDesk(home)

  await expect(desk.connect('cursor')).rejects.toThrow(
    `Cursor was not found: there is no folder ${join(home.home, '.cursor')}.`,
  )
})

test('what the client writes into its file while a person looks at the difference is kept', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  const path = await desk.pathOf('cursor')
  const shown = await desk.plan('cursor', { move: true })
  await writeFile(path, (await readFile(path, 'utf8')).replace('{', '{\n  "starts": 42,'))

  await desk.apply(shown, { move: true })

  expect(await json(path)).toMatchObject({ starts: 42, mcpServers: { notes: {}, capstan: {} } })
})

test('a server that changes while a person looks at the difference stops everything', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  const path = await desk.pathOf('cursor')
  const shown = await desk.plan('cursor', { move: true })
  const changed = (await readFile(path, 'utf8')).replace('server-github', 'server-gitlab')
  await writeFile(path, changed)

  await expect(desk.apply(shown, { move: true })).rejects.toThrow('was changed while you looked')

  expect(await readFile(path, 'utf8')).toBe(changed)
  expect(await readConnections(desk.stateFolder)).toEqual([])
})
