import type { LoggingLevel } from '@modelcontextprotocol/server'

const levels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** Takes apart what the hub's log says of a message: its level stands before a colon. */
export function toLevel(line: string): { readonly level: LoggingLevel; readonly text: string } {
  const end = line.indexOf(': ')
  const level = levels.find((one) => one === line.slice(0, end))
  return level === undefined ? { level: 'info', text: line } : { level, text: line.slice(end + 2) }
}

/** Whether a client that wants to hear of a level, and of those above it, wants to hear of this one. */
export function isWanted(level: LoggingLevel, wanted: LoggingLevel | undefined): boolean {
  return wanted === undefined || levels.indexOf(level) >= levels.indexOf(wanted)
}
