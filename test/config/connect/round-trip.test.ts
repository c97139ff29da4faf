import { access, chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConnections } from '../../../src/config/connect/connections.ts'
import { clientIds, type ClientId } from '../../../src/config/import/clients.ts'
import { findImportable } from '../../../src/config/import/find-importable.ts'
import { fixtureHome, placeFixture, type FixtureHome } from '../import/fixture-home.ts'
import { connectDesk } from './desk.ts'

const textOf = async (path: string) => await readFile(path, 'utf8')
const isThere = async (path: string) =>
  await access(path).then(
    () => true,
    () => false,
  )
const serversAt = async (file: string) => ((await isThere(file)) ? JSON.parse(await textOf(file)).mcpServers : {})
const lists = (home: FixtureHome, client: ClientId) => findImportable(home, [client])

describe.each(clientIds)('the documented file of %s', (client) => {
  test('comes back byte for byte, with and without moving its servers', async () => {
    await using home = await fixtureHome([client])
    const desk = connectDesk(home)
    const path = await desk.pathOf(client)
    const before = await readFile(path)

    for (const move of [false, true]) {
      await desk.connect(client, { move })
      expect(await readFile(path)).not.toEqual(before)
      const { how } = await desk.disconnect(client)

      expect(how).toBe('exact')
      expect(await readFile(path)).toEqual(before)
    }
    expect(await serversAt(desk.serversFile)).toEqual({})
    expect(await readConnections(desk.stateFolder)).toEqual([])
    expect(await readdir(join(desk.stateFolder, 'backups'))).toEqual([])
  })

  test('has one entry more, which import leaves out, and every other server as it was', async () => {
    await using home = await fixtureHome([client])
    const desk = connectDesk(home)
    const before = await lists(home, client)

    await desk.connect(client)

    const after = await lists(home, client)
    expect(after.rows).toEqual(before.rows)
    expect(after.leftOut.filter(({ reason }) => reason === 'it is Capstan itself')).toHaveLength(1)
    expect(after.problems).toEqual([])
  })

  test('gives its servers to Capstan when they move, and keeps those that only it can run', async () => {
    await using home = await fixtureHome([client])
    const desk = connectDesk(home)
    const before = await lists(home, client)
    const { staying } = await desk.plan(client)

    await desk.connect(client, { move: true })

    const left = (await lists(home, client)).rows.filter(({ notes }) => notes.every(({ kind }) => kind !== 'folders'))
    expect(
      left
        .flatMap(({ sources }) => sources.map(({ name }) => name))
        .every((name) => staying.some((s) => s.name === name)),
    ).toBe(true)
    const moved = before.rows.filter(({ name }) => !left.some((row) => row.name === name))
    expect(Object.keys(await serversAt(desk.serversFile)).length).toBeGreaterThan(0)
    for (const [name, entry] of Object.entries(await serversAt(desk.serversFile)))
      expect(moved.find((row) => row.name === name)?.entry).toEqual(entry)
  })

  test('loses only our entry and gets its servers back when it was edited meanwhile', async () => {
    await using home = await fixtureHome([client])
    const desk = connectDesk(home)
    const path = await desk.pathOf(client)
    const before = await lists(home, client)
    await desk.connect(client, { move: true })
    const comment = path.endsWith('.toml') ? '# mine\n' : '// mine\n'
    await writeFile(path, comment + (await textOf(path)))

    const { how } = await desk.disconnect(client)

    expect(how).toBe('edited')
    expect(await textOf(path)).toMatch(new RegExp(`^${comment}`))
    const after = await lists(home, client)
    const byName = (rows: typeof before.rows) => Object.fromEntries(rows.map(({ name, entry }) => [name, entry]))
    expect(byName(after.rows)).toEqual(byName(before.rows))
    expect(await serversAt(desk.serversFile)).toEqual({})
  })

  test('that does not exist yet is made, and goes again', async () => {
    await using home = await fixtureHome([])
    const desk = connectDesk(home)
    await placeFolderOf(client, home)
    const listing = async () =>
      (await readdir(home.home, { recursive: true })).filter((name) => !/^\.local|capstan/.test(name)).sort()
    const before = await listing()

    await desk.connect(client)
    const { leftOut } = await lists(home, client)
    await desk.disconnect(client)

    expect(leftOut).toHaveLength(1)
    expect(await listing()).toEqual(before)
  })
})

test.each([
  ['cursor', '\uFEFF{\r\n\t"other": [1,\t2],\r\n\t"mcpServers": { }\r\n}'],
  ['cursor', '{"mcpServers":{"a":{"url":"https://a.example"}},"z":1}'],
  ['cursor', '{\n  "mcpServers": null\n}\n'],
  ['cursor', ''],
  [
    'zed',
    '// one\n{\n  // two\n  "context_servers": {\n    // three\n    "a": { "command": "a" }, // four\n    /* five */\n  },\n}\n// six',
  ],
  ['opencode', '{ "mcp": { "timeout": {}, "servers": {} } }'],
  ['codex', 'model = "x"'],
  [
    'codex',
    '# top\r\n[mcp_servers]\r\n# inner\r\na = { command = "a" } # tail\r\n\r\n\r\n[tools]\r\nlist = [\r\n  [1],\r\n]\r\n',
  ],
  ['codex', 'text = """\n[mcp_servers.a]\n"""\n[mcp_servers."with space"]\ncommand = "x"\n\n\n# the end\n'],
] as const)('%s: %j comes back byte for byte', async (client, text) => {
  await using home = await fixtureHome([client])
  const desk = connectDesk(home)
  const path = await desk.pathOf(client)
  await writeFile(path, text)

  await desk.connect(client, { move: true })
  const connected = await textOf(path)
  const { how } = await desk.disconnect(client)

  expect(connected).toContain('CAPSTAN_CLIENT')
  expect(how).toBe('exact')
  expect(await textOf(path)).toBe(text)
})

test('comments, order and unknown fields stay where they are while a client is connected', async () => {
  await using home = await fixtureHome(['zed'])
  const desk = connectDesk(home)
  const path = await desk.pathOf('zed')
  const before = (await textOf(path)).split('\n')

  await desk.connect('zed')

  const after = (await textOf(path)).split('\n')
  // A comma is all that an existing line may gain.
  const kept = before.map((line) => after.findIndex((other) => other === line || other === `${line},`))
  expect(kept).not.toContain(-1)
  expect(kept.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('a file that cannot be written leaves everything as it was: the file, Capstan, the notes, the backups', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  const path = await desk.pathOf('cursor')
  const before = await textOf(path)
  await chmod(path, 0o444)

  await expect(desk.connect('cursor', { move: true })).rejects.toThrow('write-protected')

  expect(await textOf(path)).toBe(before)
  expect(await serversAt(desk.serversFile)).toEqual({})
  expect(await readConnections(desk.stateFolder)).toEqual([])
  expect(await readdir(join(desk.stateFolder, 'backups'))).toEqual([])
})

test('a file that cannot be parsed is named with line and column, and left alone', async () => {
  await using home = await fixtureHome(['codex'])
  const desk = connectDesk(home)
  const path = await desk.pathOf('codex')
  await writeFile(path, 'model = \n')

  await expect(desk.connect('codex')).rejects.toThrow(`${path}:1:`)

  expect(await textOf(path)).toBe('model = \n')
})

test('a file that is not UTF-8 is refused, because its bytes could not come back', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  await writeFile(await desk.pathOf('cursor'), Buffer.from([0x7b, 0xff, 0x7d]))

  await expect(desk.connect('cursor')).rejects.toThrow('not UTF-8')
})

test('the same name twice in one object is refused', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  const text =
    '{"mcpServers": {"capstan": {"command": "npx", "args": ["capstan", "serve"]}, "capstan": {"command": "capstan"}}}'
  await writeFile(await desk.pathOf('cursor'), text)

  await expect(desk.connect('cursor')).rejects.toThrow('cannot be edited here')

  expect(await textOf(await desk.pathOf('cursor'))).toBe(text)
})

test('a symbolic link stays one, and its target is what changes and comes back', async () => {
  await using home = await fixtureHome([])
  const desk = connectDesk(home)
  const target = join(home.home, 'dotfiles', 'cursor.json')
  await placeFixture('cursor.json', target)
  await mkdir(join(home.home, '.cursor'))
  await symlink(target, join(home.home, '.cursor', 'mcp.json'))
  const before = await textOf(target)

  await desk.connect('cursor')
  const connected = await textOf(target)
  await desk.disconnect('cursor')

  expect(connected).toContain('CAPSTAN_CLIENT')
  expect(await textOf(target)).toBe(before)
})

test('the permissions of a file stay, and backup and notes are for their owner only', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  const path = await desk.pathOf('cursor')
  await chmod(path, 0o640)

  const connected = await desk.connect('cursor')

  const backup =
    connected.kind === 'written' && connected.connection.before.kind === 'text'
      ? connected.connection.before.backup
      : ''
  const modeOf = async (file: string) => (await stat(file)).mode & 0o777
  expect(await modeOf(path)).toBe(0o640)
  expect(await modeOf(backup)).toBe(0o600)
  expect(await modeOf(join(desk.stateFolder, 'connections.json'))).toBe(0o600)
})

test('connecting twice changes nothing the second time; with another entry it is replaced, and the first text still comes back', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  const path = await desk.pathOf('cursor')
  const before = await textOf(path)
  await desk.connect('cursor')

  const second = await desk.connect('cursor')
  const third = await desk.connect('cursor', { args: ['serve', '--mode', 'meta'], move: true })
  const { how } = await desk.disconnect('cursor')

  expect(second.kind).toBe('unchanged')
  expect(third.kind).toBe('written')
  expect(how).toBe('exact')
  expect(await textOf(path)).toBe(before)
})

test('connecting again after an edit never brings back a text that would lose the edit', async () => {
  await using home = await fixtureHome(['cursor'])
  const desk = connectDesk(home)
  const path = await desk.pathOf('cursor')
  await desk.connect('cursor', { move: true })
  await writeFile(path, (await textOf(path)).replace('{', '{\n  "mine": true,'))
  await desk.connect('cursor', { args: ['serve', '--mode', 'all'] })

  const { how, restored } = await desk.disconnect('cursor')

  expect(how).toBe('edited')
  expect(restored).toContain('github')
  const text = await textOf(path)
  expect(JSON.parse(text)).toMatchObject({
    mine: true,
    mcpServers: { capstan: { command: 'npx' }, github: {}, docs: {} },
  })
})

test('two that connect and disconnect at once leave whole files and one note', async () => {
  await using home = await fixtureHome(['cursor', 'codex'])
  const desk = connectDesk(home)
  const files = await Promise.all([desk.pathOf('cursor'), desk.pathOf('codex')])
  const before = await Promise.all(files.map(textOf))

  const outcomes = await Promise.allSettled([desk.connect('cursor'), desk.connect('cursor'), desk.connect('codex')])
  const notes = await readConnections(desk.stateFolder)
  await Promise.all([desk.disconnect('cursor'), desk.disconnect('codex')])

  expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(2)
  expect(notes.map(({ client }) => client).sort()).toEqual(['codex', 'cursor'])
  expect(await Promise.all(files.map(textOf))).toEqual(before)
})

async function placeFolderOf(client: ClientId, home: FixtureHome): Promise<void> {
  const installed = await fixtureHome([client])
  const path = await connectDesk(installed).pathOf(client)
  await installed[Symbol.asyncDispose]()
  await mkdir(dirname(path.replace(installed.home, home.home)), { recursive: true })
  await rm(join(home.home, '.cache'), { recursive: true, force: true })
}
