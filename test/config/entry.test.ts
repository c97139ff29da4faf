import { expect, test } from 'vitest'
import { parseEntry } from '../../src/config/entry.ts'
import { CapstanError } from '../../src/errors.ts'

const file = '/home/ada/.config/capstan/mcp.json'
const parse = (raw: unknown, name = 'everything') => parseEntry(raw, { name, file })

function failureOf(run: () => unknown): CapstanError {
  try {
    run()
  } catch (error) {
    if (error instanceof CapstanError) return error
    throw error
  }
  throw new Error('it did not fail')
}

test('a command alone gets every default', () => {
  expect(parse({ command: 'node' })).toEqual({
    warnings: [],
    server: {
      transport: 'stdio',
      command: 'node',
      args: [],
      env: {},
      disabled: false,
      timeout: 60,
      maxTimeout: 600,
      startTimeout: 30,
      lifecycle: 'lazy',
      idle: 600,
      share: 'all',
      replicas: 1,
      retry: 'safe',
      sampling: false,
      roots: false,
      alwaysAllow: [],
      trustHints: false,
      deny: [],
      tools: { include: [], exclude: [] },
    },
  })
})

test('every field of a program is read', () => {
  const entry = {
    type: 'stdio',
    command: 'node',
    args: ['server.js', ''],
    env: { A: 'b', PORT: 3000, VERBOSE: true },
    cwd: '../x',
    disabled: true,
    timeout: 5,
    maxTimeout: 7.5,
    startTimeout: 3,
    lifecycle: 'eager',
    idle: 30,
    share: 'client',
    replicas: 3,
    retry: 'never',
    concurrency: 4,
    fallback: 'other',
    sampling: true,
    roots: true,
    alwaysAllow: ['read_*'],
    trustHints: true,
    deny: ['delete_*'],
    tools: { include: ['*'], exclude: ['x'] },
    description: 'hi',
  }

  const { server, warnings } = parse(entry)

  const { type: _, ...rest } = entry
  expect(server).toEqual({ ...rest, transport: 'stdio', env: { A: 'b', PORT: '3000', VERBOSE: 'true' } })
  expect(warnings).toEqual([])
})

test.each([
  ['http', 'http'],
  ['streamable-http', 'http'],
  ['streamableHttp', 'http'],
  ['sse', 'sse'],
  [undefined, undefined],
])('a url of type %j connects as %j', (type, expected) => {
  const { server } = parse({
    url: 'https://x.example/mcp',
    headers: { A: 'b' },
    ...(type === undefined ? {} : { type }),
  })

  expect(server).toMatchObject({ transport: 'remote', url: 'https://x.example/mcp', headers: { A: 'b' } })
  expect('type' in server ? server.type : undefined).toBe(expected)
})

test('several addresses are one server with copies', () => {
  const { server } = parse({ urls: ['https://a.example/mcp', 'https://b.example/mcp'] })

  expect(server).toMatchObject({ url: 'https://a.example/mcp', otherUrls: ['https://b.example/mcp'] })
})

test.each([
  [undefined, undefined],
  [false, false],
  [{}, { grant: 'code' }],
  [
    { clientId: 'a', scopes: ['x', 'y'] },
    { grant: 'code', clientId: 'a', scopes: ['x', 'y'] },
  ],
  [
    { scope: 'x  y', callbackPort: 80 },
    { grant: 'code', scopes: ['x', 'y'], callbackPort: 80 },
  ],
  [{ grant: 'client_credentials', authorizationUrl: 'https://other.example' }, { grant: 'client_credentials' }],
])('oauth %j of a remote server is read as %j without a warning', (oauth, expected) => {
  const { server, warnings } = parse({ url: 'https://x', ...(oauth === undefined ? {} : { oauth }) })

  expect(server).toMatchObject(expected === undefined ? {} : { oauth: expected })
  expect('oauth' in server).toBe(expected !== undefined)
  expect(warnings).toEqual([])
})

test.each([
  [true, undefined, /"oauth" must be an object or false, but is true; it is ignored/],
  [
    { clientId: 5, issuer: 'https://a' },
    { issuer: 'https://a' },
    /"oauth.clientId" must be a text, but is the number 5/,
  ],
  [{ callbackPort: 70_000 }, { grant: 'code' }, /"oauth.callbackPort" must be a port/],
  [{ grant: 'password' }, { grant: 'code' }, /"oauth.grant" must be "code" or "client_credentials"/],
  [{ scopes: [1] }, { grant: 'code' }, /"oauth.scopes" must be a list of texts/],
  [{ clientSecrt: 'x' }, { grant: 'code' }, /"clientSecrt" is ignored; did you mean "clientSecret"\?/],
])('oauth %j, which we cannot read, only warns', (oauth, expected, warning) => {
  const { server, warnings } = parse({ url: 'https://x', oauth })

  expect(server).toMatchObject(expected === undefined ? {} : { oauth: expected })
  expect(warnings).toEqual([expect.stringMatching(warning)])
})

test.each([
  [{}, 'config_missing_field', /neither "command" nor "url"/, /Add "command"/],
  [{ comand: 'node' }, 'config_missing_field', /neither/, /Rename "comand" to "command"/],
  [{ serverUrl: 'https://x' }, 'config_missing_field', /neither/, /Rename "serverUrl" to "url"/],
  [{ command: 'a', url: 'https://x' }, 'config_invalid', /both "command" and "url"/, /not both/],
  [{ url: 'https://x', urls: ['https://y'] }, 'config_invalid', /both "url" and "urls"/, /not both/],
  [{ urls: [] }, 'config_invalid', /everything\.urls is empty/, /at least one/],
  [{ urls: ['https://x', 'ftp://y'] }, 'config_invalid', /not an address/, /Correct/],
  [{ command: 'a', replicas: 0 }, 'config_invalid', /everything\.replicas must be a whole number/, /Correct/],
  [{ command: 'a', concurrency: 1.5 }, 'config_invalid', /everything\.concurrency must be a whole/, /Correct/],
  [{ command: 'a', type: 'http' }, 'config_invalid', /"type" does not go with "command"/, /Remove "type"/],
  [{ url: 'https://x', type: 'stdio' }, 'config_invalid', /"type" does not go with "url"/, /Remove "type"/],
  [{ url: 'https://x', type: 'ws' }, 'config_invalid', /type must be "http" or "sse", but is "ws"/, /Correct/],
  [{ url: 'https://x', type: 3 }, 'config_bad_type', /everything\.type must be a text, but is the number 3/, /Correct/],
  [{ command: 5 }, 'config_bad_type', /everything\.command must be a text, but is the number 5/, /Correct/],
  [{ command: ' ' }, 'config_invalid', /everything\.command is empty/, /Name the program/],
  [
    { command: 'a', args: 'b' },
    'config_bad_type',
    /everything\.args must be a list of texts, but is a text/,
    /Correct/,
  ],
  [
    { command: 'a', args: ['b', 3] },
    'config_bad_type',
    /everything\.args\[1\] must be a text, but is the number 3/,
    /C/,
  ],
  [{ command: 'a', args: ['a\0b'] }, 'config_invalid', /everything\.args\[0\] holds a NUL/, /Remove/],
  [{ command: 'a', env: [] }, 'config_bad_type', /everything\.env must be an object, but is a list/, /Correct/],
  [{ command: 'a', env: { X: null } }, 'config_bad_type', /everything\.env\.X must be a text, but is null/, /Correct/],
  [{ command: 'a', env: { 'X=Y': '' } }, 'config_invalid', /"X=Y", which cannot be the name of a variable/, /Correct/],
  [{ command: 'a', cwd: {} }, 'config_bad_type', /everything\.cwd must be a text, but is an object/, /Correct/],
  [{ command: 'a', disabled: 'yes' }, 'config_bad_type', /disabled must be true or false, but is a text/, /Correct/],
  [{ command: 'a', timeout: '5' }, 'config_bad_type', /timeout must be a number of seconds, but is a text/, /Correct/],
  [{ command: 'a', timeout: 0 }, 'config_invalid', /timeout must be seconds, more than 0/, /default/],
  [{ command: 'a', maxTimeout: 1e10 }, 'config_invalid', /at most 2000000/, /default/],
  [{ command: 'a', deny: 'x' }, 'config_bad_type', /deny must be a list of texts/, /Correct/],
  [{ command: 'a', tools: 5 }, 'config_bad_type', /tools must be an object, but is the number 5/, /Correct/],
  [{ command: 'a', tools: { include: [1] } }, 'config_bad_type', /everything\.tools\.include\[0\] must be a text/, /C/],
  [{ command: 'a', description: false }, 'config_bad_type', /description must be a text, but is false/, /Correct/],
  [{ url: 'x.example/mcp' }, 'config_invalid', /url is not an address/, /Correct/],
  [{ url: 'ftp://x.example' }, 'config_invalid', /url is not an address/, /Correct/],
  [{ url: 'https://x', headers: { 'a b': '' } }, 'config_invalid', /"a b", which cannot be the name of a header/, /C/],
  ['npx server', 'config_bad_type', /everything must be an object, but is a text/, /Correct/],
  [null, 'config_bad_type', /everything must be an object, but is null/, /Correct/],
])('%j is refused with %s, the path and the next step', (raw, code, message, next) => {
  const error = failureOf(() => parse(raw))

  expect(error.code).toBe(code)
  expect(error.message).toMatch(message)
  expect(error.message).toContain(file)
  expect(error.server).toBe('everything')
  expect(error.next).toMatch(next)
})

test('an error never shows the text of a value, which may be a secret', () => {
  const secret = 'ghp_abcdefghijklmnop'

  const errors = [
    failureOf(() => parse({ command: 'a', args: secret })),
    failureOf(() => parse({ command: 'a', env: secret })),
    failureOf(() => parse({ url: `x?key=${secret}` })),
    failureOf(() => parse({ url: 'https://x', headers: { Authorization: [secret] } })),
  ]

  expect(errors.map((error) => `${error.message}${error.next}`).join()).not.toContain('ghp_')
})

test.each([
  ['my server', 'my-server'],
  ['a.b', 'a-b'],
  ['mcp', 'mcp-server'],
  ['__proto__', 'proto__'],
])('the name %j is refused with the suggestion %j', (name, slug) => {
  const error = failureOf(() => parse({ command: 'node' }, name))

  expect(error.code).toBe('config_invalid')
  expect(error.next).toContain(`"${slug}"`)
})

test.each([
  [{ comand: 'x' }, /"comand" is ignored; did you mean "command"\?/],
  [{ agrs: [] }, /did you mean "args"\?/],
  [{ enviroment: {} }, /did you mean "env"\?/],
  [{ environment: {} }, /did you mean "env"\?/],
  [{ Cwd: '.' }, /did you mean "cwd"\?/],
  [{ start_timeout: 5 }, /did you mean "startTimeout"\?/],
  [{ alwaysAlow: [] }, /did you mean "alwaysAllow"\?/],
  [{ disable: true }, /did you mean "disabled"\?/],
  [{ excludeTools: [] }, /did you mean "tools.exclude"\?/],
  [{ tools: { exlude: [] } }, /did you mean "exclude"\?/],
  [{ headers: {} }, /"headers" is only for servers with a "url"/],
  [{ timeout: 60000 }, /"timeout" is in seconds: 60000 is more than an hour/],
  [{ timeout: 90, maxTimeout: 30 }, /"maxTimeout" is below "timeout"/],
  [{ timeout: 3600 }, undefined],
])('%j beside a command warns as %s', (fields, warning) => {
  const { warnings } = parse({ command: 'node', ...fields })

  if (warning === undefined) return expect(warnings).toEqual([])
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(warning)
  expect(warnings[0]).toContain(`Server "everything" in ${file}: `)
})

test('fields of other clients and remarks are no mistakes', () => {
  const foreign = ['autoApprove', 'gallery', 'icon', 'enabled', 'trust', 'oauth', 'autostart', 'envFile', 'dev', 'id']
  const entry = Object.fromEntries([...foreign, '_note', '//', '$schema', 'x-team', 'somethingNew'].map((f) => [f, 1]))

  expect(parse({ command: 'node', ...entry }).warnings).toEqual([])
})

test('a list under "tools" is what to include', () => {
  const { server } = parse({ command: 'node', tools: ['read_*'] })

  expect(server.tools).toEqual({ include: ['read_*'], exclude: [] })
})

test('a longer idle limit lifts the default cap with it', () => {
  expect(parse({ command: 'node', timeout: 900 }).server).toMatchObject({ timeout: 900, maxTimeout: 900 })
})
