import { CapstanError } from '../../errors.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { readWishes } from '../serve-wishes.ts'

export const command: Command = {
  options: {
    http: { type: 'string' },
    mode: { type: 'string' },
    servers: { type: 'string', multiple: true },
    tools: { type: 'string', multiple: true },
    allow: { type: 'string', multiple: true },
    deny: { type: 'string', multiple: true },
    ask: { type: 'string', multiple: true },
    profile: { type: 'string' },
    'no-prefix': { type: 'boolean' },
    own: { type: 'boolean' },
    'token-file': { type: 'string' },
    'allow-host': { type: 'string', multiple: true },
    'allow-origin': { type: 'string', multiple: true },
    'audit-arguments': { type: 'boolean' },
  },
  help: `Offer all servers as one MCP server: over stdin and stdout to the client that starts it, or over HTTP at /mcp.

  --http [HOST:]PORT    listen there; without a host only this machine can come
  --mode MODE           all: every tool · meta: a few tools that find and call them · code: search and exec
                        auto (the default): all while they are cheap to declare, else meta
  --servers A,B         only these servers          --tools GLOB    only these tools (also: --allow)
  --deny GLOB           never these tools           --ask GLOB      these only after somebody said yes
  --profile NAME        [gateway.profiles.NAME] of config.toml
  --no-prefix           tools and prompts keep their own names, for a single server
  --own                 run the servers here instead of sharing those of the daemon

  --token-file FILE     who comes over HTTP must show this token (or: CAPSTAN_TOKEN); needed beyond this machine
  --allow-host NAME     another name that we are reached by
  --allow-origin URL    a web page that may come
  --audit-arguments     note the arguments of calls too, with secrets masked

GLOB, A and NAME may be repeated. Every call is noted in gateway.jsonl of the state folder.

Examples
  claude mcp add capstan -- capstan serve
  capstan serve --servers github,memory --deny 'github.delete_*'
  capstan serve --http 7332 --token-file ~/.capstan-token`,
  run,
}

async function run(context: CommandContext, { values, positionals }: CommandInput): Promise<number> {
  if (positionals.length > 0)
    throw new CapstanError('usage', `"${positionals[0]}" is too much: serve takes only flags.`, {
      next: 'For one server: capstan serve --servers NAME',
    })
  const { serveGateway } = await import('../serve-gateway.ts')
  await serveGateway(context, readWishes(values))
  return exitCodes.ok
}
