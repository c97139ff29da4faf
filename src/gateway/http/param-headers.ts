import type { IncomingHttpHeaders } from 'node:http'
import type { JsonSchema } from '../../hub/api.ts'
import type { Refusal } from './refusal.ts'
import { isObject } from '../../json.ts'

interface Declared {
  readonly header: string
  readonly path: readonly string[]
}

const headerMismatch = -32_020

/**
 * A tool can want some of its arguments as headers too, so that whatever stands between can go by them (`x-mcp-header`, since 2026-07-28). Then both
 * must say the same: else one of them would be judged, and the other would count.
 */
export function paramHeaderProblem(
  schema: JsonSchema,
  { args, headers }: { readonly args: unknown; readonly headers: IncomingHttpHeaders },
): Refusal | undefined {
  for (const { header, path } of declaredIn(schema, [])) {
    const value = valueAt(args, path)
    const text = isPlain(value) ? String(value) : undefined
    const shown = headers[`mcp-param-${header}`.toLowerCase()]
    if (text === undefined || (typeof shown === 'string' && says(shown, value, text))) continue
    const message = `Bad Request: the header Mcp-Param-${header} and the argument ${path.join('.')} do not say the same.`
    return { status: 400, code: headerMismatch, message }
  }
  return undefined
}

function declaredIn(schema: JsonSchema, path: readonly string[]): readonly Declared[] {
  const { properties } = schema
  if (!isObject(properties)) return []
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isObject(property)) return []
    const header = property['x-mcp-header']
    const own = typeof header === 'string' ? [{ header, path: [...path, name] }] : []
    return [...own, ...declaredIn(property, [...path, name])]
  })
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => (isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined), root)
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** Numbers may be written in several ways. What no header can hold is written in Base64, as `=?base64?…?=`. */
function says(shown: string, value: unknown, text: string): boolean {
  const encoded = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/.exec(shown)?.[1]
  // Without the mark at its end it is a text like any other.
  const isBroken = encoded === undefined && /^=\?base64\?.*\?=$/.test(shown)
  if (isBroken) return false
  const decoded = encoded === undefined ? shown : Buffer.from(encoded, 'base64').toString('utf8')
  const isNumber = typeof value === 'number' && /^-?\d+(?:\.\d+)?$/.test(decoded)
  return isNumber ? Number(decoded) === value : decoded === text
}
