import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { command as connect } from '../../../src/cli/commands/connect.ts'
import { command as disconnect } from '../../../src/cli/commands/disconnect.ts'
import { command as importCommand } from '../../../src/cli/commands/import.ts'
import { fixtureHome } from '../../config/import/fixture-home.ts'
import { workbench, type Run, type Workbench } from '../workbench.ts'

const token = 'ghp_Kd93jfLq02mZx81Vb7Rt5Yw6Nh4Pc2Ts0Ga'
const textOf = async (path: string) => await readFile(path, 'utf8')
const files = async (folder: string) => (await readdir(folder, { recursive: true })).toSorted()
const json: Run = { flags: { json: true } }

/** A workbench whose person has Cursor and Codex, with what their documentation shows. */
async function benchWithClients(): Promise<Workbench & { readonly cursor: string; readonly codex: string }> {
  const bench = await workbench()
  await using fixtures = await fixtureHome(['cursor', 'codex'])
  const names = { cursor: join('.cursor', 'mcp.json'), codex: join('.codex', 'config.toml') }
  await bench.write({
    [join('home', names.cursor)]: await textOf(join(fixtures.home, names.cursor)),
    [join('home', names.codex)]: await textOf(join(fixtures.home, names.codex)),
  })
  const at = (name: string) => join(bench.path, 'home', name)
  return { ...bench, cursor: at(names.cursor), codex: at(names.codex) }
}

describe('connect', () => {
  test('shows the difference without secrets, asks about the servers and then about the change, and says how to undo it', async () => {
    await using bench = await benchWithClients()

    const { code, printed, said } = await bench.run(connect, ['cursor'], { isAtTerminal: true, types: 'yes\nyes\n' })

    expect(code).toBe(0)
    expect(said).toContain('Cursor has servers of its own: github, docs. Move them into Capstan? [yes/no]')
    expect(said).toContain('Write this? [yes/no]')
    expect(printed).toMatch(/^-\s+"env": \{ "GITHUB_PERSONAL_ACCESS_TOKEN": "ghp_\*{4}" \}$/m)
    expect(printed).toContain('docs: moves to Capstan. It needs DOCS_TOKEN, not set here.')
    expect(printed).toContain('notes: stays in Cursor, because it needs the folder that is open there.')
    expect(printed).toMatch(/Next: restart Cursor\. To undo: capstan disconnect cursor\n$/)
    expect(printed + said).not.toContain(token)
    expect(Object.keys(JSON.parse(await textOf(bench.userFile)).mcpServers)).toEqual(['github', 'docs'])
  })

  test('writes the absolute path of Node, the mode of the client, PATH and the variables that the own servers name', async () => {
    await using bench = await benchWithClients()
    await bench.write({
      'home/.config/capstan/mcp.json': '{"mcpServers": {"a": {"command": "a", "env": {"K": "${MY_TOKEN}"}}}}',
      'project/.mcp.json': '{"mcpServers": {"b": {"command": "b", "env": {"K": "${PROJECT_WISH}"}}}}',
    })
    const env = { PATH: '/usr/bin:/bin', MY_TOKEN: 'tok_123456789', PROJECT_WISH: 'no', OTHER: 'no' }

    const { printed } = await bench.run(connect, ['cursor', '--yes'], { env })

    const { capstan } = JSON.parse(await textOf(bench.cursor)).mcpServers
    expect(capstan.command).toMatch(/^\/.*node$/)
    expect(capstan.args.slice(-3)).toEqual(['serve', '--mode', 'auto'])
    expect(capstan.args[0]).toMatch(/^\//)
    expect(capstan.env).toEqual({ PATH: '/usr/bin:/bin', MY_TOKEN: 'tok_123456789', CAPSTAN_CLIENT: 'cursor' })
    expect(printed).toContain('Written there in plain text: MY_TOKEN. To leave them out: --no-variables')
    expect(printed).not.toContain('tok_123456789')
  })

  test('--no-variables, --mode and --config are in the entry as they were asked for', async () => {
    await using bench = await benchWithClients()
    await bench.write({ 'project/other.json': '{"mcpServers": {"a": {"command": "a", "args": ["${MY_TOKEN}"]}}}' })
    const options: Run = { env: { PATH: '/bin', MY_TOKEN: 't' }, flags: { config: ['other.json'] } }

    await bench.run(connect, ['cursor', '--yes', '--no-variables', '--mode', 'meta'], options)

    const { capstan } = JSON.parse(await textOf(bench.cursor)).mcpServers
    expect(capstan.args.slice(1)).toEqual([
      '--config',
      join(bench.path, 'project', 'other.json'),
      'serve',
      '--mode',
      'meta',
    ])
    expect(capstan.env).toEqual({ PATH: '/bin', CAPSTAN_CLIENT: 'cursor' })
  })

  test('--http writes the address, with the headers', async () => {
    await using bench = await benchWithClients()

    await bench.run(connect, [
      'codex',
      '--yes',
      '--http',
      'https://hub.example/mcp',
      '--header',
      'Authorization=Bearer t',
    ])

    expect(await textOf(bench.codex)).toContain('[mcp_servers.capstan]\nurl = "https://hub.example/mcp"\n')
    expect(await textOf(bench.codex)).toContain('Authorization = "Bearer t"')
  })

  test('--dry-run writes nothing at all, with and without --json', async () => {
    await using bench = await benchWithClients()
    const before = await files(bench.path)
    const text = await textOf(bench.cursor)

    const shown = await bench.run(connect, ['cursor', '--dry-run', '--move'])
    const told = await bench.run(connect, ['cursor', 'codex', '--dry-run', '--move'], json)

    expect(shown.printed).toContain('+     "capstan": {')
    expect(JSON.parse(told.printed)).toMatchObject([
      {
        client: 'cursor',
        written: false,
        entry: 'capstan',
        moved: [{ from: 'github', to: 'github' }, { from: 'docs' }],
      },
      { client: 'codex', written: false, moved: [{}, {}, {}] },
    ])
    expect(told.printed).not.toContain(token)
    expect(await files(bench.path)).toEqual(before)
    expect(await textOf(bench.cursor)).toBe(text)
  })

  test('a no, or nobody to ask, changes nothing', async () => {
    await using bench = await benchWithClients()
    const before = await files(bench.path)

    const { said } = await bench.run(connect, ['cursor'], { isAtTerminal: true, types: 'yes\nno\n' })

    expect(said).toContain('Nothing was changed.')
    await expect(bench.run(connect, ['cursor'])).rejects.toThrow('There is nobody to ask')
    await expect(bench.run(connect, ['cursor'], json)).rejects.toThrow('There is nobody to ask')
    expect(await files(bench.path)).toEqual(before)
  })

  test('a client that fails does not stop the others, is named, and decides the exit code', async () => {
    await using bench = await benchWithClients()
    await writeFile(bench.cursor, '{"mcpServers": ')

    const { code, printed, said } = await bench.run(connect, ['cursor', 'codex', '--yes'])

    expect(code).toBe(2)
    expect(said).toContain(`Cursor: ${bench.cursor}:1:`)
    expect(printed).toContain(`Wrote ${bench.codex}: Codex now has "capstan".`)
  })

  test('warns that tools appear twice, when Capstan has the servers and the client keeps them', async () => {
    await using bench = await benchWithClients()
    await bench.run(importCommand, ['cursor', '--all'])

    const { printed } = await bench.run(connect, ['cursor', '--dry-run'])

    expect(printed).toContain(
      'Warning: each tool of github, docs will appear twice in Cursor, because Capstan has these servers too. To move them: --move',
    )
  })

  test('a second run finds nothing to change', async () => {
    await using bench = await benchWithClients()
    await bench.run(connect, ['cursor', '--yes'])

    const { printed } = await bench.run(connect, ['cursor', '--yes'])

    expect(printed).toBe(`Cursor: ${bench.cursor} is as it should be; nothing to change.\n`)
  })

  test('import leaves the entry out', async () => {
    await using bench = await benchWithClients()
    await bench.run(connect, ['codex', '--yes', '--move'])

    const { printed } = await bench.run(importCommand, ['codex'])

    expect(printed).toContain('Codex: capstan is left out: it is Capstan itself.')
  })

  test.each<[readonly string[], string]>([
    [[], 'Say which client to connect.'],
    [['cursr'], 'There is no client "cursr". Did you mean "cursor"?'],
    [['cursor', '--mode', 'some'], '"some" is not a mode.'],
    [['cursor', '--as', 'plugin'], '--as knows "entry" and "skill", not "plugin".'],
    [['cursor', '--move', '--no-move'], '--move and --no-move exclude each other.'],
    [['cursor', '--as', 'skill', '--mode', 'all'], 'a skill has none'],
    [['cursor', '--http', 'localhost:1'], '--http wants the address of a running Capstan'],
    [['cursor', '--http', 'http://localhost:1/mcp', '--mode', 'all'], 'belong to a program that the client starts'],
    [['cursor', '--header', 'A=b'], '--header is for an address'],
    [['claude-desktop', '--as', 'skill', '--yes'], 'Claude Desktop reads no skills from the disk.'],
  ])('%j is refused: %s', async (words, message) => {
    await using bench = await benchWithClients()

    await expect(bench.run(connect, words)).rejects.toThrow(message)
  })
})

describe('--as skill', () => {
  const skillOf = (bench: Workbench, folder: string) =>
    join(bench.path, 'home', folder, 'skills', 'capstan', 'SKILL.md')

  test('writes the skill where the client reads it, leaves its file alone, and goes with the folders made for it', async () => {
    await using bench = await benchWithClients()
    const before = (await files(join(bench.path, 'home'))).filter((name) => !name.startsWith('.local'))

    await bench.run(connect, ['cursor', '--as', 'skill', '--yes'])
    const text = await textOf(skillOf(bench, '.cursor'))
    const { printed } = await bench.run(disconnect, ['cursor', '--yes'])

    expect(text).toContain('capstan search')
    expect(printed).toContain('It did not exist before, and goes.')
    const after = (await files(join(bench.path, 'home'))).filter((name) => !name.startsWith('.local'))
    expect(after).toEqual(before)
  })

  test('with --move takes the servers over as well, and both are taken back', async () => {
    await using bench = await benchWithClients()
    const before = await textOf(bench.cursor)

    await bench.run(connect, ['cursor', '--as', 'skill', '--move', '--yes'])
    const connected = JSON.parse(await textOf(bench.cursor)).mcpServers
    await bench.run(disconnect, ['cursor', '--yes'])

    expect(Object.keys(connected)).toEqual(['notes', 'capstan'])
    expect(await textOf(bench.cursor)).toBe(before)
    await expect(stat(skillOf(bench, '.cursor'))).rejects.toThrow('ENOENT')
  })

  test('that two clients read stays until both are disconnected', async () => {
    await using bench = await benchWithClients()
    await bench.run(connect, ['codex', 'zed', '--as', 'skill', '--yes'])

    const { printed } = await bench.run(disconnect, ['codex', '--yes'])
    const between = await textOf(skillOf(bench, '.agents'))
    await bench.run(disconnect, ['zed', '--yes'])

    expect(printed).toContain('Another client that is connected reads this file too, so it stays.')
    expect(between).toContain('name: capstan')
    await expect(stat(skillOf(bench, '.agents'))).rejects.toThrow('ENOENT')
  })

  test('that a person has rewritten stays; one that was there before comes back', async () => {
    await using bench = await benchWithClients()
    const [cursor, gemini] = [skillOf(bench, '.cursor'), skillOf(bench, '.gemini')]
    await mkdir(join(gemini, '..'), { recursive: true })
    await writeFile(gemini, 'mine')
    await bench.run(connect, ['cursor', 'gemini', '--as', 'skill', '--yes'])
    await writeFile(cursor, 'rewritten')

    const { printed } = await bench.run(disconnect, ['cursor', 'gemini', '--yes'])

    expect(printed).toContain('It was rewritten since, so it stays.')
    expect([await textOf(cursor), await textOf(gemini)]).toEqual(['rewritten', 'mine'])
  })
})

describe('disconnect', () => {
  test('says that the file becomes what it was, shows the difference without secrets, asks, and does it', async () => {
    await using bench = await benchWithClients()
    const before = await textOf(bench.cursor)
    await bench.run(connect, ['cursor', '--move', '--yes'])

    const { printed, said } = await bench.run(disconnect, ['cursor'], { isAtTerminal: true, types: 'yes\n' })

    expect(printed).toContain('Nobody has changed it since: it becomes what it was, byte for byte.')
    expect(printed).toContain('github: leaves Capstan.')
    expect(printed).toContain('Disconnected Cursor.')
    expect(said).toContain('Do this? [yes/no]')
    expect(printed).not.toContain(token)
    expect(await textOf(bench.cursor)).toBe(before)
  })

  test('of an edited file says what it does and where the file from before is', async () => {
    await using bench = await benchWithClients()
    await bench.run(connect, ['cursor', '--move', '--yes'])
    await writeFile(bench.cursor, (await textOf(bench.cursor)).replace('{', '{ // hello'))

    const { printed } = await bench.run(disconnect, ['cursor', '--yes'])

    expect(printed).toContain('It was changed since, so the rest of it stays as it is. "capstan" goes.')
    expect(printed).toContain('These come back: capstan, github, docs.')
    expect(await textOf(/The file from before is kept: (.*)/.exec(printed)?.[1] ?? '')).toContain(token)
    expect(await textOf(bench.cursor)).toMatch(/^\{ \/\/ hello\n/)
  })

  test('--dry-run and a write-protected file leave everything as it is, and it can be done later', async () => {
    await using bench = await benchWithClients()
    const before = await textOf(bench.cursor)
    await bench.run(connect, ['cursor', '--move', '--yes'])
    const connected = await textOf(bench.cursor)
    await bench.run(disconnect, ['cursor', '--dry-run'])
    await chmod(bench.cursor, 0o444)

    await expect(bench.run(disconnect, ['cursor', '--yes'])).rejects.toThrow('write-protected')

    expect(await textOf(bench.cursor)).toBe(connected)
    await chmod(bench.cursor, 0o644)
    const { printed } = await bench.run(disconnect, ['cursor', '--yes'], json)
    expect(JSON.parse(printed)).toMatchObject([
      { client: 'cursor', done: true, how: 'exact', leftCapstan: ['github', 'docs'] },
    ])
    expect(await textOf(bench.cursor)).toBe(before)
  })

  test('of a client that is not connected is an error with the way to connect it', async () => {
    await using bench = await benchWithClients()

    await expect(bench.run(disconnect, ['codex', '--yes'])).rejects.toThrow('Codex is not connected')
  })
})
