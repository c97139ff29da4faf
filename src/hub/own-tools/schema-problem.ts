import { isObject } from '../../json.ts'

/** What is wrong with a JSON Schema as a schema, with its place in it; undefined when nothing is. Only the common keywords are looked at. */
export function schemaProblem(schema: unknown, place = ''): string | undefined {
  if (typeof schema === 'boolean') return undefined
  if (!isObject(schema)) return `${at(place)} must be an object`
  for (const [keyword, check] of checks) {
    const rule = schema[keyword]
    const problem = rule === undefined ? undefined : check(rule, `${place}/${keyword}`)
    if (problem !== undefined) return problem
  }
  return undefined
}

type Check = (rule: unknown, place: string) => string | undefined

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

const checks: readonly (readonly [keyword: string, check: Check])[] = [
  ['type', checkType],
  ['required', checkTexts],
  ['enum', (rule, place) => (Array.isArray(rule) ? undefined : `${at(place)} must be a list`)],
  ['pattern', checkPattern],
  ['$ref', (rule, place) => (typeof rule === 'string' ? undefined : `${at(place)} must be a text`)],
  ...['properties', 'patternProperties', '$defs', 'definitions'].map((name) => [name, checkMembers] as const),
  ...['anyOf', 'oneOf', 'allOf', 'prefixItems'].map((name) => [name, checkList] as const),
  ...['items', 'additionalProperties', 'not', 'contains'].map((name) => [name, checkItems] as const),
]

function checkType(rule: unknown, place: string): string | undefined {
  const names: readonly unknown[] = Array.isArray(rule) ? rule : [rule]
  return names.length > 0 && names.every((name) => typeof name === 'string' && types.includes(name))
    ? undefined
    : `${at(place)} must be one of ${types.join(', ')}`
}

function checkTexts(rule: unknown, place: string): string | undefined {
  return Array.isArray(rule) && rule.every((item) => typeof item === 'string')
    ? undefined
    : `${at(place)} must be a list of names`
}

function checkPattern(rule: unknown, place: string): string | undefined {
  try {
    if (typeof rule === 'string' && new RegExp(rule, 'u') instanceof RegExp) return undefined
  } catch {
    // Said below, as for anything else that is no pattern.
  }
  return `${at(place)} must be a regular expression`
}

function checkMembers(rule: unknown, place: string): string | undefined {
  if (!isObject(rule)) return `${at(place)} must be an object`
  return firstProblem(Object.entries(rule), place)
}

function checkList(rule: unknown, place: string): string | undefined {
  return Array.isArray(rule) ? firstProblem([...rule.entries()], place) : `${at(place)} must be a list`
}

/** Older drafts allow a list of schemas for `items`. */
function checkItems(rule: unknown, place: string): string | undefined {
  return Array.isArray(rule) ? checkList(rule, place) : schemaProblem(rule, place)
}

function firstProblem(
  members: readonly (readonly [name: string | number, schema: unknown])[],
  place: string,
): string | undefined {
  for (const [name, schema] of members) {
    const problem = schemaProblem(schema, `${place}/${name}`)
    if (problem !== undefined) return problem
  }
  return undefined
}

function at(place: string): string {
  return place === '' ? 'it' : place
}
