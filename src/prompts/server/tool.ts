import type { CallToolResult, ElicitRequestFormParams, Tool } from '@modelcontextprotocol/server'
import { fieldsOf, type Fields } from '../fields.ts'
import type { Library } from './library.ts'
import { badArguments } from './bad-arguments.ts'
import { isObject } from '../../json.ts'

/** A tool of the library: what clients see of it, and what it does. It knows no protocol: a hub in this process uses it too. */
export interface LibraryTool {
  readonly definition: Tool & { readonly name: string }
  /** Whether it changes the library; such tools are hidden when nobody may. */
  readonly writes: boolean
  readonly run: (args: ToolArguments, call: ToolCall) => Promise<ToolOutcome>
}

/** One call of a tool. */
export interface ToolCall {
  readonly library: Library
  /** Who calls, as the history is to say it. */
  readonly by: string
  /** Whether a person can be shown a form. */
  readonly canAsk: boolean
  /** What the person said to the form that an earlier run of this call has asked for. */
  readonly answer?: FormAnswer | undefined
}

export interface FormAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, unknown>> | undefined
}

/** A form to show to the person; the call is then run again, with the answer. */
export interface FormQuestion {
  readonly kind: 'form'
  readonly message: string
  readonly schema: ElicitRequestFormParams['requestedSchema']
}

export type ToolOutcome = { readonly kind: 'result'; readonly result: CallToolResult } | FormQuestion

/** The arguments of a call, by the type they must have; errors name them. */
export interface ToolArguments extends Fields {
  readonly number: (name: string, range: { readonly least: number; readonly most: number }) => number | undefined
  /** An object of short values, each as text. */
  readonly values: (name: string) => Readonly<Record<string, string>>
  /** Anything at all, as it came. */
  readonly raw: (name: string) => unknown
}

export function toolArguments({ definition }: LibraryTool, given: unknown): ToolArguments {
  const known = Object.keys(definition.inputSchema.properties ?? {})
  const object = isObject(given) ? given : {}
  const stranger = Object.keys(object).find((name) => !known.includes(name))
  if (stranger !== undefined) {
    throw badArguments(
      `${definition.name} has no argument "${stranger.slice(0, 80)}".`,
      `It takes: ${known.join(', ') || 'nothing'}.`,
    )
  }
  const fields = fieldsOf(object, { owner: definition.name, path: '' })
  return {
    ...fields,
    raw: (name) => object[name],
    number(name, { least, most }) {
      const value = fields.has(name) ? object[name] : undefined
      if (value === undefined) return undefined
      if (typeof value === 'number' && value >= least && value <= most) return value
      throw fields.wrong(name, `a number from ${least} to ${most}`, JSON.stringify(value).slice(0, 80))
    },
    values: (name) => valuesIn(fields, name),
  }
}

/** An object of short values, each as text; models give numbers and booleans as such. */
export function valuesIn(fields: Fields, name: string): Readonly<Record<string, string>> {
  if (!fields.has(name)) return {}
  const inner = fields.within(name)
  const pairs = Object.keys(fields.json(name)).map((key) => [key, inner.optionalScalar(key)[key]] as const)
  return Object.fromEntries(pairs.filter((pair): pair is readonly [string, string] => pair[1] !== undefined))
}

/** A revision number, or a label. */
export function revisionIn(args: ToolArguments, name: string): number | string {
  const value = args.raw(name)
  if (typeof value === 'number' && Number.isInteger(value)) return value
  const label = args.text(name)
  return /^\d+$/.test(label) ? Number(label) : label
}

/** A result as data, and as the same data in text for clients that know no structured results. */
export function dataResult(data: Record<string, unknown>, text = JSON.stringify(data)): ToolOutcome {
  return { kind: 'result', result: { content: [{ type: 'text', text }], structuredContent: data } }
}
