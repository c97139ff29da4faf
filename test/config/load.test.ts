import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inlineConfig, loadConfig, type LoadOptions } from '../../src/config/load.ts'
import type { Config } from '../../src/config/types.ts'
import { tempFolder, type TempFolder } from './temp-folder.ts'

const userFile = 'home/.config/capstan/mcp.json'

function load(folder: TempFolder, options: Partial<LoadOptions> & { readonly at?: string } = {}): Promise<Config> {
  const { at = 'repo', env = {}, ...rest } = options
  const home = join(folder.path, 'home')
  return loadConfig({ cwd: join(folder.path, at), trust: () => 'trusted', ...rest, env: { HOME: home, ...env } })
}

const servers = (entries: Record<string, unknown>) => JSON.stringify({ mcpServers: entries })
const standings = (config: Config) => config.servers.map(({ name, standing }) => [name, standing.kind])

describe('layers', () => {
  test("the project's entry replaces the user's of the same name, and says so", async () => {
    await using folder = await tempFolder()
    await folder.write({
      [userFile]: servers({ a: { command: 'user-a', env: { X: '1' } }, b: { command: 'user-b' } }),
      'repo/.git/': '',
      'repo/.mcp.json': servers({ a: { command: 'project-a' } }),
    })

    const config = await load(folder)

    const [a, b] = config.servers
    expect(a).toMatchObject({
      name: 'a',
      entry: { command: 'project-a' },
      origin: { layer: 'project', file: join(folder.path, 'repo/.mcp.json') },
      standing: { kind: 'usable', server: { command: 'project-a', env: {} } },
      shadows: [{ entry: { command: 'user-a' }, origin: { layer: 'user' } }],
    })
    expect(b).toMatchObject({ name: 'b', origin: { layer: 'user', file: join(folder.path, userFile) } })
    expect(b).not.toHaveProperty('shadows')
    expect(config.files.map(({ layer }) => layer)).toEqual(['user', 'project'])
    expect(config.surroundings).toMatchObject({
      homeFolder: join(folder.path, 'home'),
      workspaceFolder: join(folder.path, 'repo'),
      currentFolder: join(folder.path, 'repo'),
    })
  })

  test('servers that the caller brings along stand beside the files, replace their namesakes and need no trust', async () => {
    await using folder = await tempFolder()
    await folder.write({
      [userFile]: servers({ mine: { command: 'user-mine' } }),
      'repo/.git/': '',
      'repo/.mcp.json': servers({ both: { command: 'project-both' }, theirs: { command: 'project-theirs' } }),
    })

    const config = await load(folder, { trust: () => 'new', servers: { both: { command: 'brought' }, odd: {} } })

    expect(standings(config)).toEqual([
      ['both', 'usable'],
      ['mine', 'usable'],
      ['odd', 'invalid'],
      ['theirs', 'untrusted'],
    ])
    expect(config.servers[0]).toMatchObject({ entry: { command: 'brought' }, origin: { layer: 'command-line' } })
  })

  test('with no files at all there are no servers, files or warnings', async () => {
    await using folder = await tempFolder()
    await folder.write({ 'repo/.git/': '' })

    expect(await load(folder)).toMatchObject({
      servers: [],
      files: [],
      warnings: [],
      settings: { catalogueSeconds: 10 },
    })
  })

  test('files named by the person replace both, count as theirs, and the later one wins', async () => {
    await using folder = await tempFolder()
    await folder.write({
      [userFile]: servers({ user: { command: 'x' } }),
      'repo/.mcp.json': servers({ project: { command: 'x' } }),
      'repo/one.json': servers({ a: { command: 'one' }, b: { command: 'one' } }),
      'two.json': servers({ a: { command: 'two' } }),
    })

    const config = await load(folder, { configFiles: ['one.json', '../two.json'], trust: () => 'new' })

    expect(config.servers.map(({ name, entry, origin }) => [name, entry['command'], origin.layer])).toEqual([
      ['a', 'two', 'user'],
      ['b', 'one', 'user'],
    ])
    expect(standings(config)).toEqual([
      ['a', 'usable'],
      ['b', 'usable'],
    ])
  })

  test('CAPSTAN_CONFIG is a list of paths that replaces both, and a flag replaces it', async () => {
    await using folder = await tempFolder()
    await folder.write({
      [userFile]: servers({ user: { command: 'x' } }),
      'repo/one.json': servers({ one: { command: 'x' } }),
      'repo/two.json': servers({ two: { command: 'x' } }),
    })
    const env = { CAPSTAN_CONFIG: ['one.json', '', join(folder.path, 'repo/two.json')].join(delimiter) }

    expect((await load(folder, { env })).servers.map(({ name }) => name)).toEqual(['one', 'two'])
    expect((await load(folder, { env, configFiles: ['two.json'] })).servers.map(({ name }) => name)).toEqual(['two'])
  })

  test('XDG_CONFIG_HOME moves the user file', async () => {
    await using folder = await tempFolder()
    await folder.write({ 'xdg/capstan/mcp.json': servers({ a: { command: 'x' } }), 'repo/': '' })

    const config = await load(folder, { env: { XDG_CONFIG_HOME: join(folder.path, 'xdg') } })

    expect(standings(config)).toEqual([['a', 'usable']])
  })
})

describe('standing', () => {
  test('one invalid entry never hides the others', async () => {
    await using folder = await tempFolder()
    await folder.write({
      [userFile]: servers({ good: { command: 'x' }, bad: { command: 5 }, off: { disabled: true }, 'b d': {}, no: 7 }),
      'repo/': '',
    })

    const config = await load(folder)

    expect(standings(config)).toEqual([
      ['b d', 'invalid'],
      ['bad', 'invalid'],
      ['good', 'usable'],
      ['no', 'invalid'],
      ['off', 'disabled'],
    ])
  })

  test.each([
    ['trusted', { kind: 'usable' }],
    ['new', { kind: 'untrusted', change: 'new' }],
    ['changed', { kind: 'untrusted', change: 'changed' }],
    ['refused', { kind: 'untrusted', change: 'refused' }],
  ] as const)('a project entry that is %s stands as %j', async (said, standing) => {
    await using folder = await tempFolder()
    const entry = { command: '${X}', extra: [1] }
    await folder.write({ [userFile]: servers({ u: { command: 'x' } }), 'repo/.mcp.json': servers({ p: entry }) })
    const asked: unknown[] = []

    const config = await load(folder, { trust: (...question) => (asked.push(question), said) })

    expect(config.servers.map((server) => server.standing)).toMatchObject([standing, { kind: 'usable' }])
    expect(asked).toEqual([[join(folder.path, 'repo/.mcp.json'), 'p', entry]])
  })

  test('an entry that would start Capstan inside Capstan is invalid, with that reason', async () => {
    await using folder = await tempFolder()
    await folder.write({
      [userFile]: servers({ me: { command: 'npx', args: ['-y', 'capstan', 'serve'] } }),
      'repo/': '',
    })

    const [me] = (await load(folder)).servers

    expect(me?.standing).toMatchObject({ kind: 'invalid', error: { code: 'config_invalid', server: 'me' } })
    expect(JSON.stringify(me?.standing)).toMatch(/inside Capstan/)
  })

  test('misspelt fields are warned about with server and file', async () => {
    await using folder = await tempFolder()
    await folder.write({ [userFile]: servers({ a: { command: 'x', arg: [] } }), 'repo/': '' })

    expect((await load(folder)).warnings).toEqual([
      `Server "a" in ${join(folder.path, userFile)}: "arg" is ignored; did you mean "args"?`,
    ])
  })
})

describe('the text of a file', () => {
  test.each([
    ['comments and trailing commas', '{\n// a\n"mcpServers": {/* b */ "a": {"command": "x",},},}'],
    ['a byte order mark', `\uFEFF${servers({ a: { command: 'x' } })}`],
    ['a byte order mark and comments', `\uFEFF// hi\n${servers({ a: { command: 'x' } })}`],
    ['"servers", as VS Code has it', '{"servers": {"a": {"command": "x"}}}'],
    ['both, where mcpServers wins', '{"servers": {"b": {"command": "x"}}, "mcpServers": {"a": {"command": "x"}}}'],
  ])('may have %s', async (_, text) => {
    await using folder = await tempFolder()
    await folder.write({ 'repo/x.json': text })

    expect(standings(await load(folder, { configFiles: ['x.json'] }))).toEqual([['a', 'usable']])
  })

  test.each([
    ['', []],
    [' \n', []],
    ['{}', []],
    ['{"mcpServers": {}}', []],
    ['{"mcpservers": {"a": {}}}', [expect.stringMatching(/has no "mcpServers", so it adds no servers/)]],
  ])('%j holds no servers', async (text, warnings) => {
    await using folder = await tempFolder()
    await folder.write({ [userFile]: text, 'repo/': '' })

    expect(await load(folder)).toMatchObject({ servers: [], warnings })
  })

  test.each([
    [userFile, '{\n  "mcpServers": {\n    "a": }\n}', 3, 10],
    ['repo/.mcp.json', '{"mcpServers": {"a": {} "b": {}}}', 1, 25],
    ['repo/.mcp.json', '// only this', 1, 13],
  ])('%s with %j is refused at its line and column', async (file, text, line, column) => {
    await using folder = await tempFolder()
    await folder.write({ 'repo/': '', [file]: text })

    await expect(load(folder)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining(`${join(folder.path, file)}:${line}:${column}: `) as string,
      next: expect.stringContaining(`line ${line}`) as string,
    })
  })

  test.each([['[]'], ['"x"'], ['{"mcpServers": []}'], ['{"servers": 5}']])('%s has the wrong shape', async (text) => {
    await using folder = await tempFolder()
    await folder.write({ [userFile]: text, 'repo/': '' })

    await expect(load(folder)).rejects.toMatchObject({ code: 'config_bad_type' })
  })

  test.each([
    ['strict', '{"mcpServers": {"a": {"__proto__": {"command": "evil"}}, "__proto__": {"command": "evil"}}}'],
    ['with comments', '{"mcpServers": {"a": {"__proto__": {"command": "evil"}}} /**/}'],
  ])('"__proto__" in JSON %s gives an entry nothing that its own fields do not show', async (_, text) => {
    await using folder = await tempFolder()
    await folder.write({ [userFile]: text, 'repo/': '' })

    const outcome = await load(folder).then(standings, (error: unknown) => error)

    if (Array.isArray(outcome)) expect(new Map(outcome).get('a')).toBe('invalid')
    else expect(outcome).toMatchObject({ code: 'config_invalid' })
  })

  test('a named file that does not exist is an error that tells who named it', async () => {
    await using folder = await tempFolder()
    await folder.write({ 'repo/': '' })

    const missing = join(folder.path, 'repo/no.json')
    const message = (who: string) => `${who} names ${missing}, which does not exist.`
    await expect(load(folder, { configFiles: ['no.json'] })).rejects.toThrow(message('--config'))
    await expect(load(folder, { env: { CAPSTAN_CONFIG: missing } })).rejects.toThrow(message('CAPSTAN_CONFIG'))
  })

  test('a file that is there but cannot be read is an error', async () => {
    await using folder = await tempFolder()
    await folder.write({ [`${userFile}/`]: '', 'repo/': '' })

    await expect(load(folder)).rejects.toMatchObject({ code: 'config_invalid' })
  })

  test('the inputs that a file declares come with the config', async () => {
    await using folder = await tempFolder()
    const inputs = [
      { type: 'promptString', id: 'key', description: 'The key', password: true },
      { type: 'pickString', id: 'region', options: ['eu', { label: 'US', value: 'us' }], default: 'eu' },
      { type: 'promptString' },
      7,
    ]
    await folder.write({ 'repo/x.json': JSON.stringify({ inputs, servers: {} }) })
    const file = join(folder.path, 'repo/x.json')

    expect((await load(folder, { configFiles: ['x.json'] })).inputs).toEqual([
      { id: 'key', file, description: 'The key', isSecret: true },
      { id: 'region', file, isSecret: false, default: 'eu', options: ['eu', 'us'] },
    ])
  })
})

describe('servers on the command line', () => {
  test.each([
    [{ stdio: 'node "my server.js" --x' }, 'node', { command: 'node', args: ['my server.js', '--x'] }],
    [{ stdio: '/opt/bin/my.server' }, 'my-server', { command: '/opt/bin/my.server', args: [] }],
    [{ stdio: 'C:\\tools\\srv.exe' }, 'srv', { command: 'C:\\tools\\srv.exe' }],
    [{ url: 'https://mcp.example.com:8443/mcp' }, 'mcp-example-com', { url: 'https://mcp.example.com:8443/mcp' }],
    [{ url: 'http://localhost', headers: { A: 'b' } }, 'localhost', { headers: { A: 'b' } }],
  ])('%j is one server that replaces all files, broken ones too', async (adhoc, name, entry) => {
    await using folder = await tempFolder()
    await folder.write({ [userFile]: '{', 'repo/': '' })

    const config = await load(folder, { adhoc })

    expect(config.servers).toMatchObject([
      { name, entry, origin: { layer: 'command-line' }, standing: { kind: 'usable' } },
    ])
    expect(config.servers[0]?.origin).not.toHaveProperty('file')
  })

  test.each([
    [{ stdio: 'x', url: 'http://x' }, /cannot be used together/],
    [{ stdio: ' ' }, /names no command/],
    [{ headers: { A: 'b' } }, /--header needs --url/],
    [{ stdio: 'a "b' }, /never closed/],
  ])('%j is a usage error', async (adhoc, message) => {
    await using folder = await tempFolder()
    await folder.write({ 'repo/': '' })

    const loading = load(folder, { adhoc })

    await expect(loading).rejects.toMatchObject({ code: 'usage', message: expect.stringMatching(message) as string })
  })
})

describe('a config made by a program', () => {
  test('has its entries judged like those of files, and needs no trust', () => {
    const config = inlineConfig({ b: { command: 'x' }, a: { url: 'nowhere' } }, { env: { HOME: '/h' }, cwd: '/w' })

    expect(standings(config)).toEqual([
      ['a', 'invalid'],
      ['b', 'usable'],
    ])
    expect(config.surroundings).toEqual({
      env: { HOME: '/h' },
      homeFolder: '/h',
      workspaceFolder: '/w',
      currentFolder: '/w',
    })
  })

  test('takes environment and folder from the process where none are given', () => {
    expect(inlineConfig({}).surroundings.currentFolder).toBe(process.cwd())
  })
})
