import { resolve } from 'node:path'
import { CapstanError } from '../../../errors.ts'
import { version } from '../../../version.ts'
import type { CommandContext, CommandInput } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import { openPromptLibrary } from '../../prompt-library.ts'
import type { Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Serve the prompt library to one MCP client over stdin and stdout: prompts, runbooks, and tools to find and keep them. "capstan-prompts" does the same.

What the client's agent writes waits until you allow it with "capstan review", unless you say otherwise:

  --propose          its changes wait for you; this is what happens without a flag
  --write            its changes count at once
  --read-only        it cannot change anything

  --prompts-dir DIR  the folder of your prompts
  --settings FILE    read [prompts] from this file instead of config.toml
  --log FILE         write what goes wrong to this file instead of stderr
  --version          print the version

Examples
  capstan library serve
  capstan library serve --read-only --log /tmp/prompts.log
  claude mcp add prompts -- capstan library serve`,
  run,
}

async function run(context: CommandContext, { values, positionals }: CommandInput): Promise<number> {
  const { io, flags, signal } = context
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined)
  if (values['version'] === true) {
    await io.out(`${version}\n`)
    return exitCodes.ok
  }
  if (positionals.length > 0)
    throw new CapstanError('usage', `"${positionals[0]}" is too much: serve takes only flags.`)
  const writing = writingOf(values)
  const { serveLibrary } = await import('../../serve-library.ts')
  const library = await openPromptLibrary(io, {
    promptsDir: text('prompts-dir'),
    settingsFile: text('settings'),
    trustProject: flags.trustProject,
  })
  const logFile = text('log')
  await serveLibrary(library, {
    io,
    signal,
    writing,
    ...(logFile === undefined ? {} : { logFile: resolve(io.cwd, logFile) }),
  })
  return exitCodes.ok
}

function writingOf(values: CommandInput['values']): 'none' | 'propose' | 'direct' {
  const chosen = (['read-only', 'propose', 'write'] as const).filter((name) => values[name] === true)
  if (chosen.length > 1) throw new CapstanError('usage', `Give only one of --${chosen.join(' and --')}.`)
  return chosen[0] === 'read-only' ? 'none' : chosen[0] === 'write' ? 'direct' : 'propose'
}
