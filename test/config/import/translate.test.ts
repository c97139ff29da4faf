import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ClientId } from '../../../src/config/import/clients.ts'
import { listServers } from '../../../src/config/import/documents.ts'
import { parseDocument } from '../../../src/config/import/parse-document.ts'
import { translateEntry } from '../../../src/config/import/translate.ts'
import { fixtureOf } from './fixture-home.ts'

const fixtures = join(import.meta.dirname, '..', '..', 'fixtures', 'clients')

async function translated(client: ClientId, fixture = fixtureOf[client]): Promise<unknown> {
  const text = await readFile(join(fixtures, fixture), 'utf8')
  const parsed = await parseDocument(fixture.endsWith('.toml') ? 'toml' : 'json', text)
  if (parsed.kind !== 'parsed') throw new Error('the fixture does not parse')
  return listServers(client, parsed.value).servers.map(({ name, raw, project }) => {
    const result = translateEntry(client, raw)
    const outcome = result.kind === 'entry' ? result.entry : result.reason
    return project === undefined ? [name, outcome] : [name, outcome, project]
  })
}

const notes = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/ada/notes'] }
const browser = { command: 'npx', args: ['@playwright/mcp@latest'] }

test('Claude Desktop: entries are taken as they are', async () => {
  expect(await translated('claude-desktop')).toEqual([
    ['filesystem', notes],
    [
      'Weather & Tides',
      { command: 'uvx', args: ['weather-mcp'], env: { WEATHER_API_KEY: 'wk9Zq2Lr7Tn4Vb1Xc6Ms3Hd8' } },
    ],
  ])
})

test('Claude Code: servers of all projects are found, milliseconds become seconds, ignored ones are dropped', async () => {
  expect(await translated('claude-code')).toEqual([
    ['filesystem', notes],
    [
      'tracker',
      {
        url: 'https://tracker.example.com/mcp',
        type: 'http',
        headers: { Authorization: 'Bearer ${TRACKER_TOKEN:-none}' },
        timeout: 120,
        maxTimeout: 120,
      },
    ],
    ['impatient', { url: 'https://events.example.com/sse', type: 'sse' }],
    ['socket', 'it is reached by ws'],
    ['shop-db', { command: 'node', args: ['./tools/db-server.js'] }, '/home/ada/code/shop'],
    ['browser', browser, '/home/ada/code/shop'],
    ['browser', browser, '/home/ada/code/blog'],
  ])
})

test('Cursor: placeholders that Capstan knows stay, and so do fields it does not know', async () => {
  expect(await translated('cursor')).toMatchObject([
    ['github', { env: { GITHUB_PERSONAL_ACCESS_TOKEN: expect.stringMatching(/^ghp_/) } }],
    ['docs', { url: 'https://docs.example.com/mcp', headers: { Authorization: 'Bearer ${env:DOCS_TOKEN}' } }],
    [
      'notes',
      {
        command: 'python',
        args: ['${workspaceFolder}/tools/notes.py', '--home', '${userHome}'],
        envFile: '${workspaceFolder}/.env',
      },
    ],
    ['capstan', { command: 'npx' }],
  ])
})

test('VS Code: servers are read from "servers", comments and trailing commas and inputs included', async () => {
  expect(await translated('vscode')).toMatchObject([
    ['github', { url: 'https://api.example.com/github/mcp', type: 'http' }],
    ['perplexity', { command: 'npx', env: { PERPLEXITY_API_KEY: '${input:perplexity-key}' }, gallery: true }],
    ['lint', { command: 'node' }],
  ])
})

test('Cline: both lists of allowed tools are joined, seconds stay, a long idle limit lifts the cap', async () => {
  expect(await translated('cline')).toEqual([
    [
      'browser',
      {
        ...browser,
        disabled: true,
        timeout: 900,
        maxTimeout: 900,
        alwaysAllow: ['browser_snapshot', 'browser_navigate'],
      },
    ],
    [
      'search',
      {
        url: 'https://search.example.com/mcp',
        type: 'http',
        headers: { 'X-Api-Key': 'q8Rt2Lm5Zx7Vb3Nc9Kd1' },
        timeout: 60,
      },
    ],
  ])
})

test('Windsurf: serverUrl is the url, disabled tools are excluded', async () => {
  expect(await translated('windsurf')).toEqual([
    ['documentation', { url: 'https://docs.example.com/mcp', headers: { Authorization: 'Bearer ${env:DOCS_TOKEN}' } }],
    [
      'vault',
      {
        command: 'vault-mcp',
        env: { VAULT_TOKEN: '${file:/home/ada/.vault-token}' },
        tools: { exclude: ['vault_delete'] },
      },
    ],
  ])
})

test('Codex: variables named in TOML become ${VAR} in headers and environment', async () => {
  expect(await translated('codex')).toEqual([
    [
      'database',
      {
        command: 'uvx',
        args: ['mcp-server-postgres', 'postgresql://ada:s3cr3t-pw@localhost/shop'],
        env: {
          PGSSLMODE: '${PGSSLMODE}',
          PGAPPNAME: '${PGAPPNAME}',
          PGOPTIONS: '-c statement_timeout=5000',
        },
        startTimeout: 20,
        timeout: 45,
        tools: { include: ['query'], exclude: ['drop'] },
      },
    ],
    [
      'figma',
      {
        url: 'https://mcp.example.com/figma',
        headers: { 'X-Region': 'eu', 'X-Team': '${FIGMA_TEAM}', Authorization: 'Bearer ${FIGMA_TOKEN}' },
      },
    ],
    ['old', { command: 'old-server', disabled: true, startTimeout: 1.5 }],
  ])
})

test('Gemini CLI: $VAR becomes ${VAR}, milliseconds seconds, trust allows every tool, excluded servers are off', async () => {
  expect(await translated('gemini')).toEqual([
    [
      'python-tools',
      {
        command: 'python',
        args: ['-m', 'tools_server', '--root', '${PROJECT_ROOT}'],
        cwd: '/home/ada/tools',
        env: { API_KEY: '${TOOLS_KEY}', DATABASE_URL: '${TOOLS_DB}' },
        timeout: 15,
        alwaysAllow: ['*'],
        tools: { include: ['read', 'search'], exclude: ['purge'] },
      },
    ],
    [
      'reports',
      {
        url: 'https://reports.example.com/mcp',
        type: 'http',
        timeout: 900,
        maxTimeout: 900,
        authProviderType: 'google_credentials',
      },
    ],
    ['experimental', { url: 'https://lab.example.com/sse', disabled: true }],
  ])
})

test('opencode: the command list is split, {env:VAR} becomes ${VAR}, switches without a server are named', async () => {
  expect(await translated('opencode')).toEqual([
    [
      'everything',
      {
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-everything'],
        env: { LOG_LEVEL: 'debug', EVERYTHING_KEY: '${EVERYTHING_KEY}' },
        startTimeout: 8,
      },
    ],
    [
      'jira',
      {
        url: 'https://jira.example.com/mcp',
        headers: { Authorization: 'Bearer {file:~/.jira-token}' },
        disabled: true,
        oauth: false,
      },
    ],
    ['from-organisation', 'it only switches a server of the organisation on or off'],
  ])
})

test('opencode 2: servers are read from mcp.servers, with both times', async () => {
  expect(await translated('opencode', 'opencode-v2.jsonc')).toEqual([
    [
      'everything',
      {
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-everything'],
        cwd: '.',
        startTimeout: 20,
        timeout: 90,
        disabled: true,
      },
    ],
  ])
})

test('Zed: custom servers of both shapes are read, those of an extension are named', async () => {
  expect(await translated('zed')).toEqual([
    ['local-files', notes],
    ['older', { command: 'old-context-server', args: ['--stdio'], env: { MODE: 'quiet' } }],
    ['remote', { url: 'https://context.example.com/mcp', headers: { Authorization: 'Bearer <token>' } }],
    ['mcp-server-github', 'it belongs to a Zed extension'],
  ])
})

test('pi: bearer tokens become a header, $env:VAR becomes ${VAR}, its own fields are kept', async () => {
  expect(await translated('pi')).toEqual([
    [
      'chrome-devtools',
      {
        command: 'npx',
        args: ['-y', 'chrome-devtools-mcp@latest'],
        lifecycle: 'keep-alive',
        tools: { exclude: ['close_page'] },
      },
    ],
    ['linear', { url: 'https://linear.example.com/mcp', headers: { Authorization: 'Bearer ${LINEAR_API_KEY}' } }],
    ['metrics', { command: 'metrics-mcp', env: { METRICS_TOKEN: '${METRICS_TOKEN}' }, cwd: '~/metrics' }],
  ])
})

test('a whole command line in "command" is split into program and arguments, a path with a space is not', () => {
  expect(translateEntry('cursor', { command: 'npx -y "a server"' })).toEqual({
    kind: 'entry',
    entry: { command: 'npx', args: ['-y', 'a server'] },
  })
  expect(translateEntry('cursor', { command: '/opt/My Server/run' })).toEqual({
    kind: 'entry',
    entry: { command: '/opt/My Server/run' },
  })
})

test('numbers and truth values in an environment become text', () => {
  expect(translateEntry('cursor', { command: 'x', env: { PORT: 8080, DEBUG: true, NOTHING: null } })).toEqual({
    kind: 'entry',
    entry: { command: 'x', env: { PORT: '8080', DEBUG: 'true' } },
  })
})

test.each([['text'], [7], [null], [['a']], [{}], [{ args: ['x'] }], [{ command: '' }], [{ url: 3 }]])(
  'an entry like %j is named as unusable, not thrown over',
  (raw) => {
    expect(translateEntry('cursor', raw).kind).toBe('unusable')
  },
)
