import { CapstanError } from '../../errors.ts'
import type { Catalogue } from '../../hub/api.ts'
import { serversForResource } from '../../hub/catalogue/find-resource.ts'
import { silentServers } from '../../hub/catalogue/names.ts'
import { answeringAsks, answerOption } from '../answering-asks.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { resourceText } from '../content.ts'
import { exitCodes } from '../exit-codes.ts'
import { reachFor } from '../reach.ts'

export const command: Command = {
  options: { server: { type: 'string' }, save: { type: 'string' }, ...answerOption },
  help: `Print a resource. The server is found by the URI, among the resources and the templates of all servers.

  --server NAME   ask this server, whatever its lists say
  --save DIR      keep binary contents there and print their names; without it they go to stdout as they are when it is a pipe
  --answer K=V    fill in a field of what the server asks meanwhile (repeatable)
  --json          the contents as the server sent them

Examples
  capstan list --resources
  capstan read demo://resource/static/document/architecture.md`,
  run,
}

async function run(context: CommandContext, { positionals, values }: CommandInput): Promise<number> {
  const { io, flags } = context
  const [uri, ...more] = positionals
  if (uri === undefined || more.length > 0)
    throw new CapstanError('usage', 'Which resource? Write: capstan read URI', {
      next: 'Run: capstan list --resources',
    })

  const named = typeof values['server'] === 'string' ? values['server'] : undefined
  const { hub, server } =
    named === undefined ? await find(context, uri) : { hub: await context.openHub(() => [named]), server: named }
  const result = await answeringAsks({ context, values }, (asks) => hub.read({ server, uri }, asks))
  if (flags.json) {
    await io.out(`${JSON.stringify(result)}\n`)
    return exitCodes.ok
  }
  const saveTo = typeof values['save'] === 'string' ? values['save'] : undefined
  for (const [index, contents] of result.contents.entries()) {
    const isRaw = saveTo === undefined && 'blob' in contents && !io.stdoutIsTerminal
    if (isRaw) await io.out(Buffer.from(contents.blob, 'base64'))
    else {
      const text = await resourceText(contents, index, { io, saveTo, stem: 'resource' })
      if (text !== undefined) await io.out(text.endsWith('\n') ? text : `${text}\n`)
    }
  }
  return exitCodes.ok
}

async function find(context: CommandContext, uri: string) {
  // A URI names no server of ours, so all of them are asked.
  const { hub, catalogue } = await reachFor(context, '', ['resources', 'templates'])
  const servers = serversForResource(catalogue, uri)
  const [server] = servers
  if (server !== undefined && servers.length === 1) return { hub, server }
  throw server === undefined ? unknown(uri, catalogue) : ambiguous(uri, servers)
}

function unknown(uri: string, catalogue: Catalogue): CapstanError {
  const message = `No server lists a resource "${uri}" or a template that fits it.${silentServers(catalogue)}`
  return new CapstanError('resource_unknown', message, {
    next: 'Run: capstan list --resources, or name the server with --server NAME.',
  })
}

function ambiguous(uri: string, servers: readonly string[]): CapstanError {
  return new CapstanError('resource_unknown', `Several servers have "${uri}": ${servers.join(', ')}.`, {
    next: 'Name one with --server NAME.',
  })
}
