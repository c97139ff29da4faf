import { CapstanError, messageOf } from '../../errors.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { knowledgeOf } from '../complete/knowledge.ts'
import { offerWords, type Vocabulary } from '../complete/offer-words.ts'
import { nothing } from '../complete/offer.ts'
import { renderReply } from '../complete/reply.ts'
import { scripts } from '../complete/scripts.ts'
import { isShell, shells, splitLine, type Shell } from '../complete/split-line.ts'
import { exitCodes } from '../exit-codes.ts'

/** The table of verbs is handed in: this is one of them. */
export function completionCommand(vocabulary: Vocabulary): Command {
  return {
    options: { line: { type: 'string' }, word: { type: 'string' } },
    help: `Print a script that teaches your shell to complete commands, flags, servers, tools, arguments and their values.
Candidates come from the config and from what your servers were last seen to offer. Nothing is started for them; values of prompt
arguments come from servers that the daemon runs already.

  --line TEXT   what the script asks: the command line up to the cursor. Prints candidates, and nothing when there are none
  --word TEXT   for bash: the part of it that bash would replace
  --debug       say why there are no candidates
  --json        the script, or the candidates, as one JSON value

Install
  bash   echo 'eval "$(capstan completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(capstan completion zsh)"' >> ~/.zshrc          (below compinit)
  fish   capstan completion fish > ~/.config/fish/completions/capstan.fish

Examples
  capstan completion zsh
  capstan completion fish --line 'capstan call '`,
    run: (context, input) => run(context, input, vocabulary),
  }
}

async function run(context: CommandContext, input: CommandInput, vocabulary: Vocabulary): Promise<number> {
  const { positionals, values } = input
  const [shell, ...more] = positionals
  if (!isShell(shell) || more.length > 0) {
    throw new CapstanError('usage', `completion takes one shell: ${shells.join(', ')}.`, {
      next: 'For example: eval "$(capstan completion bash)"',
    })
  }
  const { line, word } = values
  const script = scripts[shell]
  if (typeof line !== 'string')
    await context.io.out(context.flags.json ? `${JSON.stringify({ shell, script })}\n` : script)
  else await reply(context, { shell, line, word: typeof word === 'string' ? word : undefined }, vocabulary)
  return exitCodes.ok
}

interface Question {
  readonly shell: Shell
  readonly line: string
  readonly word: string | undefined
}

async function reply(context: CommandContext, { shell, line, word }: Question, vocabulary: Vocabulary): Promise<void> {
  const { io, flags } = context
  const split = splitLine(line, shell)
  const typed = { words: split.words.slice(1), current: split.current }
  const offer = await offerWords(typed, vocabulary, (given) => knowledgeOf(context, given)).catch((error: unknown) => {
    // Somebody is in the middle of typing: a broken config or an unknown tool is said when the command runs.
    if (flags.debug) io.err(`capstan: no candidates: ${messageOf(error)}\n`)
    return nothing
  })
  await io.out(flags.json ? `${JSON.stringify(offer)}\n` : renderReply(shell, offer, { line: split, word }))
}
