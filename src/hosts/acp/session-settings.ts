import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk'
import type { PermissionChoice } from '../../agent/session.ts'

/** What happens to a call that nobody has allowed yet. */
export type Mode = 'ask' | 'allowed' | 'all'

interface ModeInfo {
  readonly id: Mode
  readonly name: string
  readonly description: string
}

const modes: readonly ModeInfo[] = [
  { id: 'ask', name: 'Ask', description: 'Asks before each tool that has not been allowed.' },
  { id: 'allowed', name: 'Allowed only', description: 'Never asks: tools that have not been allowed do not run.' },
  { id: 'all', name: 'Run all', description: 'Never asks: every tool runs that is not denied.' },
]

export function isMode(id: string): id is Mode {
  return modes.some((mode) => mode.id === id)
}

/** The answer that a mode gives by itself; undefined where the person is asked. */
export function answerOfMode(mode: Mode): { readonly choice: PermissionChoice; readonly reason?: string } | undefined {
  if (mode === 'ask') return undefined
  if (mode === 'all') return { choice: 'once' }
  return { choice: 'no', reason: 'In this mode only tools run that have been allowed before.' }
}

export function modeState(current: Mode): SessionModeState {
  return { currentModeId: current, availableModes: modes.map((mode) => ({ ...mode })) }
}

export interface SettingsState {
  readonly mode: Mode
  readonly model: string | undefined
  readonly models: readonly string[]
}

/** What a person can choose for a session. Modes are there a second time, for editors that know only options. */
export function configOptions({ mode, model, models }: SettingsState): SessionConfigOption[] {
  const options = modes.map(({ id, name, description }) => ({ value: id, name, description }))
  const modeOption: SessionConfigOption = {
    type: 'select',
    id: 'mode',
    name: 'Permissions',
    category: 'mode',
    description: 'What happens to calls that have not been allowed.',
    currentValue: mode,
    options,
  }
  return model === undefined ? [modeOption] : [modeOption, modelOption(model, models)]
}

function modelOption(model: string, models: readonly string[]): SessionConfigOption {
  const all = models.includes(model) ? models : [model, ...models]
  return {
    type: 'select',
    id: 'model',
    name: 'Model',
    category: 'model',
    currentValue: model,
    options: all.map((value) => ({ value, name: value })),
  }
}
