import { isIP } from 'node:net'
import { CapstanError } from '../../errors.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

/** Reads `PORT`, `HOST:PORT` or `[IPv6]:PORT`; without a host only this machine can come. */
export function readAddress(text: string): Address {
  const match = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (match === null || port > 65_535) {
    throw new CapstanError('usage', `"${text}" is not an address to listen on.`, {
      next: 'Write a port, or a host and a port: --http 7332, --http 127.0.0.1:7332, --http [::1]:7332',
    })
  }
  return { host: match[1] ?? match[2] ?? '127.0.0.1', port }
}

/** Whether only programs of this machine can reach an address. A name is taken for foreign: it can come to mean anything. */
export function isLoopback(host: string): boolean {
  const kind = isIP(host)
  if (kind === 4) return host.startsWith('127.')
  if (kind === 6) return host === '::1' || host.toLowerCase().startsWith('::ffff:127.')
  return host === 'localhost'
}

/** As it stands in a URL. */
export function urlOf({ host, port }: Address): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}
