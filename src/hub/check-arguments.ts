import { Validator, type OutputUnit, type SchemaDraft } from '@cfworker/json-schema'
import { CapstanError } from '../errors.ts'
import type { JsonObject, JsonSchema, ToolEntry } from './api.ts'
import { nearest } from './nearest.ts'

/** Checks values against a tool's schemas. Compiles each schema once. */
export interface SchemaCheck {
  /** Throws `arguments_invalid` with every violation: where, what was expected, what came. */
  readonly assertArguments: (tool: ToolEntry, args: JsonObject) => void
  /** What is wrong with a structured result; empty when it fits. */
  readonly outputProblems: (tool: ToolEntry, structured: unknown) => readonly string[]
}

export function schemaCheck(): SchemaCheck {
  const compiled = new WeakMap<JsonSchema, Validator>()
  const problems = (schema: JsonSchema, value: unknown): readonly string[] => {
    const validator = compiled.get(schema) ?? new Validator(schema, draftOf(schema), false)
    compiled.set(schema, validator)
    const { valid, errors } = safely(validator, value)
    return valid ? [] : [...new Set(leaves(errors).map((unit) => describe(unit, schema, value)))]
  }
  return {
    assertArguments(tool, args) {
      const found = problems(tool.inputSchema, args)
      if (found.length === 0) return
      throw new CapstanError('arguments_invalid', `Bad arguments for ${tool.id}: ${found.join('; ')}.`, {
        server: tool.server,
        next: `Run: capstan inspect ${tool.id}`,
      })
    },
    outputProblems: (tool, structured) =>
      tool.outputSchema === undefined ? [] : problems(tool.outputSchema, structured),
  }
}

/** A schema we cannot follow (a remote $ref, a broken pattern) is the server's to enforce: it must not block the call. */
function safely(validator: Validator, value: unknown): { readonly valid: boolean; readonly errors: OutputUnit[] } {
  try {
    return validator.validate(value)
  } catch {
    return { valid: true, errors: [] }
  }
}

function draftOf(schema: JsonSchema): SchemaDraft {
  const dialect = typeof schema['$schema'] === 'string' ? schema['$schema'] : ''
  if (dialect.includes('draft-04')) return '4'
  if (dialect.includes('draft-07') || dialect.includes('draft-06')) return '7'
  return dialect.includes('2019-09') ? '2019-09' : '2020-12'
}

/** The validator reports every level; only the innermost ones tell a person something. */
function leaves(errors: readonly OutputUnit[]): readonly OutputUnit[] {
  const composite = new Set([
    'properties',
    'items',
    'prefixItems',
    '$ref',
    '$dynamicRef',
    'allOf',
    'if',
    'then',
    'else',
    'dependentSchemas',
  ])
  const inner = errors.filter((unit) => !composite.has(unit.keyword))
  // `false` says only "not allowed here"; the keyword that used it (additionalProperties) stands beside it.
  const telling = inner.filter((unit) => unit.keyword !== 'false' && !isInsideChoice(unit, inner))
  return telling.length > 0 ? telling : errors
}

/** Under a failed anyOf or oneOf each branch fails for its own reason; the choice itself is the message. */
function isInsideChoice(unit: OutputUnit, all: readonly OutputUnit[]): boolean {
  return all.some(
    (other) =>
      other !== unit &&
      ['anyOf', 'oneOf'].includes(other.keyword) &&
      unit.keywordLocation.startsWith(`${other.keywordLocation}/`),
  )
}

function describe(unit: OutputUnit, schema: JsonSchema, value: unknown): string {
  const path = unit.instanceLocation.split('/').slice(1).map(decodePointer)
  const came = valueAt(value, path)
  const rule = valueAt(schema, unit.keywordLocation.split('/').slice(1).map(decodePointer))
  const where = path.length === 0 ? 'the arguments' : `"${path.join('.')}"`
  switch (unit.keyword) {
    case 'required':
      return describeMissing(unit, path)
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return describeUnknown(unit, schema, path)
    case 'type':
      return `${where} must be ${words(rule)}, not ${show(came)}`
    case 'enum':
      return `${where} must be one of ${Array.isArray(rule) ? rule.map((item) => JSON.stringify(item)).join(', ') : words(rule)}, not ${show(came)}`
    case 'const':
      return `${where} must be ${JSON.stringify(rule)}, not ${show(came)}`
    case 'anyOf':
    case 'oneOf':
      return `${where} fits none of the allowed forms; it is ${show(came)}`
    default:
      return `${where}: ${unit.keyword} must be ${words(rule)}; it is ${show(came)}`
  }
}

function describeMissing(unit: OutputUnit, path: readonly string[]): string {
  const name = quotedIn(unit.error)
  return `"${[...path, name].join('.')}" is missing`
}

function describeUnknown(unit: OutputUnit, schema: JsonSchema, path: readonly string[]): string {
  const name = quotedIn(unit.error)
  const owner = valueAt(schema, unit.keywordLocation.split('/').slice(1, -1).map(decodePointer))
  const properties: unknown =
    typeof owner === 'object' && owner !== null && 'properties' in owner ? owner.properties : undefined
  const near = nearest(name, Object.keys(properties ?? {}), 1)
  return `there is no argument "${[...path, name].join('.')}"${near[0] === undefined ? '' : ` (did you mean "${near[0]}"?)`}`
}

/** The validator names the property only inside its sentence. */
function quotedIn(sentence: string): string {
  return /"(.*)"/.exec(sentence)?.[1] ?? ''
}

function decodePointer(part: string): string {
  return decodeURI(part).replaceAll('~1', '/').replaceAll('~0', '~')
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    root,
  )
}

function words(rule: unknown): string {
  return Array.isArray(rule) ? rule.join(' or ') : typeof rule === 'string' ? rule : JSON.stringify(rule)
}

function show(value: unknown): string {
  if (value === undefined) return 'absent'
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  const text = JSON.stringify(value)
  return `${kind === 'null' ? '' : `${kind} `}${text.length > 60 ? `${text.slice(0, 57)}…` : text}`
}
