import { CapstanError } from '../../errors.ts'
import { findPrompt } from '../../hub/catalogue/names.ts'
import { answeringAsks, answerOption } from '../answering-asks.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { contentText } from '../content.ts'
import { exitCodes } from '../exit-codes.ts'
import { readArguments } from '../pairs.ts'
import { plainText } from '../../policy/plain-text.ts'
import { reachFor } from '../reach.ts'
import { styleFor } from '../render/style.ts'

export const command: Command = {
  options: { args: { type: 'string' }, save: { type: 'string' }, ...answerOption },
  help: `Render a prompt of a server and print its messages, each under its role. Values of prompts are always text.

  key=value       an argument; also key=@file and key=- (standard input)
  --args JSON     all arguments as one JSON object, also @file or -
  --save DIR      keep images and other files there
  --answer K=V    fill in a field of what the server asks meanwhile (repeatable)
  --json          the prompt as the server sent it

Examples
  capstan list --prompts
  capstan prompt everything:args-prompt city=Lisbon state="Estado Novo"`,
  run,
}

async function run(context: CommandContext, { positionals, values }: CommandInput): Promise<number> {
  const { io, flags } = context
  const [name, ...words] = positionals
  if (name === undefined)
    throw new CapstanError('usage', 'Which prompt? Write: capstan prompt SERVER:PROMPT key=value', {
      next: 'Run: capstan list --prompts',
    })

  const [{ pairs, base }, { hub, catalogue }] = await Promise.all([
    readArguments({ words, flag: values['args'] }, context),
    reachFor(context, name, ['prompts']),
  ])
  const prompt = findPrompt(catalogue, name)
  const args = {
    ...Object.fromEntries(Object.entries(base).map(([key, value]) => [key, asText(value)])),
    ...Object.fromEntries(pairs.map(({ key, value }) => [key, value])),
  }
  const result = await answeringAsks({ context, values }, (asks) => hub.prompt(prompt, args, asks))
  if (flags.json) {
    await io.out(`${JSON.stringify(result)}\n`)
    return exitCodes.ok
  }
  const style = styleFor(io)
  const saveTo = typeof values['save'] === 'string' ? values['save'] : undefined
  for (const [index, { role, content }] of result.messages.entries()) {
    const text = await contentText([content], {
      io,
      saveTo,
      stem: `${prompt.prompt.replaceAll(/[^A-Za-z0-9_-]/g, '_')}-${index + 1}`,
    })
    await io.out(`${style.heading(`[${plainText(role)}]`)}\n${text}\n`)
  }
  return exitCodes.ok
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
