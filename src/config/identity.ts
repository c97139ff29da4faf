import { createHash } from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'
import type { ServerConfig } from './types.ts'

/** A hash of what is run or reached, after `${…}`: callers with the same identity can share one server. */
export function serverIdentity(resolved: ServerConfig): string {
  return createHash('sha256')
    .update(canonicalJson(whatIsRun(resolved)))
    .digest('hex')
}

function whatIsRun(server: ServerConfig): unknown {
  if (server.transport === 'stdio') {
    const { command, args, env, cwd, replicas } = server
    return { command, args, env, cwd, ...(replicas === 1 ? {} : { replicas }) }
  }
  const { url, otherUrls, headers, type, oauth } = server
  return {
    url,
    headers,
    type,
    ...(otherUrls.length === 0 ? {} : { otherUrls }),
    ...(oauth === undefined ? {} : { oauth }),
  }
}
