import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ToolCallLocation } from '@agentclientprotocol/sdk'
import type { JsonObject, JsonValue } from '../../hub/values.ts'

/** The files that a call is about, so that an editor can follow: arguments that are named like paths and lead to something. */
export function locationsOf(input: JsonObject): ToolCallLocation[] {
  const line = ['line', 'line_number', 'lineNumber'].map((name) => input[name]).find(isLine)
  const paths = Object.entries(input).flatMap(([name, value]) => (pathNames.test(name) ? textsIn(value) : []))
  const found = [...new Set(paths.flatMap(pathOf))].filter((path) => !isRemote.test(path) && existsSync(path))
  return found.slice(0, mostLocations).map((path) => ({ path, ...(isLine(line) ? { line } : {}) }))
}

const pathNames = /^(?:.*[_-])?(?:path|paths|file|files|filename|uri|source|destination)$|(?:Path|Paths|File|Uri)$/
const mostLocations = 20

/** `\\server\share`: looking there would introduce this person to a machine that a model named. */
const isRemote = /^[\\/]{2}/

function textsIn(value: JsonValue | undefined): readonly string[] {
  const values = Array.isArray(value) ? value : [value]
  return values.filter((one) => typeof one === 'string')
}

/** Where a relative path counts from is known to the server alone. */
function pathOf(text: string): readonly string[] {
  if (isAbsolute(text)) return [text]
  if (!text.startsWith('file://')) return []
  try {
    return [fileURLToPath(text)]
  } catch {
    // Another machine's, or not an address at all.
    return []
  }
}

function isLine(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
