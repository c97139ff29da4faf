import { clockText } from '../../commands/time-text.ts'
import { gatewayModes } from '../../config/connect/gateway-entry.ts'
import { clientIds, clients } from '../../config/import/clients.ts'
import type { Standing } from '../../config/types.ts'
import type { Catalogue, ListKind } from '../../hub/api.ts'
import type { CallRecord } from '../../hub/call-log.ts'
import { findPrompt, findTool } from '../../hub/catalogue/names.ts'
import { helpTopics } from '../help-topics.ts'
import { formatIds } from '../../prompts/formats/ids.ts'
import type { StoredPrompt } from '../../prompts/store.ts'
import type { Given } from './find-hole.ts'
import { libraryWords } from './library-words.ts'
import { offerPromptArguments, offerToolArguments, type Suggest } from './offer-arguments.ts'
import { offerPrompts, offerTools } from './offer-names.ts'
import { files, nothing, plain, words, type Candidate, type Offer } from './offer.ts'
import { shells } from './split-line.ts'

export interface Verb {
  readonly summary: string
}

interface KnownServer {
  readonly name: string
  readonly standing: Standing['kind']
}

/** What can be known without starting anything. */
export interface Knowledge {
  readonly servers: () => Promise<readonly KnownServer[]>
  /** What the servers were last seen to offer. */
  readonly catalogue: (kind: ListKind) => Promise<Catalogue>
  readonly suggest: Suggest
  /** The calls that are kept, the oldest first. */
  readonly calls: () => Promise<readonly Pick<CallRecord, 'id' | 'at' | 'tool' | 'outcome'>[]>
  /** The prompts of the library. */
  readonly library: () => Promise<readonly StoredPrompt[]>
}

/** Where a word is wanted, and what there is to choose it from. */
interface Asking {
  readonly typed: string
  readonly given: Given
  readonly verbs: Readonly<Record<string, Verb>>
  readonly knowledge: Knowledge
}

type Answer = Promise<Offer> | Offer

/** What each verb takes besides flags. A verb that is not here takes what only the person knows. */
export const positionals: Readonly<Record<string, (asking: Asking) => Answer>> = {
  list: servers(),
  inspect: one(async (asking) => words(await inspectable(asking))),
  call: callWords,
  prompt: promptWords,
  read: one(async ({ knowledge }) => words(resourceWords(await knowledge.catalogue('resources')))),
  exec: one(() => files()),
  import: otherClients,
  connect: otherClients,
  disconnect: otherClients,
  remove: servers((standing) => standing !== 'own'),
  enable: servers((standing) => standing === 'disabled'),
  disable: servers((standing) => standing !== 'disabled' && standing !== 'own'),
  login: servers((standing) => standing !== 'own'),
  logout: servers((standing) => standing !== 'own'),
  doctor: servers(),
  review: servers((standing) => standing === 'untrusted'),
  calls: callsWords,
  logs: one(servers()),
  restart: one(servers()),
  library: ({ typed, given, knowledge }) => libraryWords({ typed, given, prompts: knowledge.library }),
  config: one(() => words([{ value: 'path', about: 'where files are kept' }])),
  completion: one(() => words(plain(shells))),
  help: one(({ verbs }) => words([...verbWords(verbs), ...topicWords()])),
}

/** What the flags take that name something we know. */
export const flagValues: Readonly<Record<string, (asking: Asking, prefix: string) => Answer>> = {
  config: (_, prefix) => files(prefix),
  save: (_, prefix) => files(prefix),
  cwd: (_, prefix) => files(prefix),
  args: ({ typed }, prefix) => (typed.startsWith('@') ? files(`${prefix}@`) : nothing),
  server: async ({ knowledge }, prefix) => words(serverWords(await knowledge.servers()), prefix),
  type: (_, prefix) => words(plain(['http', 'sse']), prefix),
  as: (_, prefix) => words(plain(['entry', 'skill']), prefix),
  mode: (_, prefix) => words(plain(gatewayModes), prefix),
  file: (_, prefix) => files(prefix),
  prompt: async ({ typed, knowledge }, prefix) =>
    words(offerPrompts((await knowledge.catalogue('prompts')).prompts, typed), prefix),
  to: (_, prefix) => files(prefix),
  'prompts-dir': (_, prefix) => files(prefix),
  settings: (_, prefix) => files(prefix),
  log: (_, prefix) => files(prefix),
  format: (_, prefix) => words(plain(formatIds), prefix),
  tag: async ({ knowledge }, prefix) => words(tagWords(await knowledge.library()), prefix),
  'any-tag': async ({ knowledge }, prefix) => words(tagWords(await knowledge.library()), prefix),
}

export function verbWords(verbs: Readonly<Record<string, Verb>>): readonly Candidate[] {
  const own = Object.entries(verbs).map(([value, { summary }]) => ({ value, about: summary }))
  return [...own, { value: 'help', about: 'help for a command or a topic' }]
}

/** For a verb that takes one word: nothing follows it. */
function one(offer: (asking: Asking) => Answer): (asking: Asking) => Answer {
  return (asking) => (asking.given.positionals.length === 0 ? offer(asking) : nothing)
}

function servers(isWanted: (standing: Standing['kind']) => boolean = () => true): (asking: Asking) => Promise<Offer> {
  return async ({ knowledge, given }) => {
    const known = await knowledge.servers()
    return words(
      serverWords(known.filter(({ name, standing }) => isWanted(standing) && !given.positionals.includes(name))),
    )
  }
}

async function callWords({ typed, given, knowledge }: Asking): Promise<Offer> {
  const [name, ...before] = given.positionals
  const catalogue = await knowledge.catalogue('tools')
  if (name === undefined) return words(offerTools(catalogue.tools, typed))
  return offerToolArguments(findTool(catalogue, name), { typed, before })
}

async function promptWords({ typed, given, knowledge }: Asking): Promise<Offer> {
  const [name, ...before] = given.positionals
  const catalogue = await knowledge.catalogue('prompts')
  if (name === undefined) return words(offerPrompts(catalogue.prompts, typed))
  return offerPromptArguments(findPrompt(catalogue, name), { typed, before }, knowledge.suggest)
}

const callsOffered = 20

/** The last calls, the newest first: those are what somebody wants to see. */
async function callsWords({ given: { positionals: before }, knowledge }: Asking): Promise<Offer> {
  if (before.length === 0) return words([{ value: 'show', about: 'one call in full' }])
  if (before.length > 1 || before[0] !== 'show') return nothing
  const last = (await knowledge.calls()).slice(-callsOffered).toReversed()
  return words(
    last.map(({ id, at, tool, outcome }) => ({ value: id, about: `${clockText(Date.parse(at))} ${tool} ${outcome}` })),
  )
}

async function inspectable({ typed, knowledge }: Asking): Promise<readonly Candidate[]> {
  const [known, { tools }, { prompts }] = await Promise.all([
    knowledge.servers(),
    knowledge.catalogue('tools'),
    knowledge.catalogue('prompts'),
  ])
  return [...serverWords(known), ...offerTools(tools, typed), ...offerPrompts(prompts, typed)]
}

function resourceWords({ resources }: Catalogue): readonly Candidate[] {
  return resources.map(({ uri, title, name, description }) => ({ value: uri, about: title ?? description ?? name }))
}

function otherClients({ given }: Asking): Offer {
  const others = clientIds.filter((id) => !given.positionals.includes(id))
  return words(others.map((id) => ({ value: id, about: clients[id].title })))
}

function tagWords(prompts: readonly StoredPrompt[]): readonly Candidate[] {
  return plain([...new Set(prompts.flatMap(({ prompt }) => prompt.tags))].sort((a, b) => (a < b ? -1 : 1)))
}

function topicWords(): readonly Candidate[] {
  // The first line of each is its title.
  return Object.entries(helpTopics).map(([value, text]) => ({ value, about: text.split('\n')[0] }))
}

function serverWords(known: readonly KnownServer[]): readonly Candidate[] {
  return known.map(({ name, standing }) => ({ value: name, about: aboutStanding[standing] }))
}

const aboutStanding: Readonly<Record<Standing['kind'], string>> = {
  usable: 'server',
  disabled: 'server, disabled',
  invalid: 'server, its entry is wrong',
  untrusted: 'server, waits for your approval',
  own: 'your own tools',
}
