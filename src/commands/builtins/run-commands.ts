import { CapstanError } from '../../errors.ts'
import type { Catalogue } from '../../hub/api.ts'
import { serversForResource } from '../../hub/find-resource.ts'
import { silentServers } from '../../hub/names.ts'
import { resourcePart } from '../content-parts.ts'
import { valueOf, type Command, type RunOptions } from '../command.ts'
import { printed } from '../outcome.ts'
import type { Workings } from '../workings.ts'
import { argument, from, takes } from './arguments.ts'
import { callCommand } from './call-command.ts'
import { execCommand } from './exec-command.ts'
import { waiting } from './look-commands.ts'

/** `/call`, `/read` and `/exec`: what a person runs without the model. */
export function runCommands(workings: Workings): readonly Command[] {
  return [callCommand(workings), readCommand(workings), execCommand(workings)]
}

function readCommand({ context: { hub }, catalogue }: Workings): Command {
  const known = () => {
    const { resources, templates } = catalogue.current()
    return [
      ...resources.map(({ uri, title, name }) => ({ value: uri, detail: title ?? name })),
      ...templates.map(({ uriTemplate, title, name }) => ({
        value: uriTemplate,
        detail: `${title ?? name}: fill in the braces`,
      })),
    ]
  }
  const uriSlot = argument('uri', { description: 'The URI of a resource', required: true, complete: from(known) })
  return {
    key: 'builtin:read',
    kind: 'builtin',
    name: 'read',
    summary: 'Show a resource',
    declare: () => takes(uriSlot),
    run: async (input, options) => {
      const uri = valueOf(input, 'uri') ?? ''
      const server = await serverOf(uri, { hub, catalogue, options })
      const { onAsk } = options
      const { contents } = await hub.read(
        { server, uri },
        { ...waiting(options), ...(onAsk === undefined ? {} : { onAsk }) },
      )
      return printed(...contents.map((content) => ({ kind: 'content' as const, part: resourcePart(content) })))
    },
  }
}

interface Place {
  readonly hub: Workings['context']['hub']
  readonly catalogue: Workings['catalogue']
  readonly options: RunOptions
}

/** A resource that no list holds yet may be on one of the servers that have not answered, or is new. */
async function serverOf(uri: string, { hub, catalogue, options }: Place): Promise<string> {
  const known = serversForResource(catalogue.current(), uri)
  const asked =
    known.length > 0 ? undefined : await hub.catalogue({ kinds: ['resources', 'templates'], ...waiting(options) })
  const servers = asked === undefined ? known : serversForResource(asked, uri)
  const [server] = servers
  if (server !== undefined && servers.length === 1) return server
  throw server === undefined ? unknown(uri, asked ?? catalogue.current()) : ambiguous(uri, servers)
}

function unknown(uri: string, catalogue: Catalogue): CapstanError {
  const message = `No server lists a resource "${uri}" or a template that fits it.${silentServers(catalogue)}`
  return new CapstanError('resource_unknown', message, { next: 'Type /read and a blank to see what there is.' })
}

function ambiguous(uri: string, servers: readonly string[]): CapstanError {
  return new CapstanError('resource_unknown', `Several servers have "${uri}": ${servers.join(', ')}.`, {
    next: `Disable the others for a while: /servers disable ${servers[1] ?? ''}`,
  })
}
