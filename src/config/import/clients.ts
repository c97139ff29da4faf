import { posix, win32 } from 'node:path'

/** What the places of other clients depend on. `cwd` is the project's folder. */
export interface ImportSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly cwd: string
}

export type ClientId = keyof typeof clients

export interface ClientFile {
  readonly client: ClientId
  readonly path: string
  /** A project's file came with the project: nobody on this machine need have written it. */
  readonly scope: 'user' | 'project'
}

interface Client {
  readonly title: string
  readonly aliases: readonly string[]
  readonly files: (at: Folders) => { readonly user: readonly string[]; readonly project?: readonly string[] }
  /** Its folder of the person's own skills; absent where it reads none from the disk. */
  readonly skills?: (at: Folders) => string
}

/** Clients whose servers can be imported, in the order in which they name a server that several of them have. */
export const clients = {
  'claude-code': {
    title: 'Claude Code',
    aliases: ['claude'],
    files: ({ env, home, join }) => ({ user: [join(env['CLAUDE_CONFIG_DIR'] ?? home, '.claude.json')] }),
    skills: ({ env, home, join }) => join(env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude'), 'skills'),
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    aliases: [],
    files: ({ appData, join }) => ({ user: [join(appData, 'Claude', 'claude_desktop_config.json')] }),
  },
  cursor: {
    title: 'Cursor',
    aliases: [],
    files: ({ home, project, join }) => ({
      user: [join(home, '.cursor', 'mcp.json')],
      project: [join(project, '.cursor', 'mcp.json')],
    }),
    skills: ({ home, join }) => join(home, '.cursor', 'skills'),
  },
  vscode: {
    title: 'VS Code',
    aliases: ['code', 'vs-code', 'copilot'],
    files: ({ appData, project, join }) => ({
      user: ['Code', 'Code - Insiders', 'VSCodium'].map((product) => join(appData, product, 'User', 'mcp.json')),
      project: [join(project, '.vscode', 'mcp.json')],
    }),
    skills: ({ home, join }) => join(home, '.copilot', 'skills'),
  },
  cline: {
    title: 'Cline',
    aliases: [],
    files: ({ appData, env, home, join }) => ({
      user: [
        join(env['CLINE_DATA_DIR'] ?? join(home, '.cline', 'data'), 'settings', 'cline_mcp_settings.json'),
        ...['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'].map((product) =>
          join(
            appData,
            product,
            'User',
            'globalStorage',
            'saoudrizwan.claude-dev',
            'settings',
            'cline_mcp_settings.json',
          ),
        ),
      ],
    }),
    skills: ({ home, join }) => join(home, '.cline', 'skills'),
  },
  windsurf: {
    title: 'Windsurf',
    aliases: ['codeium'],
    // The editor and the plugins for other editors keep separate files.
    files: ({ home, join }) => ({
      user: [join(home, '.codeium', 'windsurf', 'mcp_config.json'), join(home, '.codeium', 'mcp_config.json')],
    }),
    skills: ({ home, join }) => join(home, '.codeium', 'windsurf', 'skills'),
  },
  codex: {
    title: 'Codex',
    aliases: [],
    files: ({ env, home, project, join }) => ({
      user: [join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml')],
      project: [join(project, '.codex', 'config.toml')],
    }),
    skills: ({ home, join }) => join(home, '.agents', 'skills'),
  },
  gemini: {
    title: 'Gemini CLI',
    aliases: ['gemini-cli'],
    files: ({ home, project, join }) => ({
      user: [join(home, '.gemini', 'settings.json')],
      project: [join(project, '.gemini', 'settings.json')],
    }),
    skills: ({ home, join }) => join(home, '.gemini', 'skills'),
  },
  opencode: {
    title: 'opencode',
    aliases: [],
    files: ({ env, xdgConfig, project, join }) => ({
      user: [
        ...(env['OPENCODE_CONFIG'] === undefined ? [] : [env['OPENCODE_CONFIG']]),
        join(xdgConfig, 'opencode', 'opencode.json'),
        join(xdgConfig, 'opencode', 'opencode.jsonc'),
      ],
      project: [
        'opencode.json',
        'opencode.jsonc',
        join('.opencode', 'opencode.json'),
        join('.opencode', 'opencode.jsonc'),
      ].map((file) => join(project, file)),
    }),
    skills: ({ xdgConfig, join }) => join(xdgConfig, 'opencode', 'skills'),
  },
  zed: {
    title: 'Zed',
    aliases: [],
    files: ({ platform, appData, home, xdgConfig, project, join }) => ({
      // On macOS Zed uses ~/.config whatever XDG_CONFIG_HOME says.
      user: [
        platform === 'win32'
          ? join(appData, 'Zed', 'settings.json')
          : join(platform === 'darwin' ? join(home, '.config') : xdgConfig, 'zed', 'settings.json'),
      ],
      project: [join(project, '.zed', 'settings.json')],
    }),
    skills: ({ home, join }) => join(home, '.agents', 'skills'),
  },
  pi: {
    title: 'pi',
    aliases: [],
    files: ({ env, home, project, join }) => ({
      user: [
        join(env['PI_CODING_AGENT_DIR'] ?? join(home, '.pi', 'agent'), 'mcp.json'),
        join(home, '.config', 'mcp', 'mcp.json'),
      ],
      project: [join(project, '.pi', 'mcp.json')],
    }),
    skills: ({ env, home, join }) => join(env['PI_CODING_AGENT_DIR'] ?? join(home, '.pi', 'agent'), 'skills'),
  },
} as const satisfies Record<string, Client>

export const clientIds = Object.keys(clients).filter(isClientId)

function isClientId(name: string): name is ClientId {
  return Object.hasOwn(clients, name)
}

/** Where a client keeps its servers on this platform: nothing is read, and the files need not exist. */
export function clientFiles(client: ClientId, surroundings: ImportSurroundings): readonly ClientFile[] {
  const { user, project = [] }: ReturnType<Client['files']> = clients[client].files(foldersOf(surroundings))
  const ofUser = [...new Set(user)]
  // In the home folder both are the same file, and then it is the person's own.
  const ofProject = project.filter((path) => !ofUser.includes(path))
  return [
    ...ofUser.map((path) => ({ client, path, scope: 'user' as const })),
    ...ofProject.map((path) => ({ client, path, scope: 'project' as const })),
  ]
}

/** Where a client reads the person's own skills on this platform; undefined where it reads none from the disk. */
export function skillsFolder(client: ClientId, surroundings: ImportSurroundings): string | undefined {
  const { skills }: Client = clients[client]
  return skills?.(foldersOf(surroundings))
}

interface Folders extends Omit<ImportSurroundings, 'cwd'> {
  readonly join: (...parts: string[]) => string
  /** Where desktop programs keep their settings. */
  readonly appData: string
  readonly xdgConfig: string
  readonly project: string
}

function foldersOf({ env, platform, home, cwd }: ImportSurroundings): Folders {
  const paths = platform === 'win32' ? win32 : posix
  const join = (...parts: string[]): string => paths.join(...parts)
  const set = (name: string): string | undefined => {
    const value = env[name]
    return value !== undefined && paths.isAbsolute(value) ? value : undefined
  }
  const xdgConfig = set('XDG_CONFIG_HOME') ?? join(home, '.config')
  const appData =
    platform === 'win32'
      ? (set('APPDATA') ?? join(home, 'AppData', 'Roaming'))
      : platform === 'darwin'
        ? join(home, 'Library', 'Application Support')
        : xdgConfig
  return { env, platform, home, join, appData, xdgConfig, project: cwd }
}
