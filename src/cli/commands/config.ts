import { join } from 'node:path'
import { CapstanError } from '../../errors.ts'
import { places } from '../../files/places.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { configToJson, renderConfig } from '../config-report.ts'
import { exitCodes } from '../exit-codes.ts'
import { styleFor } from '../render/style.ts'
import { serverFiles, userServerFile } from '../server-files.ts'

export const command: Command = {
  options: {},
  help: `Show the config in force: every server, the file its entry comes from, what that entry replaces, and whether it may be
used. Literal secrets are masked.

  path     print where Capstan keeps its files instead
  --json   the same as one JSON value

Examples
  capstan config
  capstan config --json
  capstan config path`,
  ownText: { stdout: true },
  run,
}

async function run(context: CommandContext, { positionals }: CommandInput): Promise<number> {
  const [topic, ...rest] = positionals
  if (rest.length > 0 || (topic !== undefined && topic !== 'path')) {
    throw new CapstanError('usage', `"config" knows no "${positionals.join(' ')}".`, {
      next: 'Write: capstan config, or capstan config path',
    })
  }
  await context.io.out(topic === 'path' ? await describePlaces(context) : await describeConfig(context))
  return exitCodes.ok
}

async function describeConfig({ io, flags, loadConfig }: CommandContext): Promise<string> {
  const config = await loadConfig()
  return flags.json ? configToJson(config) : renderConfig(config, styleFor(io))
}

async function describePlaces(context: CommandContext): Promise<string> {
  const { io, flags } = context
  const { config, data, state, cache, runtime } = places(io.env)
  const { project } = await serverFiles(context)
  const found = {
    servers: userServerFile(io),
    project,
    settings: join(config, 'config.toml'),
    data,
    state,
    cache,
    runtime,
  }
  if (flags.json) return `${JSON.stringify(found)}\n`
  return Object.entries(found)
    .map(([name, path]) => `${name.padEnd(10)}${path}\n`)
    .join('')
}
