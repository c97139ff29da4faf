import { CapstanError } from '../../errors.ts'
import type { JsonObject, JsonSchema, JsonValue, ToolEntry } from '../api.ts'
import { nearest } from '../catalogue/nearest.ts'
import { followRef, isSchemaObject } from '../catalogue/schema-ref.ts'

/** One `key=value` a person typed. A key may be given several times. */
export interface Pair {
  readonly key: string
  readonly value: string
}

export interface TypedArguments {
  readonly args: JsonObject
  /** Names that the tool does not declare: likely typing errors, though its schema allows them. */
  readonly warnings: readonly string[]
}

/** Turns what a person typed into what the tool's schema wants; pairs win over `base`. What fits nothing stays text, for the check to name. */
export function typeArguments(tool: ToolEntry, pairs: readonly Pair[], base: JsonObject): TypedArguments {
  const declared = isSchemaObject(tool.inputSchema['properties']) ? tool.inputSchema['properties'] : {}
  const keys = [...new Set(pairs.map(({ key }) => key))]
  const typed = keys.map((key) => {
    const schema = followRef(declared[key], tool.inputSchema)
    const values = pairs.filter((pair) => pair.key === key).map(({ value }) => value)
    return [key, typeValues(key, values, { schema, root: tool.inputSchema })] as const
  })
  const strangers = Object.keys(declared).length === 0 ? [] : keys.filter((key) => !Object.hasOwn(declared, key))
  return {
    args: { ...base, ...Object.fromEntries(typed) },
    warnings: strangers.map((key) => strangerWarning(tool, key, Object.keys(declared))),
  }
}

function strangerWarning(tool: ToolEntry, key: string, names: readonly string[]): string {
  const [near] = nearest(key, names, 1)
  return `${tool.id} declares no argument "${key}"${near === undefined ? '' : `; did you mean "${near}"?`}`
}

interface Typing {
  readonly schema: JsonSchema | undefined
  readonly root: JsonSchema
}

/** A key given several times is a list. */
function typeValues(key: string, values: readonly string[], { schema, root }: Typing): JsonValue {
  const [first = ''] = values
  const kinds = kindsOf(schema, root)
  const isList = kinds.has('array') && schema !== undefined
  if (values.length === 1 && !(isList && kinds.size === 1 && !first.trimStart().startsWith('[')))
    return typeValue(first, kinds, schema)
  if (!isList) throw new CapstanError('usage', `"${key}" is given ${values.length} times, but it takes one value.`)
  const items = followRef(schema['items'], root)
  return values.map((value) => typeValue(value, kindsOf(items, root), items))
}

function typeValue(text: string, kinds: ReadonlySet<string>, schema: JsonSchema | undefined): JsonValue {
  const choice = enumValue(text, schema)
  if (choice !== undefined) return choice
  if (kinds.size === 1 && kinds.has('string')) return text
  const parsed = parseJson(text)
  if (
    parsed !== undefined &&
    (kinds.size === 0 || kinds.has(kindOf(parsed)) || (kindOf(parsed) === 'integer' && kinds.has('number')))
  )
    return parsed
  return text
}

/** A choice is typed as it reads: `3` for the number 3, `red` for the string. */
function enumValue(text: string, schema: JsonSchema | undefined): JsonValue | undefined {
  const choices: unknown = schema?.['enum']
  return Array.isArray(choices)
    ? (choices as readonly JsonValue[]).find(
        (choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)) === text,
      )
    : undefined
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** Every JSON type a schema allows, through its alternatives; empty when it says nothing. */
function kindsOf(schema: JsonSchema | undefined, root: JsonSchema, depth = 0): ReadonlySet<string> {
  if (schema === undefined || depth > 8) return new Set()
  const { type } = schema
  if (typeof type === 'string') return new Set([type])
  if (Array.isArray(type)) return new Set(type.map(String))
  const choices = [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap((list) =>
    Array.isArray(list) ? list : [],
  )
  const kinds = choices.flatMap((choice) => Array.from(kindsOf(followRef(choice, root), root, depth + 1)))
  return new Set(isSchemaObject(schema['properties']) ? [...kinds, 'object'] : kinds)
}
