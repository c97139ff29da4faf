import { signature, type JsonObject, type ToolEntry } from '../../index.ts'
import { isObject } from '../../json.ts'

/** Some models write an object as JSON text: it goes where text may stand, and is read when the call is made. */
export function withTextArguments(params: unknown): unknown {
  if (!isObject(params) || typeof params['arguments'] !== 'string') return params
  const { arguments: json, ...rest } = params
  return { ...rest, json }
}

/** The arguments of a call, or an error that tells the model how to write them. */
export function readArguments({ arguments: args, json }: JsonObject, tool: ToolEntry): JsonObject {
  if (typeof json !== 'string' || json.trim() === '') return isObject(args) ? args : {}
  const value = parse(json, tool)
  if (isObject(value)) return value
  throw new Error(`The arguments must be one JSON object. ${help(tool)}`)
}

/** A parameter that must be a text. */
export function textIn(params: JsonObject, name: string): string {
  const value = params[name]
  if (typeof value === 'string' && value.trim() !== '') return value
  throw new Error(`"${name}" must be a text that is not empty.`)
}

function parse(json: string, tool: ToolEntry): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`The arguments are no valid JSON: ${reason}. Nothing was run. ${help(tool)}`, { cause })
  }
}

function help(tool: ToolEntry): string {
  return `Give "arguments" as an object. The tool is: ${tool.server}.${signature(tool)}`
}
