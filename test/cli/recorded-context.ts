import type { Command, CommandContext, CommandInput, GlobalFlags, Io } from '../../src/cli/command.ts'
import type { Config } from '../../src/config/types.ts'
import type { Hub } from '../../src/hub/api.ts'

export interface Recorded {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface Setting {
  readonly hub?: Hub
  readonly config?: Config
  readonly flags?: Partial<GlobalFlags>
  readonly io?: Partial<Io>
  readonly values?: CommandInput['values']
  readonly positionals?: readonly string[]
}

/** Runs a command against the given hub and config, and keeps what it printed. */
export async function record(command: Command, setting: Setting): Promise<Recorded> {
  let out = ''
  let err = ''
  const io: Io = {
    out: async (data) => {
      out += typeof data === 'string' ? data : Buffer.from(data).toString()
    },
    err: (text) => {
      err += text
    },
    readStdin: async () => '',
    env: {},
    cwd: '/',
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    stdinIsTerminal: false,
    columns: 80,
    ...setting.io,
  }
  const code = await command.run(contextOf(setting, io), {
    values: setting.values ?? {},
    positionals: setting.positionals ?? [],
  })
  return { code, out, err }
}

function contextOf({ hub, config, flags }: Setting, io: Io): CommandContext {
  const open = async () => {
    if (hub === undefined) throw new Error('this command must not open a hub')
    return hub
  }
  return {
    io,
    flags: {
      json: false,
      config: [],
      header: [],
      mayAsk: false,
      debug: false,
      trustProject: false,
      noDaemon: true,
      ...flags,
    },
    signal: new AbortController().signal,
    loadConfig: async () => config ?? configOf([]),
    openHub: open,
    openCatalogue: open,
  }
}

export function configOf(servers: Config['servers'], rest: Partial<Config> = {}): Config {
  return {
    servers,
    settings: { catalogueSeconds: 10 },
    surroundings: { env: {}, homeFolder: '/', workspaceFolder: '/', currentFolder: '/' },
    files: [],
    warnings: [],
    ...rest,
  }
}
