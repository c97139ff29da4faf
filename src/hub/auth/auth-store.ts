import { hash } from 'node:crypto'
import { chmod, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/client'
import { CapstanError, messageOf } from '../../errors.ts'
import { hasCode, writeFileAtomic } from '../../files/atomic-write.ts'
import { withLock, type LockOptions } from '../../files/lock.ts'
import { isObject } from '../../json.ts'

/** What a login has brought. It belongs to one authorization server: at another it must never be shown. */
export interface Login {
  readonly issuer: string
  readonly authorizationServerUrl: string
  /** What the tokens are for, as the server's metadata has it. */
  readonly resource?: string
  /** Where the server's metadata is, if it is not where it usually is. */
  readonly resourceMetadataUrl?: string
  readonly clientId: string
  readonly tokens: OAuthTokens
  readonly expiresAtMs?: number
  readonly requestedScope?: string
}

/** What we are called at an authorization server: registered there, or bound to it by the first use. */
export interface KnownClient {
  readonly issuer: string
  readonly information: OAuthClientInformationMixed
}

/** What a server said when it refused us, for the next login. */
export interface Challenge {
  readonly resourceMetadataUrl?: string
  readonly scope?: string
  /** It knew us, and wants more than we were granted. */
  readonly isStepUp?: boolean
}

export interface Saved {
  readonly login?: Login
  readonly client?: KnownClient
  readonly challenge?: Challenge
  /** When a person granted more because a server asked for it. */
  readonly stepUpsAtMs?: readonly number[]
}

/** Keeps the logins of one person, by the address of the server. Nobody else can read the file. */
export interface AuthStore {
  readonly read: (serverUrl: string) => Promise<Saved>
  /** Changes what is kept for a server, with no other process in between. */
  readonly change: (serverUrl: string, change: (saved: Saved) => Saved) => Promise<Saved>
  /** Runs `run` while no other process renews or makes a login for this server. */
  readonly exclusively: <Value>(serverUrl: string, run: () => Promise<Value>, options?: LockOptions) => Promise<Value>
}

export interface AuthStoreSetup {
  /** The state folder. */
  readonly folder: string
  /** Told why a file that cannot be read was put aside. */
  readonly onLog?: (text: string) => void
}

export function authStore({ folder, onLog }: AuthStoreSetup): AuthStore {
  const file = join(folder, 'logins.json')
  return {
    read: async (serverUrl) => savedIn(await readOrNothing(), serverUrl),
    change: (serverUrl, change) => withLock(file, () => changeUnderLock(serverUrl, change)).catch(explain),
    exclusively: (serverUrl, run, options) =>
      withLock(`${file}.${hash('sha256', keyOf(serverUrl)).slice(0, 16)}`, run, options),
  }

  /** A home that cannot be read must not keep anybody from servers that want no login. */
  async function readOrNothing(): Promise<Servers | undefined> {
    try {
      return await readAll(file)
    } catch (error) {
      onLog?.(`${file} cannot be read (${messageOf(error)}), so no login is known.`)
      return {}
    }
  }

  function explain(error: unknown): never {
    if (error instanceof CapstanError) throw error
    throw new CapstanError('not_allowed', `The login cannot be kept in ${file}: ${messageOf(error)}.`, {
      next: 'Make the folder writable for yourself.',
    })
  }

  async function changeUnderLock(serverUrl: string, change: (saved: Saved) => Saved): Promise<Saved> {
    const all = (await readAll(file)) ?? (await startAnew())
    const changed = change(savedIn(all, serverUrl))
    const { [keyOf(serverUrl)]: _, ...others } = all
    const servers = Object.keys(changed).length === 0 ? others : { ...others, [keyOf(serverUrl)]: changed }
    await closeToOthers(file)
    await writeFileAtomic(file, `${JSON.stringify({ version, servers }, null, 1)}\n`, { mode: 0o600 })
    return changed
  }

  /** Tokens that cannot be read are of no use, but whoever wonders where they went should find them. */
  async function startAnew(): Promise<Servers> {
    const aside = `${file}.unreadable-${Date.now()}`
    await rename(file, aside)
    onLog?.(`${file} could not be read and was put aside as ${aside}; servers will ask for a login again.`)
    return {}
  }
}

/** A file that is replaced keeps its mode, whoever has opened it to others meanwhile. */
async function closeToOthers(file: string): Promise<void> {
  try {
    await chmod(file, 0o600)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

const version = 1
type Servers = Readonly<Record<string, Saved>>

/** Undefined when there is a file that is not ours to understand. */
async function readAll(file: string): Promise<Servers | undefined> {
  try {
    const stored: unknown = JSON.parse(await readFile(file, 'utf8'))
    return isObject(stored) && stored['version'] === version && isObject(stored['servers'])
      ? (stored['servers'] as Servers)
      : undefined
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return {}
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function savedIn(all: Servers | undefined, serverUrl: string): Saved {
  const saved: unknown = all?.[keyOf(serverUrl)]
  if (!isObject(saved)) return {}
  // Each part by itself: one that was damaged by hand must not take the others with it.
  const { login, client, challenge, stepUpsAtMs } = saved
  return {
    ...(isLogin(login) ? { login } : {}),
    ...(isClient(client) ? { client } : {}),
    ...(isObject(challenge) ? { challenge } : {}),
    ...(Array.isArray(stepUpsAtMs) ? { stepUpsAtMs: stepUpsAtMs.filter((at) => typeof at === 'number') } : {}),
  }
}

function isLogin(value: unknown): value is Login {
  if (!isObject(value) || !isObject(value['tokens'])) return false
  const { issuer, authorizationServerUrl, clientId, tokens } = value
  return [issuer, authorizationServerUrl, clientId, tokens['access_token']].every((part) => typeof part === 'string')
}

function isClient(value: unknown): value is KnownClient {
  if (!isObject(value) || !isObject(value['information'])) return false
  return typeof value['issuer'] === 'string' && typeof value['information']['client_id'] === 'string'
}

/** Without the fragment, which no server ever sees. */
function keyOf(serverUrl: string): string {
  const url = new URL(serverUrl)
  url.hash = ''
  return url.href
}
