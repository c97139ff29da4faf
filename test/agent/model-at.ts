import { openModel } from '../../src/agent/open-model.ts'
import type { Model } from '../../src/agent/model.ts'
import type { Dialect } from '../fixtures/model-server.ts'

export const dialects: readonly Dialect[] = ['chat', 'responses', 'anthropic', 'google']

const providers = { chat: 'compatible', responses: 'openai', anthropic: 'anthropic', google: 'google' } as const

/** A model that speaks this protocol with the scripted server at an address. */
export function modelAt(
  dialect: Dialect,
  url: string,
  rest: Partial<Parameters<typeof openModel>[0]> = {},
  idleMs?: number,
): Model {
  const choice = {
    id: `${dialect}/scripted`,
    provider: providers[dialect],
    name: 'scripted',
    url,
    key: 'key-1',
    keyCommand: undefined,
    contextTokens: 128_000,
    tools: 'native',
    ...rest,
  } as const
  const silence = idleMs === undefined ? {} : { idleMs }
  return openModel(choice, { env: { PATH: process.env['PATH'] }, homeFolder: process.cwd(), ...silence })
}
