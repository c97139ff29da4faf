import { expect, test } from 'vitest'
import { clientFiles, clientIds, type ClientId } from '../../../src/config/import/clients.ts'

const at = {
  linux: { env: {}, platform: 'linux', home: '/home/ada', cwd: '/proj' },
  darwin: { env: {}, platform: 'darwin', home: '/Users/ada', cwd: '/proj' },
  win32: {
    env: { APPDATA: String.raw`C:\Users\ada\AppData\Roaming` },
    platform: 'win32',
    home: String.raw`C:\Users\ada`,
    cwd: String.raw`C:\work`,
  },
} as const

const places: readonly (readonly [ClientId, keyof typeof at, string])[] = [
  ['claude-desktop', 'linux', '/home/ada/.config/Claude/claude_desktop_config.json'],
  ['claude-desktop', 'darwin', '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json'],
  ['claude-desktop', 'win32', String.raw`C:\Users\ada\AppData\Roaming\Claude\claude_desktop_config.json`],
  ['claude-code', 'linux', '/home/ada/.claude.json'],
  ['claude-code', 'win32', String.raw`C:\Users\ada\.claude.json`],
  ['cursor', 'darwin', '/Users/ada/.cursor/mcp.json'],
  ['cursor', 'linux', '/proj/.cursor/mcp.json'],
  ['vscode', 'linux', '/home/ada/.config/Code/User/mcp.json'],
  ['vscode', 'darwin', '/Users/ada/Library/Application Support/Code/User/mcp.json'],
  ['vscode', 'win32', String.raw`C:\Users\ada\AppData\Roaming\Code\User\mcp.json`],
  ['vscode', 'win32', String.raw`C:\work\.vscode\mcp.json`],
  ['cline', 'linux', '/home/ada/.cline/data/settings/cline_mcp_settings.json'],
  [
    'cline',
    'darwin',
    '/Users/ada/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
  ],
  ['windsurf', 'linux', '/home/ada/.codeium/windsurf/mcp_config.json'],
  ['codex', 'win32', String.raw`C:\Users\ada\.codex\config.toml`],
  ['gemini', 'linux', '/home/ada/.gemini/settings.json'],
  ['opencode', 'darwin', '/Users/ada/.config/opencode/opencode.json'],
  ['zed', 'linux', '/home/ada/.config/zed/settings.json'],
  ['zed', 'darwin', '/Users/ada/.config/zed/settings.json'],
  ['zed', 'win32', String.raw`C:\Users\ada\AppData\Roaming\Zed\settings.json`],
  ['pi', 'linux', '/home/ada/.pi/agent/mcp.json'],
]

test.each(places)('%s on %s is looked for at %s', (client, platform, path) => {
  expect(clientFiles(client, at[platform]).map((file) => file.path)).toContain(path)
})

test('the variables that move a client its files are followed', () => {
  const env = {
    XDG_CONFIG_HOME: '/x',
    CODEX_HOME: '/codex',
    CLAUDE_CONFIG_DIR: '/claude',
    OPENCODE_CONFIG: '/oc.json',
    CLINE_DATA_DIR: '/cline',
    PI_CODING_AGENT_DIR: '/pi',
  }
  const paths = clientIds.flatMap((client) => clientFiles(client, { ...at.linux, env })).map((file) => file.path)

  expect(paths).toEqual(
    expect.arrayContaining([
      '/x/Claude/claude_desktop_config.json',
      '/x/Code/User/mcp.json',
      '/x/zed/settings.json',
      '/x/opencode/opencode.json',
      '/codex/config.toml',
      '/claude/.claude.json',
      '/oc.json',
      '/cline/settings/cline_mcp_settings.json',
      '/pi/mcp.json',
    ]),
  )
})

test('a file of the project is told apart from the person own one, except in the home folder itself', () => {
  expect(clientFiles('cursor', at.linux)).toEqual([
    { client: 'cursor', path: '/home/ada/.cursor/mcp.json', scope: 'user' },
    { client: 'cursor', path: '/proj/.cursor/mcp.json', scope: 'project' },
  ])
  expect(clientFiles('cursor', { ...at.linux, cwd: '/home/ada' })).toEqual([
    { client: 'cursor', path: '/home/ada/.cursor/mcp.json', scope: 'user' },
  ])
})
