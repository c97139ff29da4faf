import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalJson } from '../config/canonical-json.ts'
import { serverIdentity } from '../config/identity.ts'
import type { Config } from '../config/types.ts'
import { hasCode, writeFileAtomic } from '../files/atomic-write.ts'
import { withLock } from '../files/lock.ts'
import type { ToolEntry } from '../hub/api.ts'
import { judgeCall, type CallQuestion, type Grant, type Verdict } from '../policy/judge-call.ts'
import type { PermissionView } from './session.ts'

/** Who may run what in one project, for one session. */
export interface Permissions {
  judge(tool: ToolEntry): Verdict
  /** Remembers a yes. What holds always is on the disk when this resolves. */
  grant(tool: ToolEntry, scope: 'session' | 'always-tool' | 'always-server'): Promise<void>
  list(): readonly PermissionView[]
  revoke(id: string): Promise<void>
}

export interface PermissionOptions {
  /** The folder of the state, where what is saved is kept. */
  readonly stateFolder: string
  /** The project's folder. */
  readonly project: string
  readonly config: Pick<Config, 'servers'>
  /** Of `--allow`: these and no others. */
  readonly only?: readonly string[] | undefined
}

interface SavedGrant extends Grant {
  readonly id: string
}

export async function openPermissions({ stateFolder, project, config, only }: PermissionOptions): Promise<Permissions> {
  const file = permissionsFile(stateFolder, project)
  const policies = new Map(config.servers.map((server) => [server.name, policyOf(server)]))
  let saved = await readGrants(file)
  let session: readonly SavedGrant[] = []

  return {
    judge: (tool) => judgeCall(questionOf(tool)),
    async grant(tool, scope) {
      const { identity, schemaHash } = questionOf(tool)
      const whole = scope === 'always-server' ? {} : { tool: tool.tool, schemaHash }
      const grant: Grant = { server: tool.server, identity, ...whole }
      if (scope === 'session') session = withGrant(session, grant)
      else await change((grants) => withGrant(grants, grant))
    },
    list: () => [
      ...session.map((grant) => viewOf(grant, 'session')),
      ...saved.map((grant) => viewOf(grant, 'project')),
    ],
    async revoke(id) {
      session = session.filter((grant) => grant.id !== id)
      if (saved.some((grant) => grant.id === id)) await change((grants) => grants.filter((grant) => grant.id !== id))
    },
  }

  function questionOf(tool: ToolEntry): CallQuestion {
    const { identity, ...rules } = policies.get(tool.server) ?? builtinPolicy
    return {
      tool,
      identity,
      schemaHash: schemaHashOf(tool),
      isReadOnly: tool.annotations?.readOnlyHint === true,
      rules,
      grants: [...session, ...saved],
      ...(only === undefined ? {} : { only }),
    }
  }

  async function change(edit: (grants: readonly SavedGrant[]) => readonly SavedGrant[]): Promise<void> {
    await withLock(file, async () => {
      saved = edit(await readGrants(file))
      await writeFileAtomic(file, `${JSON.stringify({ version: 1, project, grants: saved }, null, 2)}\n`, {
        mode: 0o600,
      })
    })
  }
}

function permissionsFile(stateFolder: string, project: string): string {
  return join(stateFolder, 'permissions', `${sha256(project).slice(0, 16)}.json`)
}

type Policy = CallQuestion['rules'] & { readonly identity: string }

/** Of servers that stand in no file: those that are built in. */
const builtinPolicy: Policy = { identity: 'builtin', alwaysAllow: [], deny: [], trustHints: false }

/** Before `${…}` is filled in: secrets come and go, and do not make another server. */
function policyOf({ standing }: Config['servers'][number]): Policy {
  if (standing.kind !== 'usable') return builtinPolicy
  const { alwaysAllow, deny, trustHints } = standing.server
  return { identity: serverIdentity(standing.server), alwaysAllow, deny, trustHints }
}

/** Everything that says what a tool does: a new description asks again, because it may be another tool by now. */
function schemaHashOf({ description, inputSchema, annotations }: ToolEntry): string {
  return sha256(canonicalJson({ description, inputSchema, annotations })).slice(0, 32)
}

function withGrant(grants: readonly SavedGrant[], grant: Grant): readonly SavedGrant[] {
  const id = sha256(`${grant.server}\n${grant.tool ?? ''}`).slice(0, 8)
  return [...grants.filter((known) => known.id !== id), { id, ...grant }]
}

function viewOf({ id, server, tool }: SavedGrant, scope: PermissionView['scope']): PermissionView {
  return { id, scope, server, ...(tool === undefined ? {} : { tool }) }
}

async function readGrants(file: string): Promise<readonly SavedGrant[]> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    const grants = typeof value === 'object' && value !== null && 'grants' in value ? value.grants : []
    return Array.isArray(grants) ? grants.filter(isGrant) : []
  } catch (error) {
    // A file that does not parse allows nothing; the next yes writes it anew.
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return []
    throw error
  }
}

function isGrant(value: unknown): value is SavedGrant {
  if (typeof value !== 'object' || value === null || !('id' in value && 'server' in value && 'identity' in value))
    return false
  const isBound = !('tool' in value) || ('schemaHash' in value && typeof value.schemaHash === 'string')
  return isBound && [value.id, value.server, value.identity].every((text) => typeof text === 'string')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
