import type { ConfiguredServer, ServerConfig } from '../../config/types.ts'
import type { LogLine } from '../../hub/api.ts'
import type { ServerGroup } from '../render/server-group.ts'

/** A `problem` makes doctor exit with 1; a `note` is worth knowing and stops nothing. */
export interface Finding {
  readonly level: 'problem' | 'note'
  readonly what: string
  readonly mend: string
}

export interface Fact {
  readonly label: string
  readonly value: string
}

export interface Report {
  readonly facts: readonly Fact[]
  readonly findings: readonly Finding[]
}

export interface ServerReport extends Report {
  readonly name: string
  /** The last lines the server wrote to stderr, when something is wrong with it. */
  readonly stderrTail: readonly string[]
}

/** Everything known about one server. */
export interface Evidence {
  readonly group: ServerGroup
  /** Absent for a server that is in no file. */
  readonly configured?: ConfiguredServer | undefined
  /** The entry as its file has it: a filled-in `${TOKEN}` has no place in a report. */
  readonly server?: ServerConfig | undefined
  /** The file its command runs; absent when it was not found. */
  readonly commandFile?: string | undefined
  readonly logs: readonly LogLine[]
}
