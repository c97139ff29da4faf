import { createHash } from 'node:crypto'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../errors.ts'
import { hasCode, writeFileAtomic } from '../files/atomic-write.ts'
import { withLock } from '../files/lock.ts'
import { places } from '../files/places.ts'
import { quickRead } from '../files/quick-fs.ts'
import { canonicalJson } from './canonical-json.ts'
import type { RawEntry } from './types.ts'
import { isObject } from '../json.ts'

export type Decision = 'trusted' | 'refused'

/** What a person said about one server of one project file. */
export interface TrustDecision {
  /** Absolute path of the project's `.mcp.json`. */
  readonly projectFile: string
  readonly name: string
  readonly entry: RawEntry
  readonly decision: Decision
}

/** How an entry stands with the person: `changed` means that another entry of that name was decided on before. */
export type TrustStanding = Decision | 'new' | 'changed'

export interface TrustStore {
  /** By project file, then by server name. */
  readonly records: ReadonlyMap<string, ReadonlyMap<string, TrustRecord>>
  /** What a person should know: that a store which could not be read was put aside. */
  readonly warnings: readonly string[]
}

interface TrustRecord {
  readonly hash: string
  readonly decision: Decision
  /** As it was decided on, so that a later change can be shown as a difference. */
  readonly entry: RawEntry
}

/** Where the decisions of the person with this environment are kept. */
export function trustFile(env: Readonly<Record<string, string | undefined>>): string {
  return join(places(env).state, 'trust.json')
}

/** All decisions so far. A store that cannot be read trusts nothing and is put aside; it is never a reason to fail. */
export async function readTrust(file: string): Promise<TrustStore> {
  const store = await readStore(file)
  // Only one of several readers may move it, and not one that a writer has mended meanwhile.
  return store ?? (await withLock(file, () => readOrPutAside(file)))
}

/** How this very entry stands: any change of it, however small, is another entry. */
export function standingOf(store: TrustStore, projectFile: string, name: string, entry: RawEntry): TrustStanding {
  const record = store.records.get(projectFile)?.get(name)
  if (record === undefined) return 'new'
  return record.hash === hashOf(entry) ? record.decision : 'changed'
}

/** The entry that was last decided on, for showing what differs from it. */
export function decidedEntry(store: TrustStore, projectFile: string, name: string): RawEntry | undefined {
  return store.records.get(projectFile)?.get(name)?.entry
}

/** Adds decisions to the store; a later decision about the same server replaces the earlier one. */
export async function recordDecisions(file: string, decisions: readonly TrustDecision[]): Promise<void> {
  if (decisions.length === 0) return
  await withLock(file, async () => {
    const { records } = await readOrPutAside(file)
    const merged = new Map([...records].map(([path, servers]) => [path, new Map(servers)]))
    for (const { projectFile, name, entry, decision } of decisions) {
      const servers = merged.get(projectFile) ?? new Map<string, TrustRecord>()
      merged.set(projectFile, servers.set(name, { hash: hashOf(entry), decision, entry }))
    }
    await writeFileAtomic(file, serialise(merged), { mode: 0o600 })
  })
}

function hashOf(entry: RawEntry): string {
  return createHash('sha256').update(canonicalJson(entry)).digest('hex')
}

async function readOrPutAside(file: string): Promise<TrustStore> {
  const store = await readStore(file)
  if (store !== undefined) return store
  const aside = `${file}.unreadable-${createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 8)}`
  await rename(file, aside)
  const warning = `${file} could not be read, so no project server is trusted. It was kept as ${aside}. Run "capstan review" to approve them again.`
  return { records: new Map(), warnings: [warning] }
}

/** Undefined when there is a file, but not one of ours. */
async function readStore(file: string): Promise<TrustStore | undefined> {
  try {
    const records = parseRecords(JSON.parse(await quickRead(file)))
    return records === undefined ? undefined : { records, warnings: [] }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { records: new Map(), warnings: [] }
    if (error instanceof SyntaxError) return undefined
    // A home that cannot be read must not keep anybody from their servers; it only means that nothing was approved.
    const warning = `${file} cannot be read (${messageOf(error)}), so no project server is trusted.`
    return { records: new Map(), warnings: [warning] }
  }
}

const version = 1

function serialise(records: TrustStore['records']): string {
  const projects = [...records].map(([path, servers]) => [path, Object.fromEntries(servers)])
  return `${JSON.stringify({ version, projects: Object.fromEntries(projects) }, null, 2)}\n`
}

function parseRecords(value: unknown): TrustStore['records'] | undefined {
  if (!isObject(value) || value['version'] !== version || !isObject(value['projects'])) return undefined
  const projects = Object.entries(value['projects']).map(([path, servers]) => [path, parseProject(servers)] as const)
  return new Map(projects)
}

/** A record that is not whole is left out: its server is simply asked about again. */
function parseProject(servers: unknown): ReadonlyMap<string, TrustRecord> {
  if (!isObject(servers)) return new Map()
  const members: readonly [string, unknown][] = Object.entries(servers)
  return new Map(members.filter((member): member is [string, TrustRecord] => isRecord(member[1])))
}

function isRecord(value: unknown): value is TrustRecord {
  if (!isObject(value) || typeof value['hash'] !== 'string' || !isObject(value['entry'])) return false
  return value['decision'] === 'trusted' || value['decision'] === 'refused'
}
