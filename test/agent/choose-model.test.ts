import { describe, expect, test } from 'vitest'
import { chooseModel, offeredModels, type ModelSources } from '../../src/agent/choose-model.ts'

const key = { ANTHROPIC_API_KEY: 'a' }
const local = { name: 'qwen3', url: 'http://127.0.0.1:11434/v1' }

describe('the model that is chosen', () => {
  test.each<[string, ModelSources, object | undefined]>([
    ['is none where nothing says', { env: {} }, undefined],
    ['is none where a key is empty', { env: { OPENAI_API_KEY: '' } }, undefined],
    [
      'comes from the key that is set',
      { env: { OPENAI_API_KEY: 'k' } },
      { id: 'openai/gpt-5.5', provider: 'openai', key: 'k' },
    ],
    ['comes from any of the names of a key', { env: { GOOGLE_API_KEY: 'k' } }, { provider: 'google', key: 'k' }],
    [
      'is that of the first of several keys',
      { env: { GEMINI_API_KEY: 'g', ...key } },
      { provider: 'anthropic', key: 'a' },
    ],
    [
      'comes from the settings before a key',
      { env: key, settings: local },
      { id: 'qwen3', provider: 'compatible', name: 'qwen3', url: local.url, key: undefined },
    ],
    [
      'comes from the environment before the settings',
      { env: { CAPSTAN_MODEL: 'llama' }, settings: local },
      { id: 'llama', url: local.url },
    ],
    [
      'comes from the flag before all',
      { named: 'anthropic/x', env: { CAPSTAN_MODEL: 'llama', ...key }, settings: local },
      { provider: 'anthropic', name: 'x', url: undefined, key: 'a' },
    ],
    [
      'may have a slash in its name at an address of its own',
      { env: {}, settings: { name: 'meta/llama', url: 'http://x/v1' } },
      { provider: 'compatible', name: 'meta/llama' },
    ],
    [
      'of a provider may be at another address',
      { env: key, settings: { name: 'anthropic/x', url: 'http://proxy' } },
      { provider: 'anthropic', url: 'http://proxy' },
    ],
    ['takes a key for an address of its own', { env: { CAPSTAN_MODEL_KEY: 'mine' }, settings: local }, { key: 'mine' }],
    [
      'takes the address from the environment',
      { env: { CAPSTAN_MODEL: 'x', CAPSTAN_MODEL_URL: 'http://y/v1' } },
      { provider: 'compatible', url: 'http://y/v1' },
    ],
    [
      'keeps the address of the environment, whatever the settings name',
      { named: 'openai/x', env: { CAPSTAN_MODEL_URL: 'http://y/v1' }, settings: local },
      { provider: 'openai', url: 'http://y/v1' },
    ],
    ['has a context by its provider', { env: key }, { contextTokens: 200_000, tools: 'native' }],
    [
      'has the context and the dialect of the settings',
      { env: {}, settings: { ...local, contextTokens: 8000, tools: 'xml' } },
      { contextTokens: 8000, tools: 'xml' },
    ],
    ['has 128k where nothing is known', { env: {}, settings: local }, { contextTokens: 128_000 }],
  ])('%s', (_, sources, choice) => {
    if (choice === undefined) expect(chooseModel(sources)).toBeUndefined()
    else expect(chooseModel(sources)).toMatchObject(choice)
  })

  test('needs an address where no provider is known', () => {
    expect(() => chooseModel({ named: 'llama3', env: key })).toThrow(/names no provider/)
    expect(() => chooseModel({ named: 'mistral/large', env: key })).toThrow(/names no provider/)
  })
})

test('models are offered by the settings and the keys that are set', () => {
  expect(offeredModels({ env: { ...key, CAPSTAN_MODEL: 'x' }, settings: local })).toEqual([
    'x',
    'qwen3',
    'anthropic/claude-sonnet-5-5',
  ])
  expect(offeredModels({ env: {} })).toEqual([])
})
