import { CapstanError } from '../../errors.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'

export const command: Command = {
  options: { model: { type: 'string' } },
  help: `Be the agent of an editor: speaks the Agent Client Protocol on stdin and stdout, for Zed, Neovim, JetBrains, Emacs and others.
The editor starts it and shows everything; sessions are the same as those of capstan chat. The editor's own MCP servers are added
to yours. Every prompt of every server is a slash command, and tools run with the leave that you give in the editor.

  --model NAME      anthropic/NAME, openai/NAME, google/NAME, or a model at the address in [model] of config.toml

Examples
  capstan acp
  capstan acp --model anthropic/claude-sonnet-5-5`,
  run,
}

async function run(context: CommandContext, { values, positionals }: CommandInput): Promise<number> {
  const { io, signal } = context
  if (positionals.length > 0) {
    throw new CapstanError('usage', `"${positionals[0]}" is too much: acp takes only flags.`)
  }
  if (io.stdinIsTerminal) {
    throw new CapstanError('usage', 'acp speaks with an editor, and this is a terminal.', {
      next: 'Let your editor start it, or talk here: capstan chat',
    })
  }
  const { serveEditor } = await import('../acp/serve-editor.ts')
  await serveEditor(context, { model: typeof values['model'] === 'string' ? values['model'] : undefined })
  return signal.aborted ? exitCodes.interrupted : exitCodes.ok
}
