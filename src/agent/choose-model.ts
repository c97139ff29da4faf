import type { ModelSettings } from '../config/types.ts'
import { CapstanError } from '../errors.ts'

/** Whose wire protocol is spoken. `compatible` is OpenAI's chat protocol at any address. */
export type Provider = 'anthropic' | 'openai' | 'google' | 'compatible'

export interface ModelChoice {
  /** `provider/name`, or the bare name of a model at an address of one's own. */
  readonly id: string
  readonly provider: Provider
  readonly name: string
  readonly url: string | undefined
  /** The key from the environment; `keyCommand` is asked when there is none. */
  readonly key: string | undefined
  readonly keyCommand: string | undefined
  readonly contextTokens: number
  readonly tools: 'native' | 'xml'
}

export interface ModelSources {
  /** What `--model` or `/model` named. */
  readonly named?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly settings?: ModelSettings | undefined
}

/** How to set a model, for whoever has none. */
export const howToSetModel =
  'Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or write [model] with name and url into config.toml; where that is: capstan config path'

/** The model to talk to: named by flag, environment or settings, else by the key that is set. Undefined where nothing says. */
export function chooseModel({ named, env, settings = {} }: ModelSources): ModelChoice | undefined {
  const url = filled(env['CAPSTAN_MODEL_URL']) ?? settings.url
  const name = filled(named) ?? filled(env['CAPSTAN_MODEL']) ?? settings.name
  const byKey = providers.find(({ keys }) => keys.some((key) => filled(env[key]) !== undefined))
  const id = name ?? (url === undefined && byKey !== undefined ? `${byKey.provider}/${byKey.model}` : undefined)
  if (id === undefined) return undefined
  const slash = id.indexOf('/')
  const known = providers.find(({ provider }) => provider === id.slice(0, slash))
  if (known === undefined && url === undefined) throw unknownProvider(id)
  // The address in the settings may be meant for another provider than the one that was just named.
  const isForThis = known === undefined || settings.name === id || settings.name === undefined
  const keys = [...(known?.keys ?? []), 'CAPSTAN_MODEL_KEY']
  return {
    id,
    provider: known?.provider ?? 'compatible',
    name: known === undefined ? id : id.slice(slash + 1),
    url: isForThis ? url : filled(env['CAPSTAN_MODEL_URL']),
    key: keys.map((key) => filled(env[key])).find((key) => key !== undefined),
    keyCommand: settings.keyCommand,
    contextTokens: settings.contextTokens ?? known?.contextTokens ?? 128_000,
    tools: settings.tools ?? 'native',
  }
}

/** The models that can be named without looking anything up: the settings' own, and one for each key that is set. */
export function offeredModels({ env, settings }: Omit<ModelSources, 'named'>): readonly string[] {
  const byKey = providers.filter(({ keys }) => keys.some((key) => filled(env[key]) !== undefined))
  const own = [filled(env['CAPSTAN_MODEL']), settings?.name].filter((name) => name !== undefined)
  return [...new Set([...own, ...byKey.map(({ provider, model }) => `${provider}/${model}`)])]
}

interface KnownProvider {
  readonly provider: Exclude<Provider, 'compatible'>
  readonly keys: readonly string[]
  /** What is talked to when only a key is set. */
  readonly model: string
  readonly contextTokens: number
}

const providers: readonly KnownProvider[] = [
  { provider: 'anthropic', keys: ['ANTHROPIC_API_KEY'], model: 'claude-sonnet-5-5', contextTokens: 200_000 },
  { provider: 'openai', keys: ['OPENAI_API_KEY'], model: 'gpt-5.5', contextTokens: 200_000 },
  {
    provider: 'google',
    keys: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'],
    model: 'gemini-pro-latest',
    contextTokens: 1_000_000,
  },
]

function filled(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text
}

function unknownProvider(id: string): CapstanError {
  return new CapstanError('model_unknown', `The model "${id}" names no provider that Capstan knows.`, {
    next: 'Write anthropic/NAME, openai/NAME or google/NAME, or set the address of its server: [model] url in config.toml, or CAPSTAN_MODEL_URL.',
  })
}
