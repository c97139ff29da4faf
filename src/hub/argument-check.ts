import type { JsonObject, ToolEntry } from './api.ts'
import type { SchemaCheck } from './arguments/check-arguments.ts'

/**
 * Checks arguments as a call does, for hosts that want to know before they ask a person about it. Throws `arguments_invalid`. The
 * validator is loaded with the first check.
 */
export function argumentCheck(): (tool: ToolEntry, args: JsonObject) => Promise<void> {
  let loading: Promise<SchemaCheck> | undefined
  return async (tool, args) => {
    loading ??= import('./arguments/check-arguments.ts').then(({ schemaCheck }) => schemaCheck())
    const check = await loading
    check.assertArguments(tool, args)
  }
}
