import type { OwnTool } from '../../config/types.ts'
import { CapstanError, stopped, unreachable } from '../../errors.ts'
import type { ExecOutcome } from '../../sandbox/api.ts'
import type { JsonObject, JsonValue } from '../api.ts'
import { errorInFile } from './read-own-tool.ts'
import { isObject } from '../../json.ts'

/** What a run of an own tool is to its caller: a result as any server's. Limits and cancelling are failures of the call. */
export function ownToolResult(
  outcome: ExecOutcome,
  { name, file }: OwnTool,
  signal: AbortSignal | undefined,
): JsonObject {
  switch (outcome.kind) {
    case 'returned':
      return resultOf(outcome.value)
    case 'threw':
      return { ...textResult(errorInFile(outcome.error, file)), isError: true }
    case 'deadlock':
      return { ...textResult(`The tool my.${name} waits for a promise that nothing can settle.`), isError: true }
    case 'limit':
      // Not `timed_out`, which is a server that is silent: this one has answered.
      throw new CapstanError('limit_exceeded', `The tool my.${name} was ended: ${outcome.message}`, {
        server: 'my',
        ...(outcome.limit === 'time' ? { next: 'Allow more time with --timeout SECONDS.' } : {}),
      })
    case 'cancelled':
      throw stopped(signal ?? AbortSignal.abort(), `the call of my.${name}`, 'my')
    default:
      return unreachable(outcome)
  }
}

function resultOf(value: JsonValue): JsonObject {
  if (isResult(value)) return value
  if (typeof value === 'string') return textResult(value)
  const text = textResult(JSON.stringify(value))
  return isObject(value) ? { ...text, structuredContent: value } : text
}

const resultKeys: ReadonlySet<string> = new Set(['content', 'structuredContent', 'isError', '_meta', 'resultType'])

/** A result in the protocol's own form, such as another tool's `raw` gives, is passed on as it is. */
function isResult(value: JsonValue): value is JsonObject {
  if (!isObject(value) || !Array.isArray(value['content'])) return false
  const isKnown = Object.keys(value).every((key) => resultKeys.has(key))
  return isKnown && value['content'].every((block) => isObject(block) && typeof block['type'] === 'string')
}

function textResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }] }
}
