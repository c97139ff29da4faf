import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { GatewayProfile, GatewaySettings } from '../config/types.ts'
import { CapstanError, messageOf } from '../errors.ts'
import type { Caller } from '../gateway/caller.ts'
import { sha256, type Key } from '../gateway/http/keys.ts'
import type { AccessRules } from '../policy/access.ts'
import type { Io } from './command.ts'
import type { ServeWishes } from './serve-wishes.ts'

/** Who may come: everybody who can reach us, or those who show a key. */
export interface Callers {
  readonly anybody: Caller
  readonly keys: readonly Key[]
}

const anybodyName = 'local'
const singleName = 'token'

export interface CallerGround {
  readonly io: Io
  /** Takes a key whose token cannot be had, which then lets nobody in; without it that is an error. */
  readonly onBadToken?: ((name: string, error: unknown) => void) | undefined
}

/** The callers that flags, environment and settings speak of. Each rule only takes away: a key cannot have more than the flags leave. */
export async function readCallers(
  wishes: ServeWishes,
  settings: GatewaySettings,
  ground: CallerGround,
): Promise<Callers> {
  const profile = wishes.profile === undefined ? {} : profileNamed(wishes.profile, settings)
  const mode = wishes.mode ?? profile.mode ?? settings.mode ?? 'auto'
  const rules = [rulesOf(wishes), rulesOf(profile), rulesOf(settings)].filter((one) => Object.keys(one).length > 0)
  const anybody: Caller = { name: anybodyName, rules, mode }
  // Who starts us as a program needs no key, and must not fail for one that cannot be read.
  const keys = wishes.http === undefined ? [] : await readKeys(anybody, { wishes, settings, ...ground })
  return { anybody, keys }
}

interface KeySources extends CallerGround {
  readonly wishes: ServeWishes
  readonly settings: GatewaySettings
}

async function readKeys(anybody: Caller, { wishes, settings, io, onBadToken }: KeySources): Promise<readonly Key[]> {
  const keyOf = async (caller: Caller, read: () => Promise<Buffer | undefined>): Promise<readonly Key[]> => {
    try {
      const tokenSha256 = await read()
      return tokenSha256 === undefined ? [] : [{ caller, tokenSha256 }]
    } catch (error) {
      if (onBadToken === undefined) throw error
      onBadToken(caller.name, error)
      return []
    }
  }
  const named = Object.entries(settings.keys ?? {}).map(async ([name, key]) => {
    refuseTakenName(name)
    const profile = key.profile === undefined ? {} : profileNamed(key.profile, settings)
    const rules = [...anybody.rules, rulesOf(profile), rulesOf(key)].filter((one) => Object.keys(one).length > 0)
    const mode = wishes.mode ?? key.mode ?? profile.mode ?? anybody.mode
    return keyOf({ name, rules, mode }, () => keyHash(name, key, io))
  })
  const single = keyOf({ ...anybody, name: singleName }, () => singleHash(wishes, io))
  const keys = (await Promise.all([single, ...named])).flat()
  refuseTwins(keys)
  return keys
}

async function singleHash({ tokenFile }: ServeWishes, io: Io): Promise<Buffer | undefined> {
  if (tokenFile !== undefined) return sha256(await readToken(resolve(io.cwd, tokenFile)))
  const token = io.env['CAPSTAN_TOKEN']
  if (token === undefined || token === '') return undefined
  return sha256(checkedToken(token, 'CAPSTAN_TOKEN'))
}

async function keyHash(
  name: string,
  { tokenFile, tokenSha256 }: NonNullable<GatewaySettings['keys']>[string],
  io: Io,
): Promise<Buffer> {
  if (tokenSha256 !== undefined) return Buffer.from(tokenSha256, 'hex')
  if (tokenFile === undefined) {
    throw new CapstanError('config_missing_field', `The key gateway.keys.${name} has no token.`, {
      next: 'Give it token_file or token_sha256 in config.toml.',
    })
  }
  return sha256(await readToken(tokenPath(tokenFile, io)))
}

/** Where the token of a key is kept. */
export function tokenPath(tokenFile: string, { cwd, env }: Pick<Io, 'cwd' | 'env'>): string {
  return resolve(cwd, tokenFile.replace(/^~(?=\/)/, env['HOME'] ?? homedir()))
}

async function readToken(file: string): Promise<string> {
  try {
    return checkedToken((await readFile(file, 'utf8')).trim(), file)
  } catch (error) {
    if (error instanceof CapstanError) throw error
    throw new CapstanError('usage', `The token file ${file} cannot be read: ${messageOf(error)}.`, { cause: error })
  }
}

const shortestToken = 16

function checkedToken(token: string, from: string): string {
  if (token.length >= shortestToken && /^[\x21-\x7e]+$/.test(token)) return token
  throw new CapstanError(
    'usage',
    `The token of ${from} must have ${shortestToken} characters or more, without blanks.`,
    {
      next: 'Make one with: openssl rand -hex 32',
    },
  )
}

/** What is kept for a caller is kept by its name: a key that shares one would get what the other may have. */
function refuseTakenName(name: string): void {
  if (name !== anybodyName && name !== singleName) return
  throw new CapstanError(
    'config_invalid',
    `A key of the gateway cannot be called "${name}": callers without a key of their own are.`,
    {
      next: `Give gateway.keys.${name} another name in config.toml.`,
    },
  )
}

/** Two keys with one token would be one caller under two names. */
function refuseTwins(keys: readonly Key[]): void {
  const twin = keys.find((key, at) =>
    keys.some((other, before) => before < at && other.tokenSha256.equals(key.tokenSha256)),
  )
  if (twin === undefined) return
  throw new CapstanError('config_invalid', `The key "${twin.caller.name}" has the token of another key.`, {
    next: 'Give each key a token of its own.',
  })
}

function profileNamed(name: string, { profiles = {} }: GatewaySettings): GatewayProfile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile !== undefined) return profile
  const known = Object.keys(profiles)
  throw new CapstanError('usage', `There is no profile "${name}" of the gateway.`, {
    next: known.length === 0 ? 'Add [gateway.profiles.NAME] to config.toml.' : `There are: ${known.join(', ')}.`,
  })
}

/** An empty list of servers or tools from the command line means that nothing was said. */
function rulesOf({ servers = [], tools = [], deny = [], ask = [] }: AccessRules): AccessRules {
  return {
    ...(servers.length === 0 ? {} : { servers }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(deny.length === 0 ? {} : { deny }),
    ...(ask.length === 0 ? {} : { ask }),
  }
}
