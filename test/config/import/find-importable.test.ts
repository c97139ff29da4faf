import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parseEntry } from '../../../src/config/entry.ts'
import { clientFiles, clientIds } from '../../../src/config/import/clients.ts'
import { findImportable } from '../../../src/config/import/find-importable.ts'
import { fixtureHome, placeFixture } from './fixture-home.ts'

test('every client that is installed is found, and nothing where none is', async () => {
  await using full = await fixtureHome(clientIds)
  await using empty = await fixtureHome()

  const table = await findImportable(full)

  expect(new Set(table.rows.flatMap((row) => row.sources.map((source) => source.client)))).toEqual(new Set(clientIds))
  expect(table.problems).toEqual([])
  expect(await findImportable(empty)).toEqual({ rows: [], leftOut: [], problems: [] })
})

test('the same server in several clients is one row, whatever its name and however its variables are written', async () => {
  await using home = await fixtureHome(['claude-code', 'claude-desktop', 'cursor', 'windsurf', 'zed'])

  const { rows } = await findImportable(home)
  const sourcesOf = (name: string) =>
    rows.find((row) => row.name === name)?.sources.map((source) => `${source.client}:${source.name}`)

  expect(sourcesOf('filesystem')).toEqual(['claude-code:filesystem', 'claude-desktop:filesystem', 'zed:local-files'])
  expect(sourcesOf('docs')).toEqual(['cursor:docs', 'windsurf:documentation'])
  expect(sourcesOf('browser')).toEqual(['claude-code:browser', 'claude-code:browser'])
})

test('different servers of one name get distinct names', async () => {
  await using home = await fixtureHome(['cursor', 'vscode'])

  const { rows } = await findImportable(home)

  expect(rows.filter((row) => row.sources[0].name === 'github').map((row) => row.name)).toEqual([
    'github',
    'github-vscode',
  ])
})

test('a name that does not fit becomes a slug, and the row says so', async () => {
  await using home = await fixtureHome(['claude-desktop'])

  const { rows } = await findImportable(home)

  expect(rows[1]).toMatchObject({
    name: 'Weather-Tides',
    notes: expect.arrayContaining([{ kind: 'renamed', from: 'Weather & Tides' }]),
  })
})

test('a server that is on in one client counts as on', async () => {
  await using home = await fixtureHome(['claude-code', 'cline'])

  const { rows } = await findImportable(home)

  expect(rows.find((row) => row.name === 'browser')?.entry['disabled']).toBeUndefined()
})

test('every entry found is one that Capstan accepts, without a warning', async () => {
  await using home = await fixtureHome(clientIds)

  const { rows } = await findImportable(home)
  const warnings = rows.flatMap(({ name, entry }) => parseEntry(entry, { name, file: '/mcp.json' }).warnings)

  expect(warnings).toEqual([])
})

test('literal tokens are flagged, masked', async () => {
  await using home = await fixtureHome(['cursor', 'cline', 'codex'])

  const table = await findImportable(home)
  const secrets = table.rows.flatMap((row) => row.notes.filter((note) => note.kind === 'secret'))

  expect(secrets).toEqual([
    { kind: 'secret', field: 'env', label: 'GITHUB_PERSONAL_ACCESS_TOKEN', masked: 'ghp_****' },
    { kind: 'secret', field: 'headers', label: 'X-Api-Key', masked: 'q8Rt****' },
    { kind: 'secret', field: 'args', label: 'password', masked: '****' },
  ])
})

test('placeholders are flagged where their form is unknown, their variable unset, or an input is asked for', async () => {
  await using home = await fixtureHome(['cursor', 'vscode', 'windsurf', 'opencode'])

  const { rows } = await findImportable({ ...home, env: { ...home.env, EVERYTHING_KEY: 'set' } })
  const notesOf = (name: string) => rows.find((row) => row.name === name)?.notes

  expect(notesOf('docs')).toEqual([{ kind: 'unset-variables', variables: ['DOCS_TOKEN'] }])
  expect(notesOf('notes')).toEqual([{ kind: 'env-file', path: '${workspaceFolder}/.env' }])
  expect(notesOf('perplexity')).toEqual([{ kind: 'input', id: 'perplexity-key' }])
  expect(notesOf('lint')).toEqual([
    { kind: 'unknown-placeholder', text: '${fileBasename}' },
    { kind: 'unknown-placeholder', text: '${config:lint.level}' },
  ])
  expect(notesOf('vault')).toEqual([{ kind: 'unknown-placeholder', text: '${file:/home/ada/.vault-token}' }])
  expect(notesOf('jira')).toContainEqual({ kind: 'unknown-placeholder', text: '{file:~/.jira-token}' })
  expect(notesOf('everything')).toEqual([])
})

test('an entry that would start Capstan itself is left out and named as such', async () => {
  await using home = await fixtureHome(['cursor'])

  const table = await findImportable(home)

  expect(table.rows.map((row) => row.name)).not.toContain('capstan')
  expect(table.leftOut).toMatchObject([
    { source: { client: 'cursor', name: 'capstan' }, reason: 'it is Capstan itself' },
  ])
})

test('a server of one project keeps its folder where its paths are relative, and only there', async () => {
  await using home = await fixtureHome(['claude-code'])

  const { rows } = await findImportable(home)

  expect(rows.find((row) => row.name === 'shop-db')?.entry['cwd']).toBe('/home/ada/code/shop')
  expect(rows.find((row) => row.name === 'browser')).toMatchObject({
    entry: { command: 'npx', args: ['@playwright/mcp@latest'] },
    notes: [{ kind: 'folders', folders: ['/home/ada/code/shop', '/home/ada/code/blog'] }],
  })
  expect(rows.find((row) => row.name === 'browser')?.entry).not.toHaveProperty('cwd')
})

test('a file of the project is found from a folder below, and its servers are marked as the project own', async () => {
  await using home = await fixtureHome()
  await placeFixture('cursor-project.json', join(home.cwd, '.cursor', 'mcp.json'))
  await mkdir(join(home.cwd, '.git'))
  await mkdir(join(home.cwd, 'src'))

  const { rows } = await findImportable({ ...home, cwd: join(home.cwd, 'src') })

  expect(rows).toMatchObject([{ name: 'local-helper', scope: 'project' }])
})

test.each([
  ['cursor', '{\n  "mcpServers": {\n    "a": {"command": "x"},,\n  }\n}', { line: 3, column: 27 }],
  ['codex', '[mcp_servers.a]\ncommand = "x\n', { line: 2, column: 13 }],
  ['gemini', '{"mcpServers": []}', {}],
  ['zed', '[]', {}],
] as const)('a broken file of %s is reported with its place and hides no other client', async (client, text, place) => {
  await using home = await fixtureHome(['pi'])
  const path = clientFiles(client, home)[0]?.path ?? ''
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)

  const table = await findImportable(home)

  expect(table.problems).toMatchObject([{ client, file: path, ...place }])
  expect(table.rows.map((row) => row.name)).toEqual(['chrome-devtools', 'linear', 'metrics'])
})

test('the report of a broken file shows nothing of what stands in it', async () => {
  await using home = await fixtureHome()
  const path = join(home.home, '.codex', 'config.toml')
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, '[mcp_servers.a.env]\nTOKEN = ghp_Kd93jfLq02mZx81Vb7Rt5Yw6\n')

  const { problems } = await findImportable(home)

  expect(JSON.stringify(problems)).not.toContain('ghp_Kd93')
})

test('an empty file, a file with a byte order mark and a folder in the place of a file do no harm', async () => {
  await using home = await fixtureHome()
  const write = async (path: string, text: string) => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  await write(join(home.home, '.cursor', 'mcp.json'), '')
  await write(join(home.home, '.gemini', 'settings.json'), '\uFEFF{"mcpServers": {"a": {"command": "x"}}}')
  await mkdir(join(home.home, '.claude.json'))

  const table = await findImportable(home)

  expect(table.rows.map((row) => row.name)).toEqual(['a'])
  expect(table.problems.map((problem) => problem.client)).toEqual(['claude-code'])
})

test('no parser is loaded where no file exists', async () => {
  await using home = await fixtureHome()
  const module = join(import.meta.dirname, '..', '..', '..', 'src', 'config', 'import', 'find-importable.ts')
  // Whatever Node loads below node_modules is printed by this hook.
  const script = `
    import { registerHooks } from 'node:module'
    registerHooks({ load: (url, context, next) => { if (url.includes('node_modules')) console.log(url); return next(url, context) } })
    const { findImportable } = await import(${JSON.stringify(module)})
    await findImportable(${JSON.stringify({ env: {}, platform: 'linux', home: home.home, cwd: home.cwd })})
  `

  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })

  expect({ stdout, status }).toEqual({ stdout: '', status: 0 })
})
