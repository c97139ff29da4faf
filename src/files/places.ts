import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** Where Capstan keeps its files. Every path is absolute; nothing is created by asking. */
export interface Places {
  readonly config: string
  readonly data: string
  readonly state: string
  readonly cache: string
  readonly runtime: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The XDG folders of the given environment; a relative value is ignored, as the XDG specification demands. */
export function places(env: Environment): Places {
  const home = homeFolder(env)
  const state = xdg(env['XDG_STATE_HOME'], join(home, '.local', 'state'))
  return {
    config: xdg(env['XDG_CONFIG_HOME'], join(home, '.config')),
    data: xdg(env['XDG_DATA_HOME'], join(home, '.local', 'share')),
    state,
    cache: xdg(env['XDG_CACHE_HOME'], join(home, '.cache')),
    runtime: absolute(env['XDG_RUNTIME_DIR']) === undefined ? state : xdg(env['XDG_RUNTIME_DIR'], ''),
  }
}

export function homeFolder(env: Environment): string {
  // The platform's own answer is empty too where HOME is set to nothing.
  return absolute(env['HOME']) ?? absolute(env['USERPROFILE']) ?? absolute(homedir()) ?? userInfo().homedir
}

function xdg(value: string | undefined, fallback: string): string {
  return join(absolute(value) ?? fallback, 'capstan')
}

function absolute(value: string | undefined): string | undefined {
  return value !== undefined && isAbsolute(value) ? value : undefined
}
