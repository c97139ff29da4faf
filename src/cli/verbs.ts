/** What can be typed after `capstan`. The table in commands.ts says what each does. */
export const verbs = [
  'list',
  'search',
  'inspect',
  'call',
  'exec',
  'prompt',
  'read',
  'import',
  'connect',
  'disconnect',
  'add',
  'remove',
  'enable',
  'disable',
  'login',
  'logout',
  'doctor',
  'review',
  'status',
  'calls',
  'logs',
  'serve',
  'start',
  'stop',
  'restart',
  'chat',
  'ask',
  'acp',
  'library',
  'config',
  'completion',
] as const

export type Verb = (typeof verbs)[number]

/** Other words for the same verbs. */
export const aliases: Readonly<Record<string, Verb>> = { invoke: 'call', prompts: 'library' }
