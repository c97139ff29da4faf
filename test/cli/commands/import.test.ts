import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { parseArgs } from 'node:util'
import { expect, test } from 'vitest'
import type { CommandContext } from '../../../src/cli/command.ts'
import { command } from '../../../src/cli/commands/import.ts'
import { clientIds, type ClientId } from '../../../src/config/import/clients.ts'
import { readTrust, standingOf } from '../../../src/config/trust.ts'
import { CapstanError } from '../../../src/errors.ts'
import { fixtureHome, placeFixture, type FixtureHome } from '../../config/import/fixture-home.ts'

// The command asks the real platform for its places, so these tests put files where every platform looks.
const everywhere: readonly ClientId[] = ['cursor', 'codex', 'gemini', 'pi']
const secrets = ['ghp_Kd93jfLq02mZx81Vb7Rt5Yw6Nh4Pc2Ts0Ga', 's3cr3t-pw']

interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function run(home: FixtureHome, args: readonly string[], answers?: string): Promise<Run> {
  const said = { out: '', err: '' }
  const stdin = new PassThrough()
  if (answers !== undefined) stdin.write(answers)
  const { values, positionals } = parseArgs({
    args: args.filter((arg) => arg !== '--json'),
    options: command.options,
    allowPositionals: true,
  })
  const context: CommandContext = {
    io: {
      out: async (text) => void (said.out += text),
      err: (text) => void (said.err += text),
      readStdin: async () => '',
      stdin,
      env: { ...home.env, USERPROFILE: home.home },
      cwd: home.cwd,
      stdoutIsTerminal: false,
      stderrIsTerminal: false,
      stdinIsTerminal: false,
      columns: 80,
    },
    flags: {
      json: args.includes('--json'),
      config: [],
      header: [],
      mayAsk: answers !== undefined,
      debug: false,
      trustProject: false,
      noDaemon: true,
    },
    signal: new AbortController().signal,
    loadConfig: () => Promise.reject(new Error('import needs no config')),
    openHub: () => Promise.reject(new Error('import starts nothing')),
    openCatalogue: () => Promise.reject(new Error('import looks at nothing')),
  }
  const code = await command.run(context, { values, positionals })
  return { code, ...said }
}

const userFile = (home: FixtureHome) => join(home.home, '.config', 'capstan', 'mcp.json')
const secretsFile = (home: FixtureHome) => join(home.home, '.config', 'capstan', 'secrets.env')
const names = async (file: string) => Object.keys(JSON.parse(await readFile(file, 'utf8')).mcpServers)
const exists = async (file: string) =>
  await stat(file).then(
    () => true,
    () => false,
  )

test('without flags it shows the table and one next command, and writes nothing', async () => {
  await using home = await fixtureHome(everywhere)
  const before = await readdir(home.home, { recursive: true })

  const { code, out } = await run(home, [])

  expect(code).toBe(0)
  expect(out).toMatch(/^github +npx -y @modelcontextprotocol\/server-github +Cursor$/m)
  expect(out).toContain('a secret in plain text: GITHUB_PERSONAL_ACCESS_TOKEN (ghp_****)')
  expect(out).toContain('Cursor: capstan is left out: it is Capstan itself.')
  expect(out.trimEnd().split('\n').at(-1)).toBe('Next: capstan import --all --move-secrets')
  expect(await readdir(home.home, { recursive: true })).toEqual(before)
})

test('--all copies every server into the file of the user, which only they can read', async () => {
  await using home = await fixtureHome(everywhere)

  const { code, out } = await run(home, ['--all'])

  expect(code).toBe(0)
  expect(out).toContain('Next: capstan list')
  const copied = 'github docs notes database figma old python-tools reports experimental chrome-devtools linear metrics'
  expect(await names(userFile(home))).toEqual(copied.split(' '))
  expect((await stat(userFile(home))).mode & 0o777).toBe(0o600)
})

test('naming clients and servers narrows what is copied', async () => {
  await using home = await fixtureHome(everywhere)

  await run(home, ['cursor', 'pi', '--servers', 'docs,linear'])

  expect(await names(userFile(home))).toEqual(['docs', 'linear'])
})

test('a second run finds everything already there', async () => {
  await using home = await fixtureHome(everywhere)
  await run(home, ['--all', '--move-secrets'])
  const first = await readFile(userFile(home), 'utf8')

  const { out } = await run(home, ['--all', '--move-secrets'])

  expect(out).toMatch(/^Nothing was copied\.\nAlready there: github, /)
  expect(await readFile(userFile(home), 'utf8')).toBe(first)
})

test('an entry of the user is never overwritten: it is named, or with --rename the new one gets a number', async () => {
  await using home = await fixtureHome(['cursor'])
  const mine = '{\n  // mine\n  "mcpServers": { "docs": { "command": "mine" } }\n}\n'
  await mkdir(dirname(userFile(home)), { recursive: true })
  await writeFile(userFile(home), mine)

  const refused = await run(home, ['--servers', 'docs'])
  const untouched = await readFile(userFile(home), 'utf8')
  const renamed = await run(home, ['--servers', 'docs', '--rename'])

  expect(refused).toMatchObject({ code: 2, out: expect.stringContaining('"docs" is there already with another entry') })
  expect(untouched).toBe(mine)
  expect(renamed).toMatchObject({ code: 0, out: expect.stringContaining('docs as docs-2') })
  expect(await readFile(userFile(home), 'utf8')).toMatch(/\/\/ mine[^]*"command": "mine"[^]*"docs-2"/)
})

test('--move-secrets leaves only ${NAME} in the entries and shows no secret anywhere', async () => {
  await using home = await fixtureHome(everywhere)

  const { out, err } = await run(home, ['--all', '--move-secrets'])
  const config = await readFile(userFile(home), 'utf8')
  const moved = await readFile(secretsFile(home), 'utf8')

  for (const secret of secrets) {
    expect(config + out + err).not.toContain(secret)
    expect(moved).toContain(`'${secret}'`)
  }
  expect(config).toContain('${GITHUB_PERSONAL_ACCESS_TOKEN}')
  expect(config).toContain('postgresql://ada:${DATABASE_PASSWORD}@localhost/shop')
  expect(out).toContain(`set -a; . ${secretsFile(home)}; set +a`)
  expect((await stat(secretsFile(home))).mode & 0o777).toBe(0o600)
})

test('without --move-secrets it says which copied servers hold secrets', async () => {
  await using home = await fixtureHome(everywhere)

  const { out } = await run(home, ['--all'])

  expect(out).toContain(
    'Secrets stand in plain text in github, database. To take them out: capstan import --all --move-secrets',
  )
  expect(await exists(secretsFile(home))).toBe(false)
})

test('--move-secrets takes the secrets out of what an earlier import has copied too, and keeps the notes in the file', async () => {
  await using home = await fixtureHome(everywhere)
  await run(home, ['--all'])
  const copied = await readFile(userFile(home), 'utf8')
  await writeFile(userFile(home), copied.replace('"github": {', '"github": { // mine'))

  const { out } = await run(home, ['--all', '--move-secrets'])
  const config = await readFile(userFile(home), 'utf8')

  expect(out).toMatch(/^Nothing was copied\.\nAlready there: github, [^]*\nMoved 2 secrets to /)
  for (const secret of secrets) expect(config).not.toContain(secret)
  expect(config).toContain('"github": { // mine')
  expect(config).toContain('${GITHUB_PERSONAL_ACCESS_TOKEN}')
})

test('on a terminal it asks what to copy and whether to move the secrets', async () => {
  await using home = await fixtureHome(everywhere)

  const { code, err } = await run(home, [], 'github, docs\nyes\n')

  expect(code).toBe(0)
  expect(err).toContain('Copy which servers')
  expect(await names(userFile(home))).toEqual(['github', 'docs'])
  expect(await readFile(secretsFile(home), 'utf8')).toContain('GITHUB_PERSONAL_ACCESS_TOKEN=')
})

test('on a terminal a mistyped name is asked about again, and after three times it is an error', async () => {
  await using home = await fixtureHome(everywhere)

  const { code, err } = await run(home, [], 'githb\ngithub\nno\n')
  const giveUp = run(home, [], 'githb\nxyz\n,\n')

  expect(code).toBe(0)
  expect(err).toContain('No client has a server "githb". Closest: github.')
  expect(await names(userFile(home))).toEqual(['github'])
  await expect(giveUp).rejects.toMatchObject({ code: 'server_unknown' })
})

test('on a terminal an empty answer copies nothing', async () => {
  await using home = await fixtureHome(everywhere)

  const { code, err } = await run(home, [], '\n')

  expect(code).toBe(0)
  expect(err).toContain('Nothing was copied.')
  expect(await exists(userFile(home))).toBe(false)
})

test('servers that come with the project are copied by --all only into the project, and stay to be approved there', async () => {
  await using home = await fixtureHome(['pi'])
  await placeFixture('cursor-project.json', join(home.cwd, '.cursor', 'mcp.json'))
  const projectFile = join(home.cwd, '.mcp.json')

  const toUser = await run(home, ['--all'])
  const toProject = await run(home, ['--all', '--project'])
  const trust = await readTrust(join(home.home, '.local', 'state', 'capstan', 'trust.json'))
  const entries = JSON.parse(await readFile(projectFile, 'utf8')).mcpServers
  const standing = (name: string) => standingOf(trust, projectFile, name, entries[name])

  expect(toUser.err).toContain('Not copied, because this project brought them: local-helper.')
  expect(await names(userFile(home))).toEqual(['chrome-devtools', 'linear', 'metrics'])
  expect(Object.keys(entries)).toContain('local-helper')
  expect(toProject.out).toContain('Next: capstan review')
  expect([standing('local-helper'), standing('linear')]).toEqual(['new', 'trusted'])
})

test('--json prints the table as one value, masked', async () => {
  await using home = await fixtureHome(everywhere)

  const { out } = await run(home, ['--json'])
  const table = JSON.parse(out)

  expect(table.servers[0]).toMatchObject({
    name: 'github',
    sources: [{ client: 'cursor' }],
    entry: { env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_****' } },
  })
  for (const secret of secrets) expect(out).not.toContain(secret)
})

test('--json prints what was copied as one value', async () => {
  await using home = await fixtureHome(['cursor'])

  const { out } = await run(home, ['--all', '--move-secrets', '--json'])

  expect(JSON.parse(out)).toEqual({
    file: userFile(home),
    copied: ['github', 'docs', 'notes'].map((name) => ({ name, clients: ['cursor'] })),
    alreadyThere: [],
    leftOut: [],
    secrets: { file: secretsFile(home), variables: ['GITHUB_PERSONAL_ACCESS_TOKEN'] },
  })
})

test('where no client has servers it says so, with a command that adds one', async () => {
  await using home = await fixtureHome()

  expect(await run(home, [])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/No servers to import[^]*Next: capstan add/),
  })
})

test('where no client has servers, copying all copies none and copying a named one is an error', async () => {
  await using home = await fixtureHome()

  const { out } = await run(home, ['--all', '--json'])

  expect(JSON.parse(out)).toMatchObject({ copied: [] })
  await expect(run(home, ['--servers', 'docs'])).rejects.toMatchObject({ code: 'server_unknown' })
})

test('a broken file is told on stderr while the others are copied, and is an error when nothing else was asked for', async () => {
  await using home = await fixtureHome(['pi'])
  await mkdir(join(home.home, '.cursor'))
  await writeFile(join(home.home, '.cursor', 'mcp.json'), '{')

  const { code, err } = await run(home, ['--all'])

  expect(code).toBe(0)
  expect(err).toMatch(/^Cursor: .*mcp\.json:1:2 cannot be read/)
  expect(await names(userFile(home))).toHaveLength(3)
  await expect(run(home, ['cursor'])).rejects.toMatchObject({ code: 'config_invalid' })
})

test('escape sequences in a name or a command do not reach the terminal', async () => {
  await using home = await fixtureHome()
  await mkdir(join(home.home, '.cursor'))
  const hostile = { mcpServers: { 'a\u001B[2J': { command: 'x\u001B]0;title\u0007', args: ['\u202Eevil'] } } }
  await writeFile(join(home.home, '.cursor', 'mcp.json'), JSON.stringify(hostile))

  const { out } = await run(home, [])

  for (const character of ['\u001B', '\u202E', '\u0007']) expect(out).not.toContain(character)
})

test.each([
  [['curser'], 'usage', 'Did you mean "cursor"?'],
  [['--servers', 'githib'], 'server_unknown', 'Closest: github'],
  [['--all', '--servers', 'a'], 'usage', 'exclude each other'],
  [['--rename'], 'usage', 'nothing is to be copied'],
] as const)('%j is refused with the reason', async (args, code, message) => {
  await using home = await fixtureHome(['cursor'])

  const error = await run(home, args).catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(CapstanError)
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
})

test('every client in the help can be named', async () => {
  await using home = await fixtureHome()

  for (const client of clientIds) expect(await run(home, [client])).toMatchObject({ code: 0 })
})
