import { CapstanError } from '../errors.ts'
import { kindOf } from './fields.ts'
import { declaredInputs } from './input-declarations.ts'
import type { InputDeclaration } from './types.ts'
import { isObject } from '../json.ts'

/** What one `mcp.json` says. Its entries are still unchecked: one bad entry must not hide the others. */
export interface ServerFile {
  readonly entries: ReadonlyMap<string, unknown>
  readonly inputs: readonly InputDeclaration[]
  readonly warnings: readonly string[]
}

export async function parseServerFile(text: string, file: string): Promise<ServerFile> {
  const root = await parseJson(text, file)
  if (!isObject(root)) throw badShape(file, 'the file', root)
  // VS Code calls the object `servers`; the rest of the entry is the same.
  const key = Object.hasOwn(root, 'mcpServers') ? 'mcpServers' : 'servers'
  const servers = root[key] ?? {}
  if (!isObject(servers)) throw badShape(file, `"${key}"`, servers)
  return {
    entries: new Map(Object.entries(servers)),
    inputs: declaredInputs(root['inputs'], file),
    warnings: missesServers(root) ? [`${file} has no "mcpServers", so it adds no servers.`] : [],
  }
}

function missesServers(root: object): boolean {
  return Object.keys(root).length > 0 && !Object.hasOwn(root, 'mcpServers') && !Object.hasOwn(root, 'servers')
}

/** Strict JSON is read by the platform, so that the parser for comments is loaded only where there are any. */
async function parseJson(text: string, file: string): Promise<unknown> {
  const body = text.replace(/^\uFEFF/, '')
  if (body.trim() === '') return {}
  try {
    return JSON.parse(body)
  } catch {
    const { parseJsonc } = await import('./parse-jsonc.ts')
    return parseJsonc(body, file)
  }
}

function badShape(file: string, what: string, came: unknown): CapstanError {
  return new CapstanError('config_bad_type', `${file}: ${what} must be an object, but is ${kindOf(came)}.`, {
    next: `Write it as {"mcpServers": {"name": {"command": "…"}}}.`,
  })
}
