import { CapstanError } from '../../errors.ts'
import type { Catalogue, Hub } from '../../hub/api.ts'
import { serversForResource } from '../../hub/catalogue/find-resource.ts'
import { silentServers } from '../../hub/catalogue/names.ts'
import { resourcePart } from '../../agent/content-parts.ts'
import { valueOf, type Command, type Completer, type RunOptions } from '../command.ts'
import type { LiveCatalogue } from '../live-catalogue.ts'
import { printed } from '../outcome.ts'
import type { ServerValues } from '../server-values.ts'
import type { Workings } from '../workings.ts'
import { argument, takes } from './arguments.ts'
import { waiting } from './look-commands.ts'

/** `/read URI`. */
export function readCommand({ context: { hub }, catalogue, values }: Workings): Command {
  const uriSlot = argument('uri', {
    description: 'The URI of a resource',
    required: true,
    complete: completeUri(catalogue, values),
  })
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

/** Resources and templates; once a template's fixed beginning is typed, what its server suggests for the rest. */
function completeUri(catalogue: LiveCatalogue, values: ServerValues): Completer {
  return async (typed, { signal }) => {
    const { resources, templates } = catalogue.current()
    const begun = templates.flatMap((template) => {
      const { beginning, variable } = onlyVariable(template.uriTemplate) ?? { beginning: '', variable: '' }
      return beginning !== '' && typed.startsWith(beginning) ? [{ template, beginning, variable }] : []
    })
    const suggested = await Promise.all(
      begun.map(async ({ template, beginning, variable }) => {
        const request = {
          target: template,
          argument: variable,
          typed: typed.slice(beginning.length),
          given: {},
          signal,
        }
        const completion = await values.suggest(request)
        return completion.values.map((value) => ({ value: beginning + value, detail: template.title ?? template.name }))
      }),
    )
    const listed = resources.map(({ uri, title, name }) => ({ value: uri, detail: title ?? name }))
    const patterns = templates.map(({ uriTemplate, title, name }) => {
      return { value: uriTemplate, detail: `${title ?? name}: fill in the braces` }
    })
    return { items: [...suggested.flat(), ...listed, ...patterns] }
  }
}

/** `person://{name}`: a fixed beginning and one variable at the end. */
function onlyVariable(template: string): { readonly beginning: string; readonly variable: string } | undefined {
  const [, beginning, variable] = /^([^{}]+)\{([\w.]+)\}$/.exec(template) ?? []
  return beginning === undefined || variable === undefined ? undefined : { beginning, variable }
}

interface Place {
  readonly hub: Hub
  readonly catalogue: LiveCatalogue
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
