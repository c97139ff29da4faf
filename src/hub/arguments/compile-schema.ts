import { Validator, type OutputUnit, type SchemaDraft } from '@cfworker/json-schema'
import type { JsonSchema } from '../api.ts'
import { isSchemaObject } from '../catalogue/schema-ref.ts'
import type { RunInTime } from './time-bound.ts'

export interface CompiledSchema {
  /** The schema as it is checked. */
  readonly schema: JsonSchema
  /** Every rule that a value breaks, at every level. */
  readonly violations: (value: unknown) => readonly OutputUnit[]
}

/**
 * A schema that can be checked here. One that we cannot follow (a remote $ref, a broken pattern, one that takes too long) is
 * the server's to enforce: it breaks no rule of ours, and it must not block the call.
 */
export function compileSchema(original: JsonSchema, inTime: RunInTime): CompiledSchema {
  const run = mayTakeLong(original) ? inTime : runAtOnce
  const uncheckable: CompiledSchema = { schema: original, violations: () => [] }
  return orElse(() => {
    const schema = prepare(original) as JsonSchema
    const validator = new Validator(schema, draftOf(original), false)
    const check = (value: unknown) => run(() => validator.validate(value).errors)
    return { schema, violations: (value: unknown) => orElse(() => check(value), []) }
  }, uncheckable)
}

function orElse<Value>(attempt: () => Value, otherwise: Value): Value {
  try {
    return attempt()
  } catch {
    return otherwise
  }
}

function draftOf(schema: JsonSchema): SchemaDraft {
  const dialect = typeof schema['$schema'] === 'string' ? schema['$schema'] : ''
  if (dialect.includes('draft-04')) return '4'
  if (dialect.includes('draft-07') || dialect.includes('draft-06')) return '7'
  return dialect.includes('2019-09') ? '2019-09' : '2020-12'
}

/**
 * A copy without `format`, which the specification gives as a hint: servers accept dates and addresses that a strict check
 * refuses. `nullable`, which many servers have from OpenAPI, is written out.
 */
function prepare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prepare)
  if (!isSchemaObject(value)) return value
  const kept = Object.entries(value).filter(([key, rule]) => key !== 'format' || typeof rule !== 'string')
  const copy = Object.fromEntries(kept.map(([key, rule]) => [key, holdsData.has(key) ? rule : prepare(rule)]))
  return value['nullable'] === true ? withNull(copy) : copy
}

const holdsData: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples'])

function withNull(schema: JsonSchema): JsonSchema {
  const { type, enum: choices } = schema
  return {
    ...schema,
    ...(type === undefined ? {} : { type: [type, 'null'].flat() }),
    ...(Array.isArray(choices) ? { enum: [...choices, null] } : {}),
  }
}

/** Patterns can backtrack for hours, references can multiply, and comparing all items grows with the square of their number. */
function mayTakeLong(schema: JsonSchema): boolean {
  return /"(?:pattern|patternProperties|uniqueItems|\$\w*[rR]ef)":/.test(JSON.stringify(schema))
}

const runAtOnce: RunInTime = (run) => run()
