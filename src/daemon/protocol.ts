import type { ClientId } from '../config/import/clients.ts'
import type { RawEntry } from '../config/types.ts'
import type { Ask } from '../hub/api.ts'

/** The version of the language on the socket; both ends must speak the same. */
export const protocolVersion = 1

/** The methods of a Hub that can be asked for over the socket. */
export const hubMethods = [
  'servers',
  'catalogue',
  'call',
  'prompt',
  'complete',
  'read',
  'subscribe',
  'unsubscribe',
  'search',
  'exec',
  'control',
  'logs',
] as const

/** A question to the client, about a request of its own that named an answerer. */
export interface AskMessage {
  readonly answerer: number
  readonly ask: Ask
}

/** Who calls, from where, and with which environment: a hub serves each caller as if it ran in the caller's own process. */
export interface Caller {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Files named with `--config`. */
  readonly configFiles?: readonly string[]
  /** Clients whose own files of servers count besides ours. */
  readonly clients?: readonly ClientId[]
  /** Servers that stand in no file: the caller brings them along. */
  readonly servers?: Readonly<Record<string, RawEntry>>
  readonly trustProject?: boolean
  /** Callers of the same name share servers that are one client's own. */
  readonly client: string
}

/** The first message of a client. */
export interface Hello {
  readonly protocol: number
  readonly version: string
  readonly caller?: Caller
  /** Whether there is somebody to ask for the value of an `${input:id}`. */
  readonly answersInputs?: boolean
}

/** The answer to it. */
export interface Welcome {
  readonly protocol: number
  readonly version: string
  /** What the caller's config gives reason to say. */
  readonly warnings: readonly string[]
}
