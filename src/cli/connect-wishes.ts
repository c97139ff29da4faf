import { gatewayModes, type GatewayMode } from '../config/connect/gateway-entry.ts'
import { clientIds, type ClientId } from '../config/import/clients.ts'
import { CapstanError } from '../errors.ts'
import { clientNamed } from './client-named.ts'
import type { CommandContext, CommandInput } from './command.ts'
import { pairs } from './entry-from-arguments.ts'

/** What a person asked `capstan connect` for. */
export interface ConnectWishes {
  readonly clients: readonly ClientId[]
  readonly form: 'entry' | 'skill'
  readonly address?: { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  /** The client's own when absent. */
  readonly mode?: GatewayMode
  /** Undecided when absent. */
  readonly move?: boolean
  readonly carriesVariables: boolean
}

/** Reads the arguments of `capstan connect`; what contradicts itself or would do nothing is refused. */
export function connectWishes({ flags }: CommandContext, { values, positionals }: CommandInput): ConnectWishes {
  const form = formOf(values['as'])
  const mode = modeOf(values['mode'])
  const address = addressOf(values['http'], flags.header)
  const carriesVariables = values['no-variables'] !== true
  if (values['move'] === true && values['no-move'] === true)
    throw new CapstanError('usage', '--move and --no-move exclude each other.')
  if (form === 'skill' && (mode !== undefined || address !== undefined || !carriesVariables))
    throw new CapstanError('usage', '--http, --mode and --no-variables are for an entry; a skill has none.')
  if (address !== undefined && (mode !== undefined || !carriesVariables)) {
    throw new CapstanError('usage', '--mode and --no-variables belong to a program that the client starts.', {
      next: 'Give --mode to the "capstan serve" that listens at the address.',
    })
  }
  return {
    clients: clientsNamed(positionals, 'connect'),
    form,
    ...(address === undefined ? {} : { address }),
    ...(mode === undefined ? {} : { mode }),
    ...(values['move'] === true ? { move: true } : values['no-move'] === true ? { move: false } : {}),
    carriesVariables,
  }
}

/** The clients that were named, each once; naming none is a mistake. */
export function clientsNamed(words: readonly string[], verb: string): readonly ClientId[] {
  if (words.length === 0) {
    throw new CapstanError('usage', `Say which client to ${verb}.`, { next: `Known clients: ${clientIds.join(', ')}.` })
  }
  return [...new Set(words.map(clientNamed))]
}

function formOf(value: CommandInput['values'][string]): ConnectWishes['form'] {
  if (value === undefined || value === 'entry') return 'entry'
  if (value === 'skill') return 'skill'
  throw new CapstanError('usage', `--as knows "entry" and "skill", not "${String(value)}".`)
}

function modeOf(value: CommandInput['values'][string]): GatewayMode | undefined {
  const mode = gatewayModes.find((known) => known === value)
  if (mode !== undefined || value === undefined) return mode
  throw new CapstanError('usage', `"${String(value)}" is not a mode.`, { next: `Modes: ${gatewayModes.join(', ')}.` })
}

function addressOf(value: CommandInput['values'][string], headers: readonly string[]): ConnectWishes['address'] {
  if (value === undefined) {
    if (headers.length > 0) throw new CapstanError('usage', '--header is for an address: give --http too.')
    return undefined
  }
  const url = URL.parse(String(value))
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CapstanError('usage', `--http wants the address of a running Capstan, not "${String(value)}".`, {
      next: 'Write it in full, such as http://127.0.0.1:4100/mcp.',
    })
  }
  return { url: url.href, headers: pairs(headers, { flag: '--header', separator: /=|:\s+/ }) }
}
