import { readFile } from 'node:fs/promises'
import { CapstanError, messageOf, unreachable } from '../errors.ts'
import { hasCode, linkTarget, writeFileAtomic } from '../files/atomic-write.ts'
import { withLock } from '../files/lock.ts'
import { canonicalJson } from './canonical-json.ts'
import { removeMember, setMember } from './edit-jsonc.ts'
import { parseJsonc } from './parse-jsonc.ts'
import type { RawEntry } from './types.ts'
import { isObject } from '../json.ts'

/** One change of a file's servers. `set` without a value takes the field away. */
export type ServerEdit =
  | { readonly kind: 'put'; readonly name: string; readonly entry: RawEntry }
  | { readonly kind: 'remove'; readonly name: string }
  | {
      readonly kind: 'set'
      readonly name: string
      readonly field: string
      readonly value: RawEntry[string] | undefined
    }

export interface EditOptions {
  readonly signal?: AbortSignal
  /** Permissions of a file that is new; 0600 when absent, because entries may hold tokens. */
  readonly mode?: number
}

/** The servers of an `mcp.json` file by name, in its order; none where there is no file. */
export async function readServerFile(path: string): Promise<ReadonlyMap<string, RawEntry>> {
  return serversIn(await readText(path), path)
}

/**
 * Changes the servers of an `mcp.json` file and nothing else in it: comments, order, indentation and line ends stay. All
 * edits are written at once or, when the file does not parse or lacks a named server, none.
 */
export async function editServerFile(
  path: string,
  edits: readonly ServerEdit[],
  { signal, mode = 0o600 }: EditOptions = {},
): Promise<void> {
  try {
    const target = await linkTarget(path)
    await withLock(
      target,
      async () => {
        const text = await readText(target)
        const changed = editText(text, edits, path)
        if (changed !== text) await writeFileAtomic(target, changed, { mode })
      },
      signal === undefined ? {} : { signal },
    )
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'ENOSPC')) throw error
    throw new CapstanError('config_invalid', `Cannot write ${path}: ${messageOf(error)}.`, {
      cause: error,
      next: `Check the permissions of ${path} and its folder.`,
    })
  }
}

function editText(text: string, edits: readonly ServerEdit[], file: string): string {
  const expected = edits.reduce((servers, edit) => editServers(servers, edit, file), serversIn(text, file))
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.trim() === '' ? '{}\n' : text.slice(mark.length)
  const root = parseJsonc(body, file)
  const key = serversKey(root)
  const start = isObject(root) && key in root ? body : setMember(body, [key], {})
  const changed = edits.reduce((current, edit) => editBody(current, edit, key), start)
  if (isSame(expected, serversIn(changed, file))) return mark + changed
  // A name that stands twice in one object: the first is edited, but the last one counts.
  throw new CapstanError('config_invalid', `${file} names the same server or field twice, so it was left as it is.`, {
    next: `Remove the double name in ${file} by hand, then try again.`,
  })
}

function editServers(
  servers: ReadonlyMap<string, RawEntry>,
  edit: ServerEdit,
  file: string,
): ReadonlyMap<string, RawEntry> {
  if (edit.kind === 'put') return new Map([...servers, [edit.name, edit.entry]])
  const entry = servers.get(edit.name)
  if (entry === undefined) throw new CapstanError('server_unknown', `There is no server "${edit.name}" in ${file}.`)
  if (edit.kind === 'remove') return new Map([...servers].filter(([name]) => name !== edit.name))
  const { [edit.field]: _previous, ...others } = entry
  return new Map([...servers, [edit.name, edit.value === undefined ? others : { ...entry, [edit.field]: edit.value }]])
}

function editBody(body: string, edit: ServerEdit, key: string): string {
  switch (edit.kind) {
    case 'put':
      return setMember(body, [key, edit.name], edit.entry)
    case 'remove':
      return removeMember(body, [key, edit.name])
    case 'set': {
      const path = [key, edit.name, edit.field]
      return edit.value === undefined ? removeMember(body, path) : setMember(body, path, edit.value)
    }
    default:
      return unreachable(edit)
  }
}

function isSame(left: ReadonlyMap<string, RawEntry>, right: ReadonlyMap<string, RawEntry>): boolean {
  return canonicalJson(Object.fromEntries(left)) === canonicalJson(Object.fromEntries(right))
}

function serversIn(text: string, file: string): ReadonlyMap<string, RawEntry> {
  if (text.trim() === '') return new Map()
  const root = parseJsonc(text, file)
  const servers = isObject(root) ? (root[serversKey(root)] ?? {}) : undefined
  if (!isObject(servers)) {
    throw new CapstanError('config_invalid', `${file} holds no "mcpServers" object.`, {
      next: `Make it look like {"mcpServers": {}}.`,
    })
  }
  return new Map(Object.entries(servers).filter((member): member is [string, RawEntry] => isObject(member[1])))
}

/** VS Code calls it `servers`; ours and everybody else's name goes first. */
function serversKey(root: unknown): 'mcpServers' | 'servers' {
  return isObject(root) && !('mcpServers' in root) && isObject(root['servers']) ? 'servers' : 'mcpServers'
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return ''
    throw error
  }
}
