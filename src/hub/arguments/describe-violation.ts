import type { OutputUnit } from '@cfworker/json-schema'
import type { JsonSchema } from '../api.ts'
import { nearest } from '../catalogue/nearest.ts'
import { isSchemaObject, lookUpRef } from '../catalogue/schema-ref.ts'

const mostShown = 10

/** What is wrong with a value, for a person: where, what was expected, what came. */
export function describeViolations(
  units: readonly OutputUnit[],
  schema: JsonSchema,
  value: unknown,
): readonly string[] {
  const texts = [...new Set(telling(units).map((unit) => describe(unit, schema, value)))]
  return texts.length <= mostShown ? texts : [...texts.slice(0, mostShown), `and ${texts.length - mostShown} more`]
}

const composite: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'items',
  'additionalItems',
  'prefixItems',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'allOf',
  'if',
  'then',
  'else',
  'dependentSchemas',
])

/** The validator reports every level; only the innermost ones tell a person something. */
function telling(units: readonly OutputUnit[]): readonly OutputUnit[] {
  const inner = units.filter((unit) => !composite.has(unit.keyword) && !isInsideSummary(unit, units))
  // `false` says only "not allowed here"; the keyword that used it (additionalProperties) stands beside it.
  const said = inner.filter((unit) => unit.keyword !== 'false')
  return said.length > 0 ? said : inner.length > 0 ? inner : units
}

const summaries: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'propertyNames', 'contains', 'not'])

/** Under a failed choice each branch fails for its own reason; the choice itself is the message. */
function isInsideSummary(unit: OutputUnit, all: readonly OutputUnit[]): boolean {
  return all.some(
    (other) =>
      other !== unit && summaries.has(other.keyword) && unit.keywordLocation.startsWith(`${other.keywordLocation}/`),
  )
}

function describe(unit: OutputUnit, schema: JsonSchema, value: unknown): string {
  const path = stepsOf(unit.instanceLocation)
  const came = show(valueAt(value, path))
  const rule = ruleAt(schema, stepsOf(unit.keywordLocation))
  const where = path.length === 0 ? 'the arguments' : `"${path.join('.')}"`
  const [name = '', other = ''] = quotedIn(unit.error)
  switch (unit.keyword) {
    case 'required':
      return `"${[...path, name].join('.')}" is missing`
    case 'dependentRequired':
    case 'dependencies':
      return `"${[...path, other].join('.')}" is missing, which "${[...path, name].join('.')}" needs`
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return describeUnknown([...path, name], ruleAt(schema, stepsOf(unit.keywordLocation).slice(0, -1)))
    case 'propertyNames':
      return `the name "${name}" is not allowed in ${where}`
    case 'false':
      return `${where} is not allowed`
    case 'oneOf':
      if (!unit.error.includes('(0 matches)'))
        return `${where} fits several forms where only one may fit; it is ${came}`
      return `${where} ${expectedOf(rule)}, not ${came}`
    case 'anyOf':
      return `${where} ${expectedOf(rule)}, not ${came}`
    default:
      return `${where} ${expectations[unit.keyword]?.(rule) ?? `must keep to ${unit.keyword} ${words(rule)}`}, not ${came}`
  }
}

const expectations: Readonly<Record<string, (rule: unknown) => string>> = {
  type: (rule) => `must be ${words(rule)}`,
  enum: (rule) => `must be one of ${listed(rule)}`,
  const: (rule) => `must be ${JSON.stringify(rule)}`,
  minimum: (rule) => `must be at least ${words(rule)}`,
  maximum: (rule) => `must be at most ${words(rule)}`,
  exclusiveMinimum: (rule) => `must be more than ${words(rule)}`,
  exclusiveMaximum: (rule) => `must be less than ${words(rule)}`,
  multipleOf: (rule) => `must be a multiple of ${words(rule)}`,
  minLength: (rule) => `must have at least ${words(rule)} characters`,
  maxLength: (rule) => `must have at most ${words(rule)} characters`,
  pattern: (rule) => `must match the pattern ${words(rule)}`,
  minItems: (rule) => `must have at least ${words(rule)} items`,
  maxItems: (rule) => `must have at most ${words(rule)} items`,
  uniqueItems: () => 'must hold no item twice',
  contains: () => 'must hold an item of the kind that the schema names',
  minProperties: (rule) => `must have at least ${words(rule)} fields`,
  maxProperties: (rule) => `must have at most ${words(rule)} fields`,
  not: () => 'must not have the form that the schema excludes',
}

/** A choice between plain types or plain values can be said; any other is the schema's to show. */
function expectedOf(branches: unknown): string {
  const forms = Array.isArray(branches) ? branches.filter(isSchemaObject) : []
  const values = forms.flatMap((form) =>
    'const' in form ? [form['const']] : Array.isArray(form['enum']) ? form['enum'] : [],
  )
  if (forms.length > 0 && forms.every((form) => 'const' in form || 'enum' in form))
    return `must be one of ${listed(values)}`
  const types = forms.flatMap((form) => form['type'] ?? [])
  const arePlain = forms.length > 0 && forms.every((form) => 'type' in form && form['type'] !== 'object')
  return arePlain ? `must be ${words([...new Set(types)])}` : 'must have one of the forms that the schema names'
}

function describeUnknown(path: readonly string[], owner: unknown): string {
  const properties = isSchemaObject(owner) && isSchemaObject(owner['properties']) ? owner['properties'] : {}
  const [near] = nearest(path.at(-1) ?? '', Object.keys(properties), 1)
  return `there is no argument "${path.join('.')}"${near === undefined ? '' : ` (did you mean "${near}"?)`}`
}

/** The validator names properties only inside its sentence; one before " but", when there are two. */
function quotedIn(sentence: string): readonly string[] {
  const pair = /"(.*)" but does not have "(.*)"/.exec(sentence)
  return pair === null ? [/"(.*)"/.exec(sentence)?.[1] ?? ''] : pair.slice(1)
}

function stepsOf(location: string): readonly string[] {
  return location
    .split('/')
    .slice(1)
    .map((step) => decodeURI(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The location of a rule goes through the references on its way. */
function ruleAt(schema: JsonSchema, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((at, step) => {
    const next = ownValue(at, step)
    return step === '$ref' && typeof next === 'string' ? lookUpRef(next, schema) : next
  }, schema)
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce(ownValue, root)
}

function ownValue(holder: unknown, key: string): unknown {
  return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key)
    ? Reflect.get(holder, key)
    : undefined
}

function listed(values: unknown): string {
  return Array.isArray(values) ? values.map((item) => JSON.stringify(item)).join(', ') : words(values)
}

function words(rule: unknown): string {
  if (rule === undefined) return 'what the schema asks for'
  return Array.isArray(rule) ? rule.join(' or ') : typeof rule === 'string' ? rule : JSON.stringify(rule)
}

function show(value: unknown): string {
  if (value === undefined) return 'absent'
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  const text = JSON.stringify(value)
  return `${kind === 'null' ? '' : `${kind} `}${text.length > 60 ? `${text.slice(0, 57)}…` : text}`
}
