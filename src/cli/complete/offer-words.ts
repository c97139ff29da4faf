import type { ParseArgsOptionsConfig } from 'node:util'
import { clientIds, clients } from '../../config/import/clients.ts'
import type { Standing } from '../../config/types.ts'
import type { Catalogue, ListKind } from '../../hub/api.ts'
import { findPrompt, findTool } from '../../hub/names.ts'
import { globalOptions, globalOptionsHelp } from '../global-options.ts'
import { helpTopics } from '../help-topics.ts'
import { findHole, readGiven, takeVerb, type Given, type TypedLine } from './find-hole.ts'
import { offerPromptArguments, offerToolArguments, type Suggest } from './offer-arguments.ts'
import { offerFlags } from './offer-flags.ts'
import { offerPrompts, offerTools } from './offer-names.ts'
import { files, nothing, plain, words, type Candidate, type Offer } from './offer.ts'
import { shells } from './split-line.ts'

/** A verb of the command line, as far as completion needs it. */
export interface Verb {
  readonly summary: string
  readonly load: () => Promise<{
    readonly command: { readonly options: ParseArgsOptionsConfig; readonly help: string }
  }>
}

export interface Vocabulary {
  readonly verbs: Readonly<Record<string, Verb>>
  readonly aliases: Readonly<Record<string, string>>
}

export interface KnownServer {
  readonly name: string
  readonly standing: Standing['kind']
}

/** What can be known without starting anything. */
export interface Knowledge {
  readonly servers: () => Promise<readonly KnownServer[]>
  /** What the servers were last seen to offer. */
  readonly catalogue: (kind: ListKind) => Promise<Catalogue>
  readonly suggest: Suggest
}

/** What could stand at the cursor. `know` gets what the line has said so far, for its `--config` counts. */
export async function offerWords(
  line: TypedLine,
  { verbs, aliases }: Vocabulary,
  know: (given: Given) => Knowledge,
): Promise<Offer> {
  const [word, rest = line.words] = takeVerb(line.words, globalOptions)
  const verb = word === undefined || !Object.hasOwn(aliases, word) ? word : aliases[word]
  const own = verb !== undefined && Object.hasOwn(verbs, verb) ? (await verbs[verb]?.load())?.command : undefined
  if (verb !== undefined && verb !== 'help' && own === undefined) return nothing
  const options = { ...globalOptions, ...own?.options }
  const hole = findHole({ words: rest, current: line.current }, options)
  const given = readGiven(rest, options)
  const asking: Asking = { typed: hole.typed, given, verbs, knowledge: know(given) }
  switch (hole.kind) {
    case 'flag':
      return words(offerFlags(options, given.flags, `${own?.help ?? ''}\n${globalOptionsHelp}`))
    case 'flag-value':
      return offerFlagValue(hole, asking)
    case 'foreign':
      return files()
    case 'positional':
      return verb === undefined ? words(verbWords(verbs)) : ((await offerPositional(verb, asking)) ?? nothing)
  }
}

interface Asking {
  readonly typed: string
  readonly given: Given
  readonly verbs: Vocabulary['verbs']
  readonly knowledge: Knowledge
}

async function offerFlagValue(
  { flag, prefix, typed }: { readonly flag: string; readonly prefix: string; readonly typed: string },
  { knowledge }: Asking,
): Promise<Offer> {
  switch (flag) {
    case 'config':
    case 'save':
    case 'cwd':
      return files(prefix)
    case 'args':
      return typed.startsWith('@') ? files(`${prefix}@`) : nothing
    case 'server':
      return words(named(await knowledge.servers()), prefix)
    case 'type':
      return words(plain(['http', 'sse']), prefix)
    default:
      return nothing
  }
}

async function offerPositional(verb: string, asking: Asking): Promise<Offer | undefined> {
  const { typed, given, verbs, knowledge } = asking
  const { positionals } = given
  const [first, ...before] = positionals
  const isFirst = first === undefined
  const servers = async (isWanted: (standing: Standing['kind']) => boolean = () => true): Promise<Offer> =>
    words(
      named(
        (await knowledge.servers()).filter(({ name, standing }) => !positionals.includes(name) && isWanted(standing)),
      ),
    )

  switch (verb) {
    case 'help':
      return isFirst ? words([...verbWords(verbs), ...plain(Object.keys(helpTopics))]) : undefined
    case 'call':
      if (isFirst) return words(offerTools((await knowledge.catalogue('tools')).tools, typed))
      return offerToolArguments(findTool(await knowledge.catalogue('tools'), first), { typed, before })
    case 'prompt': {
      const catalogue = await knowledge.catalogue('prompts')
      if (isFirst) return words(offerPrompts(catalogue.prompts, typed))
      return offerPromptArguments(findPrompt(catalogue, first), { typed, before }, knowledge.suggest)
    }
    case 'inspect':
      return isFirst ? words(await inspectable(asking)) : undefined
    case 'read':
      return isFirst ? words(resourceWords(await knowledge.catalogue('resources'))) : undefined
    case 'list':
    case 'doctor':
    case 'remove':
      return servers()
    case 'enable':
      return servers((standing) => standing === 'disabled')
    case 'disable':
      return servers((standing) => standing !== 'disabled')
    case 'review':
      return servers((standing) => standing === 'untrusted')
    case 'logs':
    case 'restart':
      return isFirst ? servers() : undefined
    case 'import':
      return words(
        clientIds.filter((id) => !positionals.includes(id)).map((id) => ({ value: id, about: clients[id].title })),
      )
    case 'calls':
      return isFirst ? words([{ value: 'show', about: 'one call in full' }]) : undefined
    case 'config':
      return isFirst ? words([{ value: 'path', about: 'where files are kept' }]) : undefined
    case 'completion':
      return isFirst ? words(plain(shells)) : undefined
    case 'exec':
      return isFirst ? files() : undefined
    default:
      return undefined
  }
}

function verbWords(verbs: Vocabulary['verbs']): readonly Candidate[] {
  const own = Object.entries(verbs).map(([value, { summary }]) => ({ value, about: summary }))
  return [...own, { value: 'help', about: 'help for a command or a topic' }]
}

async function inspectable({ typed, knowledge }: Asking): Promise<readonly Candidate[]> {
  const [servers, { tools }, { prompts }] = await Promise.all([
    knowledge.servers(),
    knowledge.catalogue('tools'),
    knowledge.catalogue('prompts'),
  ])
  return [...named(servers), ...offerTools(tools, typed), ...offerPrompts(prompts, typed)]
}

function resourceWords({ resources }: Catalogue): readonly Candidate[] {
  return resources.map(({ uri, title, name, description }) => ({ value: uri, about: title ?? description ?? name }))
}

function named(servers: readonly KnownServer[]): readonly Candidate[] {
  return servers.map(({ name, standing }) => ({ value: name, about: aboutStanding[standing] }))
}

const aboutStanding: Readonly<Record<Standing['kind'], string>> = {
  usable: 'server',
  disabled: 'server, disabled',
  invalid: 'server, its entry is wrong',
  untrusted: 'server, waits for your approval',
}
