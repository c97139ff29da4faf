import { CapstanError } from '../../errors.ts'
import type { ToolEntry, ToolResult } from '../../hub/api.ts'
import { typeArguments } from '../../hub/arguments/typed-arguments.ts'
import { answeringAsks, answerOption } from '../answering-asks.ts'
import type { Command, CommandContext, CommandInput, Io } from '../command.ts'
import { contentText, type Block } from '../content.ts'
import { exitCodes } from '../exit-codes.ts'
import { offeringLogin } from '../offering-login.ts'
import { readArguments } from '../pairs.ts'
import { plainText } from '../../policy/plain-text.ts'
import { showProgress } from '../progress.ts'
import { reachFor, toolReached } from '../reach.ts'

export const command: Command = {
  options: { args: { type: 'string' }, save: { type: 'string' }, full: { type: 'boolean' }, ...answerOption },
  help: `Run a tool and print its result. Values are typed by the tool's schema: numbers, true and false, JSON for
objects and lists; a key given several times makes a list.

  key=value       an argument
  key=@file       the contents of a file (key=@@x for the text "@x")
  key=-           standard input
  --args JSON     all arguments as one JSON object, also @file or -
  --save DIR      keep images, audio and other files there and print their names
  --full          show a result of over 20 KB whole; a terminal gets its head and tail, and the name of a file with all of it
  --answer K=V    fill in a field of what the server asks meanwhile (repeatable); a terminal asks you for the rest
  --timeout S     give up after S seconds (otherwise the server's own limits hold)
  --json          the whole result

Exit code 1 when the tool itself reports an error; its words are on stderr then.

Examples
  capstan call everything.echo message="hello world"
  capstan call filesystem.read_text_file path=README.md head=3
  git diff | capstan call reviewer.review diff=-`,
  run,
}

async function run(context: CommandContext, { positionals, values }: CommandInput): Promise<number> {
  const { io, flags } = context
  const [name, ...words] = positionals
  if (name === undefined)
    throw new CapstanError('usage', 'Which tool? Write: capstan call SERVER.TOOL key=value', {
      next: 'Run: capstan list',
    })

  refuseSplitName(name, words[0])
  const [{ pairs, base }, reached] = await Promise.all([
    readArguments({ words, flag: values['args'] }, context),
    offeringLogin(context, () => reachFor(context, name, ['tools'])),
  ])
  const { hub } = reached
  const tool = await toolReached(reached, name)
  const { args, warnings } = typeArguments(tool, pairs, base)
  for (const warning of warnings) io.err(`warning: ${plainText(warning)}\n`)

  const progress = showProgress(io)
  const idleSeconds = flags.timeoutSeconds
  const options = { onProgress: progress.onProgress, ...(idleSeconds === undefined ? {} : { idleSeconds }) }
  const result = await answeringAsks({ context, values, others: progress }, (asks) =>
    offeringLogin(context, () => hub.call(tool, args, { ...options, ...asks }).finally(progress.clear)),
  )
  if (flags.json) await io.out(`${JSON.stringify(result)}\n`)
  else {
    const saveTo = typeof values['save'] === 'string' ? values['save'] : undefined
    await print(result, tool, { context, saveTo, isWhole: values['full'] === true })
  }
  return result.isError === true ? exitCodes.failed : exitCodes.ok
}

/** `call server tool` is how other programs write it. */
function refuseSplitName(name: string, next: string | undefined): void {
  if (next === undefined || !/^[\w-]+$/.test(next) || /[./:]/.test(name)) return
  throw new CapstanError('usage', `"${next}" is not an argument, and a tool is written with its server in one word.`, {
    next: `Did you mean: capstan call ${name}.${next}`,
  })
}

interface PrintOptions {
  readonly context: CommandContext
  readonly saveTo: string | undefined
  /** Print all of it, however long. */
  readonly isWhole: boolean
}

async function print(
  result: ToolResult,
  tool: ToolEntry,
  { context: { io }, saveTo, isWhole }: PrintOptions,
): Promise<void> {
  for (const warning of result.warnings ?? []) io.err(`warning: ${plainText(warning)}\n`)
  const blocks = result.content as readonly Block[]
  const shown = await contentText(blocks, { io, saveTo, stem: tool.tool.replaceAll(/[^A-Za-z0-9_-]/g, '_') })
  const text =
    blocks.length === 0 && result.structuredContent !== undefined ? JSON.stringify(result.structuredContent) : shown
  if (result.isError === true)
    io.err(plainText(withNewline(text === '' ? `${tool.id} reported an error without a message.` : text)))
  else if (text !== '') await printText(text, io, isWhole)
}

async function printText(text: string, io: Io, isWhole: boolean): Promise<void> {
  if (isWhole || !io.stdoutIsTerminal) return io.out(withNewline(text))
  const { guardOutput } = await import('../output-guard.ts')
  const { text: shown, notice } = await guardOutput(text, io)
  await io.out(withNewline(shown))
  if (notice !== undefined) io.err(`capstan: ${notice}\n`)
}

function withNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}
