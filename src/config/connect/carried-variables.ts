import type { ClientId } from '../import/clients.ts'
import { mapStrings } from '../import/json.ts'
import { parseTemplate, type Part } from '../template.ts'
import type { RawEntry } from '../types.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface CarriedVariables {
  readonly env: Readonly<Record<string, string>>
  /** Set here, but the client would change their values, because it fills in `$…` itself. */
  readonly changedByClient: readonly string[]
}

/**
 * What a client that was started without a shell must hand to Capstan: PATH, what says where files are kept, and the variables
 * that the servers' entries name. Pure.
 */
export function carriedVariables(client: ClientId, entries: readonly RawEntry[], env: Environment): CarriedVariables {
  const carried: [string, string][] = []
  const changedByClient: string[] = []
  for (const name of new Set([...always, ...entries.flatMap(variablesOf)])) {
    const value = name === 'PATH' ? ownPath(env) : env[name]
    if (value === undefined || value === '') continue
    if (fillsIn[client]?.test(value) === true) changedByClient.push(name)
    else carried.push([name, value])
  }
  return { env: Object.fromEntries(carried), changedByClient }
}

const always = [
  'PATH',
  ...['CONFIG_HOME', 'DATA_HOME', 'STATE_HOME', 'CACHE_HOME', 'RUNTIME_DIR'].map((name) => `XDG_${name}`),
  'CAPSTAN_DAEMON',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_ENV_PROXY',
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
]

const shellLike = /\$\{|\$env:/
const fillsIn: Readonly<Partial<Record<ClientId, RegExp>>> = {
  'claude-code': shellLike,
  cursor: shellLike,
  vscode: shellLike,
  cline: shellLike,
  windsurf: shellLike,
  pi: shellLike,
  gemini: /\$\{|\$[A-Za-z_]/,
  opencode: /\{(?:env|file):/,
}

/** The names of variables in the `${…}` of an entry, defaults included. */
function variablesOf(entry: RawEntry): readonly string[] {
  const names: string[] = []
  mapStrings(entry, (text) => {
    names.push(...namesIn(parseTemplate(text)))
    return text
  })
  return names
}

function namesIn(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => (part.kind === 'variable' ? [part.name, ...namesIn(part.fallback ?? [])] : []))
}

/** npm puts folders before the PATH of what it runs, which are nothing to others. */
function ownPath(env: Environment): string | undefined {
  const path = env['PATH'] ?? env['Path']
  if (path === undefined || (env['npm_command'] === undefined && env['npm_lifecycle_event'] === undefined)) return path
  const separator = path.includes(';') ? ';' : ':'
  return path
    .split(separator)
    .filter((folder) => !/[\\/](?:node_modules[\\/]\.bin|node-gyp-bin)[\\/]?$/.test(folder))
    .join(separator)
}
