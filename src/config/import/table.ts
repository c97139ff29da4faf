import { findSecrets, maskSecret } from '../../policy/secrets.ts'
import { canonicalJson } from '../canonical-json.ts'
import { startsCapstan } from '../self.ts'
import { isServerName, slugOf } from '../server-name.ts'
import type { RawEntry } from '../types.ts'
import { clients, type ClientId, type ImportSurroundings } from './clients.ts'
import type { ListedServer } from './documents.ts'
import type { FoundFile } from './find-clients.ts'
import { mapStrings, strings } from './json.ts'
import type { FileProblem } from './parse-document.ts'
import { placeholderNeeds } from './placeholders.ts'
import { translateEntry } from './translate.ts'
import type { JsonValue } from '../../json.ts'

/** What was found in other clients: one row per server, however many clients have it. */
export interface ImportTable {
  readonly rows: readonly ImportRow[]
  /** Entries that cannot or must not be imported, and why. */
  readonly leftOut: readonly { readonly source: ImportSource; readonly reason: string }[]
  /** Files that exist but cannot be read. */
  readonly problems: readonly (FileProblem & { readonly client: ClientId; readonly file: string })[]
}

export interface ImportRow {
  /** The name it gets here. */
  readonly name: string
  readonly entry: RawEntry
  readonly sources: readonly [ImportSource, ...ImportSource[]]
  /** `project` when only files of the project have it: then a stranger may have written it. */
  readonly scope: 'user' | 'project'
  readonly notes: readonly ImportNote[]
}

export interface ImportSource {
  readonly client: ClientId
  /** The server's name in that client. */
  readonly name: string
  readonly file: string
  readonly scope: 'user' | 'project'
  /** The folder for which the client starts it, where it is not for all. */
  readonly project?: string
}

export type ImportNote =
  | { readonly kind: 'secret'; readonly field: string; readonly label: string; readonly masked: string }
  | { readonly kind: 'unknown-placeholder'; readonly text: string }
  | { readonly kind: 'unset-variables'; readonly variables: readonly string[] }
  | { readonly kind: 'input'; readonly id: string }
  | { readonly kind: 'env-file'; readonly path: string }
  | { readonly kind: 'renamed'; readonly from: string }
  | { readonly kind: 'disabled' }
  /** The clients start it for these folders only; here it is for all. */
  | { readonly kind: 'folders'; readonly folders: readonly string[] }

interface Found {
  readonly source: ImportSource
  readonly entry: RawEntry
}

/** Puts together what the clients have: translated, without duplicates, with names that fit here. Pure. */
export function buildImportTable(files: readonly FoundFile[], { env }: Pick<ImportSurroundings, 'env'>): ImportTable {
  const found: Found[] = []
  const leftOut: { source: ImportSource; reason: string }[] = []
  const problems: ImportTable['problems'][number][] = []
  for (const file of files) {
    if (file.kind === 'unreadable') problems.push({ client: file.client, file: file.path, ...file.problem })
    else {
      for (const server of file.servers) {
        const source = sourceOf(file, server)
        const result = translateEntry(file.client, server.raw)
        if (result.kind === 'unusable') leftOut.push({ source, reason: result.reason })
        else if (startsCapstan(result.entry)) leftOut.push({ source, reason: 'it is Capstan itself' })
        else found.push({ source, entry: inItsFolder(result.entry, server.project) })
      }
    }
  }
  return { rows: rowsOf(found, env), leftOut, problems }
}

function sourceOf(file: FoundFile, { name, project }: ListedServer): ImportSource {
  const source = { client: file.client, name, file: file.path, scope: file.scope }
  return project === undefined ? source : { ...source, project }
}

/** A server that a client starts in one folder only finds its relative paths there. */
function inItsFolder(entry: RawEntry, folder: string | undefined): RawEntry {
  if (folder === undefined || entry['command'] === undefined || entry['cwd'] !== undefined) return entry
  const words = [entry['command'], ...strings(entry['args'])]
  const isRelative = words.some((word) => typeof word === 'string' && /^\.{1,2}(?:[/\\]|$)/.test(word))
  return isRelative ? { ...entry, cwd: folder } : entry
}

function rowsOf(found: readonly Found[], env: ImportSurroundings['env']): readonly ImportRow[] {
  const same = Map.groupBy(found, ({ entry }) => identityOf(entry))
  const taken = new Set<string>()
  return [...same.values()].flatMap((group) => {
    const [first, ...others] = group
    if (first === undefined) return []
    // Switched off in one client and on in another: it is in use.
    const { entry } = group.find((item) => item.entry['disabled'] !== true) ?? first
    const name = freeName(first.source, taken)
    taken.add(name.toLowerCase())
    const scope = group.some(({ source }) => source.scope === 'user') ? ('user' as const) : ('project' as const)
    const notes = [...notesOnOrigin(name, group), ...notesOn(entry, env)]
    return [{ name, entry, sources: [first.source, ...others.map(({ source }) => source)], scope, notes }]
  })
}

/** Two entries are the same server when they start the same thing, or reach the same address in the same way. */
function identityOf(entry: RawEntry): string {
  const fields = entry['url'] === undefined ? ['command', 'args', 'env', 'cwd'] : ['url', 'headers']
  const parts = fields.map((field) => mapStrings(entry[field] ?? null, sameSpelling))
  return canonicalJson(parts)
}

function sameSpelling(text: string): string {
  return text.replaceAll('${env:', '${')
}

/** The client's own name where it fits and is free; else with the client behind it, then with a number. */
function freeName({ client, name }: ImportSource, taken: ReadonlySet<string>): string {
  const plain = isServerName(name) ? name : slugOf(name)
  const candidates = [plain, `${plain}-${client}`]
  for (let number = 2; ; number += 1) {
    const free = candidates.find((candidate) => !taken.has(candidate.toLowerCase()))
    if (free !== undefined) return free
    candidates.push(`${plain}-${client}-${number}`)
  }
}

function notesOnOrigin(name: string, group: readonly Found[]): readonly ImportNote[] {
  const from = group[0]?.source.name ?? name
  const folders = group.map(({ source }) => source.project)
  const only = folders.every((folder) => folder !== undefined) ? [...new Set(folders)] : []
  return [
    ...(from === name ? [] : [{ kind: 'renamed' as const, from }]),
    ...(only.length > 0 ? [{ kind: 'folders' as const, folders: only }] : []),
  ]
}

function notesOn(entry: RawEntry, env: ImportSurroundings['env']): readonly ImportNote[] {
  const needs = placeholderNeeds(entry, env)
  const envFile: JsonValue | undefined = entry['envFile']
  return [
    ...(entry['disabled'] === true ? [{ kind: 'disabled' as const }] : []),
    ...findSecrets(entry).map(({ field, label, value }) => ({
      kind: 'secret' as const,
      field,
      label,
      masked: maskSecret(value),
    })),
    ...needs.unknown.map((text) => ({ kind: 'unknown-placeholder' as const, text })),
    ...(needs.unset.length > 0 ? [{ kind: 'unset-variables' as const, variables: needs.unset }] : []),
    ...needs.inputs.map((id) => ({ kind: 'input' as const, id })),
    ...(typeof envFile === 'string' ? [{ kind: 'env-file' as const, path: envFile }] : []),
  ]
}

/** How people call a client. */
export function clientTitle(client: ClientId): string {
  return clients[client].title
}
