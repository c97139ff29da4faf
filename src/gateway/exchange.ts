import type { LoggingLevel } from '@modelcontextprotocol/server'
import type { JsonObject, Progress } from '../hub/api.ts'
import type { Askable, OnClientAsk } from './wire-asks.ts'

/** One request of a client, without the protocol it came by. */
export interface Exchange {
  /** The client's own name for itself: for the log, never for a decision. */
  readonly client: string
  readonly signal: AbortSignal
  readonly askable: Askable
  /** What the server gets to know of the request besides its arguments. */
  readonly meta: JsonObject
  /** Absent when the client wants none. */
  readonly onProgress?: (progress: Progress) => void
  readonly log: (level: LoggingLevel, text: string, server: string) => void
  /** How the client is asked in the middle of its request; absent in the modern era, where the request ends with the question. */
  readonly ask?: OnClientAsk
  /** Of the modern era: what the request says that comes again with answers. */
  readonly round?: Round
}

export interface Round {
  /** Names the request apart from its answers: the same text for the same request. */
  readonly request: string
  /** Absent in the first round. */
  readonly state?: string
  readonly answers: Readonly<Record<string, unknown>>
}
