import { makeCommandRunner } from '../config/run-command.ts'
import type { ModelChoice, Provider } from './choose-model.ts'
import type { Model, StepPart, StepRequest } from './model.ts'
import type { Takes } from './model-messages.ts'

export interface OpenModelOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeFolder: string
  /** How long the provider may be silent; five minutes when absent, because models think for long. */
  readonly idleMs?: number
}

/** The chosen model. Nothing is loaded, asked or run before its first step. */
export function openModel(choice: ModelChoice, options: OpenModelOptions): Model {
  const run = makeCommandRunner(options)
  const { id, contextTokens, tools, keyCommand } = choice
  return {
    id,
    contextTokens,
    tools,
    step,
    withXmlTools: () => openModel({ ...choice, tools: 'xml' }, options),
  }

  async function* step(request: StepRequest, { signal }: { readonly signal: AbortSignal }): AsyncIterable<StepPart> {
    const key = await findKey()
    if (typeof key === 'object') {
      yield { kind: 'failed', failure: { kind: 'rejected', message: key.problem } }
      return
    }
    const [{ aiStep }, { languageModel }] = await Promise.all([import('./ai-model.ts'), import('./providers.ts')])
    const language = await languageModel({ ...choice, key })
    yield* aiStep(request, {
      id,
      language,
      takes: takes[choice.provider],
      tools,
      signal,
      idleMs: options.idleMs ?? 300_000,
    })
  }

  async function findKey(): Promise<string | undefined | { readonly problem: string }> {
    if (choice.key !== undefined) return choice.key
    if (keyCommand === undefined) {
      // A server of one's own may want none.
      const isNeeded = choice.provider !== 'compatible' && choice.url === undefined
      return isNeeded ? { problem: `no key for ${choice.provider} is set` } : undefined
    }
    const outcome = await run(keyCommand)
    if (outcome.kind === 'printed') return outcome.text
    return { problem: `key_command of [model] gave no key: ${outcome.reason}.` }
  }
}

/** What the providers' protocols can carry; whether a model at one's own address can see is not known. */
const takes: Readonly<Record<Provider, Takes>> = {
  anthropic: { inMessages: ['image/', 'application/pdf'], inResults: ['image/', 'application/pdf'] },
  openai: { inMessages: ['image/', 'application/pdf'], inResults: ['image/', 'application/pdf'] },
  google: { inMessages: ['image/', 'audio/', 'video/', 'application/pdf'], inResults: [] },
  compatible: { inMessages: ['image/', 'audio/wav', 'audio/mpeg', 'audio/mp3'], inResults: [] },
}
