import { CapstanError } from '../../index.ts'
import { askTrust } from './ask-trust.ts'
import { statusLines } from './describe-state.ts'
import type { Pi, PiContext } from './pi-api.ts'
import { answer, failureText } from './say.ts'
import type { PiWorld } from './world.ts'

interface Subcommand {
  readonly name: string
  readonly about: string
  readonly takesServer?: boolean
  readonly run: (server: string, context: PiContext, world: PiWorld) => Promise<string>
}

/** `/capstan`: how the servers stand, and what a person can do about it. */
export function registerCapstanCommand(pi: Pi, world: PiWorld): void {
  pi.registerCommand('capstan', {
    description: `MCP servers: ${subcommands.map(({ name }) => name).join(', ')}`,
    getArgumentCompletions: (typed) => complete(typed, world),
    async handler(args, context) {
      const [word = 'status', server = ''] = args.split(/\s+/).filter((part) => part !== '')
      try {
        answer(context, await find(word).run(server, context, world))
      } catch (error) {
        answer(context, failureText(error), 'error')
      }
    },
  })
}

const subcommands: readonly Subcommand[] = [
  {
    name: 'status',
    about: 'how the servers stand',
    async run(_server, _context, world) {
      const { hub, live, loaded } = await world.connection()
      await loaded
      const where = hub.where === 'daemon' ? 'kept warm by the daemon' : 'in this process'
      return [`MCP servers, ${where}:`, ...statusLines(await hub.servers(), live.current())].join('\n')
    },
  },
  {
    name: 'restart',
    about: 'restart one server; without a name, read the config again and connect anew',
    takesServer: true,
    async run(server, _context, world) {
      if (server === '') {
        await world.reload()
        return 'The config was read again.'
      }
      const { hub } = await world.connection()
      await hub.control(server, 'restart')
      return `${server} was restarted.`
    },
  },
  {
    name: 'logs',
    about: 'the last lines of a server’s log',
    takesServer: true,
    async run(server, _context, world) {
      if (server === '') throw new CapstanError('usage', 'Which server?', { next: 'Type: /capstan logs NAME' })
      const { hub } = await world.connection()
      const lines = (await hub.logs(server)).slice(-mostLines).map(({ text }) => text)
      return lines.length === 0 ? `${server} has written nothing.` : lines.join('\n')
    },
  },
  {
    name: 'review',
    about: 'decide about servers of the project that wait for you',
    async run(_server, context, world) {
      const isAny = await askTrust(context, world)
      if (isAny) await world.reload()
      return isAny ? 'They may be used now.' : 'Nothing was approved. For what was refused before, run: capstan review'
    },
  },
]

const mostLines = 40

function find(word: string): Subcommand {
  const found = subcommands.find(({ name }) => name === word)
  if (found !== undefined) return found
  const known = subcommands.map(({ name, about }) => `/capstan ${name}: ${about}`).join('\n')
  throw new CapstanError('usage', `There is no "/capstan ${word}".`, { next: `There are:\n${known}` })
}

async function complete(typed: string, world: PiWorld) {
  const [word = '', ...rest] = typed.split(' ')
  if (rest.length === 0) {
    const items = subcommands.filter(({ name }) => name.startsWith(typed))
    return items.map(({ name, about }) => ({ value: name, label: name, description: about }))
  }
  if (subcommands.find(({ name }) => name === word)?.takesServer !== true) return null
  const servers = world.config().servers.filter(({ name }) => name.startsWith(rest.join(' ')))
  return servers.map(({ name }) => ({ value: `${word} ${name}`, label: name }))
}
