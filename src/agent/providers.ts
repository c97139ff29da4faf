import type { LanguageModel } from 'ai'
import { unreachable } from '../errors.ts'
import type { Provider } from './choose-model.ts'

export interface ProviderCall {
  readonly provider: Provider
  readonly name: string
  readonly url: string | undefined
  readonly key: string | undefined
}

/** The provider's own model behind a name. Each package is loaded when it is first needed. */
export async function languageModel({
  provider,
  name,
  url,
  key,
}: ProviderCall): Promise<Exclude<LanguageModel, string>> {
  // Never undefined: the packages would look into the environment of the process, which need not be the caller's.
  const apiKey = key ?? 'none'
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ apiKey, baseURL: url ?? 'https://api.anthropic.com/v1' })(name)
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI({ apiKey, baseURL: url ?? 'https://api.openai.com/v1' })(name)
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google')
      return createGoogle({ apiKey, baseURL: url ?? 'https://generativelanguage.googleapis.com/v1beta' })(name)
    }
    case 'compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const headers = key === undefined ? {} : { apiKey: key }
      return createOpenAICompatible({ name: 'compatible', baseURL: url ?? '', includeUsage: true, ...headers })(name)
    }
    default:
      return unreachable(provider)
  }
}
