import type { Command } from './command.ts'
import { aliases, type Verb } from './verbs.ts'

/** What `--help` needs to know of a verb, without loading it. */
export interface CommandEntry {
  readonly group: 'Use' | 'Set up' | 'Watch' | 'Run' | 'Agent' | 'Library' | 'More'
  readonly usage: string
  readonly summary: string
  readonly load: () => Promise<{ readonly command: Command }>
}

const table: Readonly<Record<Verb, CommandEntry>> = {
  list: {
    group: 'Use',
    usage: 'list [server…]',
    summary: 'what the servers offer',
    load: () => import('./commands/list.ts'),
  },
  search: {
    group: 'Use',
    usage: 'search WORDS',
    summary: 'find tools by what they do',
    load: () => import('./commands/search.ts'),
  },
  inspect: {
    group: 'Use',
    usage: 'inspect NAME',
    summary: 'one tool, prompt or server in full',
    load: () => import('./commands/inspect.ts'),
  },
  call: {
    group: 'Use',
    usage: 'call TOOL [key=value…]',
    summary: 'run a tool',
    load: () => import('./commands/call.ts'),
  },
  exec: {
    group: 'Use',
    usage: 'exec FILE|-e CODE|-',
    summary: 'run code that calls tools, in a sandbox',
    load: () => import('./commands/exec.ts'),
  },
  prompt: {
    group: 'Use',
    usage: 'prompt SERVER:PROMPT [key=value…]',
    summary: 'render a prompt',
    load: () => import('./commands/prompt.ts'),
  },
  read: { group: 'Use', usage: 'read URI', summary: 'print a resource', load: () => import('./commands/read.ts') },
  import: {
    group: 'Set up',
    usage: 'import [client…]',
    summary: 'bring in the servers of other clients',
    load: () => import('./commands/import.ts'),
  },
  connect: {
    group: 'Set up',
    usage: 'connect CLIENT…',
    summary: 'put Capstan into other clients',
    load: () => import('./commands/connect.ts'),
  },
  disconnect: {
    group: 'Set up',
    usage: 'disconnect CLIENT…',
    summary: 'take it out again, byte for byte',
    load: () => import('./commands/disconnect.ts'),
  },
  add: {
    group: 'Set up',
    usage: 'add NAME URL | add NAME -- COMMAND…',
    summary: 'add a server',
    load: () => import('./commands/add.ts'),
  },
  remove: {
    group: 'Set up',
    usage: 'remove NAME…',
    summary: 'take a server out',
    load: () => import('./commands/remove.ts'),
  },
  enable: {
    group: 'Set up',
    usage: 'enable NAME…',
    summary: 'use a server again',
    load: () => import('./commands/enable.ts'),
  },
  disable: {
    group: 'Set up',
    usage: 'disable NAME…',
    summary: 'keep a server but do not use it',
    load: () => import('./commands/disable.ts'),
  },
  login: {
    group: 'Set up',
    usage: 'login [server…]',
    summary: 'log in to servers that want it',
    load: () => import('./commands/login.ts'),
  },
  logout: {
    group: 'Set up',
    usage: 'logout SERVER…',
    summary: 'forget a login',
    load: () => import('./commands/logout.ts'),
  },
  doctor: {
    group: 'Watch',
    usage: 'doctor [server…]',
    summary: 'what is wrong, and how to mend it',
    load: () => import('./commands/doctor.ts'),
  },
  review: {
    group: 'Watch',
    usage: 'review',
    summary: 'decide what waits for you: approvals, questions',
    load: () => import('./commands/review.ts'),
  },
  status: {
    group: 'Watch',
    usage: 'status [-w]',
    summary: 'the daemon and the servers it runs',
    load: () => import('./commands/status.ts'),
  },
  calls: {
    group: 'Watch',
    usage: 'calls [-f] | calls show ID',
    summary: 'the last tool calls',
    load: () => import('./commands/calls.ts'),
  },
  logs: {
    group: 'Watch',
    usage: 'logs SERVER [-f]',
    summary: 'what a server wrote',
    load: () => import('./commands/logs.ts'),
  },
  serve: {
    group: 'Run',
    usage: 'serve [--http ADDR] [--mode MODE]',
    summary: 'offer all servers to other agents, as one',
    load: () => import('./commands/serve.ts'),
  },
  start: { group: 'Run', usage: 'start', summary: 'start the daemon', load: () => import('./commands/start.ts') },
  stop: {
    group: 'Run',
    usage: 'stop',
    summary: 'stop the daemon and its servers',
    load: () => import('./commands/stop.ts'),
  },
  restart: {
    group: 'Run',
    usage: 'restart [server]',
    summary: 'stop a server; the next use starts it anew',
    load: () => import('./commands/restart.ts'),
  },
  chat: {
    group: 'Agent',
    usage: 'chat [--continue | --resume [ID]]',
    summary: 'a session with a model, your tools and prompts',
    load: () => import('./commands/chat.ts'),
  },
  ask: {
    group: 'Agent',
    usage: 'ask "QUESTION"',
    summary: 'ask a model, which may use your tools',
    load: () => import('./commands/ask.ts'),
  },
  acp: {
    group: 'Agent',
    usage: 'acp',
    summary: 'be the agent of an editor (Agent Client Protocol)',
    load: () => import('./commands/acp.ts'),
  },
  library: {
    group: 'Library',
    usage: 'library COMMAND',
    summary: 'your prompts: list, show, search, add, edit, import, sync …',
    load: () => import('./commands/library.ts'),
  },
  config: {
    group: 'More',
    usage: 'config',
    summary: 'the config in force and where it comes from',
    load: () => import('./commands/config.ts'),
  },
  completion: {
    group: 'More',
    usage: 'completion SHELL',
    summary: 'Tab completion for bash, zsh and fish',
    load: async () => {
      const { completionCommand } = await import('./commands/completion.ts')
      return { command: completionCommand({ verbs: table, aliases }) }
    },
  },
}

/** By whatever was typed: not every word is a verb. */
export const commands: Readonly<Record<string, CommandEntry>> = table
