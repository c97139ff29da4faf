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

/** The callers that flags, environment and settings speak of. Each rule only takes away: a key cannot have more than the flags leave. */
export async function readCallers(wishes: ServeWishes, settings: GatewaySettings, io: Io): Promise<Callers> {
  const profile = wishes.profile === undefined ? {} : profileNamed(wishes.profile, settings)
  const mode = wishes.mode ?? profile.mode ?? settings.mode ?? 'auto'
  const rules = [rulesOf(wishes), rulesOf(profile), rulesOf(settings)].filter((one) => Object.keys(one).length > 0)
  const anybody: Caller = { name: 'local', rules, mode }
  // Who starts us as a program needs no key, and must not fail for one that cannot be read.
  const keys = wishes.http === undefined ? [] : await readKeys(anybody, { wishes, settings, io })
  return { anybody, keys }
}

interface KeySources {
  readonly wishes: ServeWishes
  readonly settings: GatewaySettings
  readonly io: Io
}

async function readKeys(anybody: Caller, { wishes, settings, io }: KeySources): Promise<readonly Key[]> {
  const single = await singleToken(wishes, io)
  const named = Object.entries(settings.keys ?? {}).map(async ([name, key]): Promise<Key> => {
    const profile = key.profile === undefined ? {} : profileNamed(key.profile, settings)
    const rules = [...anybody.rules, rulesOf(profile), rulesOf(key)].filter((one) => Object.keys(one).length > 0)
    const mode = wishes.mode ?? key.mode ?? profile.mode ?? anybody.mode
    return { caller: { name, rules, mode }, tokenSha256: await keyHash(name, key, io) }
  })
  const keys = [
    ...(single === undefined ? [] : [{ caller: { ...anybody, name: 'token' }, tokenSha256: sha256(single) }]),
    ...(await Promise.all(named)),
  ]
  refuseTwins(keys)
  return keys
}

async function singleToken({ tokenFile }: ServeWishes, io: Io): Promise<string | undefined> {
  if (tokenFile !== undefined) return readToken(resolve(io.cwd, tokenFile))
  const token = io.env['CAPSTAN_TOKEN']
  if (token === undefined || token === '') return undefined
  return checkedToken(token, 'CAPSTAN_TOKEN')
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
  return sha256(await readToken(resolve(io.cwd, tokenFile.replace(/^~(?=\/)/, io.env['HOME'] ?? homedir()))))
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
