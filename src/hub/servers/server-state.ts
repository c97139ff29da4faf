import { unreachable } from '../../errors.ts'
import type { ServerState } from '../api.ts'
import type { ServerCopy } from './server-copy.ts'

/** The state of a server as its users see it: that of the copy that stands best. */
export function stateOfCopies(copies: readonly ServerCopy[], stderrTail: readonly string[]): ServerState {
  const best = copies.toSorted((a, b) => order.indexOf(a.life().kind) - order.indexOf(b.life().kind))[0]
  return best === undefined ? { kind: 'idle' } : stateOf(best, stderrTail)
}

const order = ['ready', 'connecting', 'idle', 'backing_off', 'needs_login', 'failed']

function stateOf(copy: ServerCopy, stderrTail: readonly string[]): ServerState {
  const life = copy.life()
  switch (life.kind) {
    case 'idle':
    case 'connecting':
      return life
    case 'ready':
      return readyState(copy, life.sinceMs)
    case 'backing_off': {
      const { error, nextTryAtMs } = life
      return { kind: 'backing_off', error: error.toJSON(), stderrTail, nextTryAtMs, failures: copy.failures() }
    }
    case 'needs_login':
      return { kind: 'needs_login', error: life.error.toJSON() }
    case 'failed':
      return { kind: 'failed', error: life.error.toJSON(), stderrTail }
    default:
      return unreachable(life)
  }
}

function readyState(copy: ServerCopy, sinceMs: number): ServerState {
  const ready = copy.ready()
  if (ready === undefined) return { kind: 'connecting', sinceMs }
  const { era, protocolVersion, transport, pid, implementation, instructions } = ready.connection
  return {
    kind: 'ready',
    era,
    protocolVersion,
    transport,
    connectMs: Math.round(ready.connectMs),
    ...(pid === undefined ? {} : { pid }),
    ...(implementation === undefined ? {} : { implementation }),
    ...(instructions === undefined ? {} : { instructions }),
  }
}
