import type { Adhoc } from '../config/adhoc.ts'
import { loadTrustedConfig } from '../config/load-trusted.ts'
import type { Config, RawEntry } from '../config/types.ts'
import { CapstanError } from '../errors.ts'
import type { GlobalFlags, Io } from './command.ts'

/** The config of this command: flags, layers and trust, with servers that stand in no file. */
export function loadCommandConfig(
  io: Pick<Io, 'env' | 'cwd'>,
  flags: GlobalFlags,
  servers: Readonly<Record<string, RawEntry>> = {},
): Promise<Config> {
  return loadTrustedConfig({
    env: io.env,
    cwd: io.cwd,
    trustProject: flags.trustProject,
    servers,
    ...(flags.config.length === 0 ? {} : { configFiles: flags.config }),
    ...adhocOf(flags),
  })
}

function adhocOf({ stdio, url, header }: GlobalFlags): { readonly adhoc?: Adhoc } {
  if (stdio === undefined && url === undefined && header.length === 0) return {}
  const headers = Object.fromEntries(header.map(splitHeader))
  return { adhoc: { ...(stdio === undefined ? {} : { stdio }), ...(url === undefined ? {} : { url }), headers } }
}

/** `Name=value`, and `Name: value` as curl writes it. */
function splitHeader(text: string): readonly [string, string] {
  const [, name, value] = /^([^=:\s]+)\s*[=:]\s*(.*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new CapstanError('usage', `--header wants NAME=VALUE, not "${text}".`)
}
