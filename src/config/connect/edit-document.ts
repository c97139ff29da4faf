import { CapstanError } from '../../errors.ts'
import { canonicalJson } from '../canonical-json.ts'
import { removeMember, setMember } from '../edit-jsonc.ts'
import type { ClientId } from '../import/clients.ts'
import { serversPath } from '../import/documents.ts'
import { without } from '../import/json.ts'
import { parseDocument } from '../import/parse-document.ts'
import { removeTable, setTable } from './edit-toml.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json.ts'

/** One change of the servers in a client's file, in that client's own words. */
export type RawEdit =
  | { readonly kind: 'put'; readonly name: string; readonly raw: JsonObject }
  | { readonly kind: 'remove'; readonly name: string }

export interface DocumentPlace {
  readonly client: ClientId
  readonly path: string
}

/** A client's file as a value; an object without members where it is empty. */
export async function readDocument(text: string, { path }: DocumentPlace): Promise<JsonObject> {
  const parsed = await parseDocument(formatOf(path), text)
  if (parsed.kind === 'empty') return {}
  if (parsed.kind === 'parsed' && isObject(parsed.value)) return parsed.value
  const problem = parsed.kind === 'broken' ? parsed.problem : { message: 'holds no object at its top' }
  const place = [path, problem.line, problem.column].filter((part) => part !== undefined).join(':')
  throw new CapstanError('config_invalid', `${place}: ${problem.message}. Nothing was changed.`, {
    next: `Mend ${path}, then try again.`,
  })
}

/** The entry of a server that is for all folders, as the file has it. */
export function rawServer(document: JsonObject, client: ClientId, name: string): JsonValue | undefined {
  const holder = serversPath(client, document).reduce<JsonValue | undefined>(memberOf, document)
  return memberOf(holder, name)
}

/** The text with these changes and no other: comments, order and unknown fields stay. What cannot be done so is refused. */
export async function editDocument(text: string, edits: readonly RawEdit[], place: DocumentPlace): Promise<string> {
  if (edits.length === 0) return text
  const document = await readDocument(text, place)
  const path = serversPath(place.client, document)
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(mark.length)
  const edited =
    formatOf(place.path) === 'toml' ? await editToml(body, edits, path) : editJson(body, edits, document, path)
  const found = await readDocument(edited, place)
  const expected = edits.reduce((current, edit) => editValue(current, path, edit), document)
  if (isSame(found, expected, path)) return mark + edited
  throw new CapstanError(
    'config_invalid',
    `The servers in ${place.path} are written in a way that cannot be edited here.`,
    {
      next: `Nothing was changed. Edit ${place.path} by hand: "capstan connect ${place.client} --dry-run --json" has the entry.`,
    },
  )
}

function formatOf(path: string): 'toml' | 'json' {
  return path.endsWith('.toml') ? 'toml' : 'json'
}

async function editToml(
  body: string,
  edits: readonly RawEdit[],
  path: readonly [string, ...string[]],
): Promise<string> {
  let text = body
  for (const edit of edits) {
    const table = [...path, edit.name] as const
    text = edit.kind === 'put' ? await setTable(text, table, edit.raw) : await removeTable(text, table)
  }
  return text
}

function editJson(
  body: string,
  edits: readonly RawEdit[],
  document: JsonObject,
  path: readonly [string, ...string[]],
): string {
  const start = path.reduce(
    (text, _, depth) => {
      const holder = path.slice(0, depth + 1)
      return isObject(holder.reduce<JsonValue | undefined>(memberOf, document)) ? text : setMember(text, holder, {})
    },
    body.trim() === '' ? '{}\n' : body,
  )
  return edits.reduce((text, edit) => {
    const member = [...path, edit.name]
    return edit.kind === 'put' ? setMember(text, member, edit.raw) : removeMember(text, member)
  }, start)
}

function editValue(document: JsonObject, [key, ...deeper]: readonly [string, ...string[]], edit: RawEdit): JsonObject {
  const inner = document[key]
  const holder = isObject(inner) ? inner : {}
  const [next, ...rest] = deeper
  const others = without(holder, [edit.name])
  const changed =
    next !== undefined
      ? editValue(holder, [next, ...rest], edit)
      : edit.kind === 'put'
        ? { ...others, [edit.name]: edit.raw }
        : others
  return { ...document, [key]: changed }
}

/** Whether there is no such object or one without members is the same to every client. */
function isSame(found: JsonObject, expected: JsonObject, [key]: readonly [string, ...string[]]): boolean {
  const whole = (document: JsonObject): string => canonicalJson({ ...document, [key]: document[key] ?? {} })
  return whole(found) === whole(expected)
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
