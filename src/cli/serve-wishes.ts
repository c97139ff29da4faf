import { CapstanError } from '../errors.ts'
import type { CommandInput } from './command.ts'

/** What the command line asks for. */
export interface ServeWishes {
  readonly http?: string
  readonly mode?: 'auto' | 'all' | 'meta' | 'code'
  readonly servers: readonly string[]
  readonly tools: readonly string[]
  readonly deny: readonly string[]
  readonly ask: readonly string[]
  readonly profile?: string
  readonly hasPrefix: boolean
  readonly isOwn: boolean
  readonly tokenFile?: string
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
  readonly auditArguments: boolean
}

export function readWishes(values: CommandInput['values']): ServeWishes {
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined)
  const list = (name: string) => {
    const given = values[name]
    return Array.isArray(given) ? given.map(String) : []
  }
  const [http, profile, tokenFile] = [text('http'), text('profile'), text('token-file')]
  const mode = modeOf(text('mode'))
  return {
    ...(http === undefined ? {} : { http }),
    ...(mode === undefined ? {} : { mode }),
    servers: list('servers').flatMap((names) => names.split(',').map((name) => name.trim())),
    tools: [...list('tools'), ...list('allow')],
    deny: list('deny'),
    ask: list('ask'),
    ...(profile === undefined ? {} : { profile }),
    hasPrefix: values['no-prefix'] !== true,
    isOwn: values['own'] === true,
    ...(tokenFile === undefined ? {} : { tokenFile }),
    hosts: list('allow-host'),
    origins: list('allow-origin'),
    auditArguments: values['audit-arguments'] === true,
  }
}

function modeOf(text: string | undefined): ServeWishes['mode'] {
  if (text === undefined) return undefined
  const mode = (['auto', 'all', 'meta', 'code'] as const).find((word) => word === text)
  if (mode !== undefined) return mode
  throw new CapstanError('usage', `--mode is auto, all, meta or code, not "${text}".`)
}
