import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CapstanError, messageOf, unreachable } from '../../errors.ts'
import type { ExecEvent, ExecOutcome } from '../../hub/api.ts'
import { waitFor } from '../../hub/wait-for.ts'
import { serversAllowed } from '../../policy/decide.ts'
import type { Limits } from '../../sandbox/api.ts'
import { answeringAsks, answerOption } from '../answering-asks.ts'
import { asTyped } from '../as-typed.ts'
import type { Command, CommandContext, CommandInput, Io } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { heldLines } from '../held-lines.ts'
import { plainLine, plainText } from '../../policy/plain-text.ts'
import { problemLine } from '../render/problems.ts'
import { columnsFor, styleFor } from '../render/style.ts'
import { renderTrace, traceLine } from '../render/trace.ts'

export const command: Command = {
  options: {
    eval: { type: 'string', short: 'e' },
    text: { type: 'boolean' },
    trace: { type: 'boolean' },
    allow: { type: 'string', multiple: true },
    deny: { type: 'string', multiple: true },
    time: { type: 'string' },
    memory: { type: 'string' },
    calls: { type: 'string' },
    concurrency: { type: 'string' },
    ...answerOption,
  },
  help: `Run JavaScript or TypeScript that calls tools, in a sandbox that can reach nothing else: no files, network,
environment or imports. A single expression is its own result; anything longer says \`return\`.

  await tools.server.tool({ key: value })   its structured result, else parsed JSON, else text; an error of the tool throws
  tools["any-name"]["any.tool"].raw({…})    everything the tool sent
  search("words")   inspect("server.tool")  console.log(…) goes to stderr

  FILE | -          the snippet from a file (.ts for TypeScript) or standard input
  -e, --eval CODE   the snippet itself
  --text            print a text result as it is instead of as JSON
  --trace           list the calls that were made: tool, time, size, outcome
  --allow GLOB      only these tools are there (repeatable); --deny GLOB takes some away
  --time S (30)   --memory MB (64)   --calls N (1000)   --concurrency N (8)
  --answer K=V      fill in a field of what servers ask meanwhile (repeatable)
  --json            the whole outcome: result, log and trace

Exit code 1 when the code throws, 4 when it runs into a limit.

Examples
  capstan exec -e 'await tools.everything.echo({ message: "hi" })'
  capstan exec report.ts --allow 'github.get_*' --trace`,
  // What a snippet logs is its own.
  ownText: { stderr: false },
  run,
}

async function run(context: CommandContext, { positionals, values }: CommandInput): Promise<number> {
  const { io, flags, signal } = context
  const { code, language } = await readSnippet(context, { file: positionals, code: values['eval'] })
  const allow = globs(values['allow'])
  const hub = await context.openHub((names) => (allow.length === 0 ? names : serversAllowed(allow, names)))
  const held = heldLines(io)
  const options = {
    limits: limitsOf(values),
    ...(language === undefined ? {} : { language }),
    ...(allow.length === 0 ? {} : { allow }),
    deny: globs(values['deny']),
    onEvent: (event: ExecEvent) => showEvent(event, { ...context, io: held.io }, values['trace'] === true),
  }
  const outcome = await answeringAsks({ context, values, others: held }, (asks) =>
    hub.exec(code, { ...options, ...asks }),
  )
  if (flags.json) await io.out(`${JSON.stringify(outcome)}\n`)
  else if (outcome.kind === 'returned') await io.out(resultText(outcome.value, values['text'] === true, io))
  if (values['trace'] === true && !flags.json) io.err(renderTrace(outcome.trace, styleFor(io, 'stderr')))
  if (!flags.json && forgotReturn(code, outcome)) {
    io.err('Nothing was returned. In a snippet of several statements "return" hands the result back.\n')
  }
  return flags.json ? exitOf(outcome, signal) : report(outcome, context)
}

/** Somebody who left nothing behind, neither a value nor a line of the log, most likely meant the last expression. */
function forgotReturn(code: string, outcome: ExecOutcome): boolean {
  if (outcome.kind !== 'returned' || outcome.value !== null || outcome.logs.length > 0) return false
  return /[;\n]\s*\S/.test(code) && !/\breturn\b/.test(code)
}

interface Snippet {
  readonly code: string
  readonly language?: 'ts'
}

async function readSnippet(
  { io, signal }: CommandContext,
  { file: [file, ...more], code }: { readonly file: readonly string[]; readonly code: unknown },
): Promise<Snippet> {
  if (typeof code === 'string' && file === undefined) return { code }
  if (file === undefined || more.length > 0 || typeof code === 'string') {
    throw new CapstanError('usage', 'exec takes one snippet: a file, "-" for standard input, or -e CODE.', {
      next: 'For example: capstan exec -e \'await tools.everything.echo({ message: "hi" })\'',
    })
  }
  if (file === '-') return { code: await waitFor(io.readStdin(), signal, 'standard input') }
  try {
    return {
      code: await readFile(resolve(io.cwd, file), 'utf8'),
      ...(/\.[cm]?ts$/.test(file) ? { language: 'ts' as const } : {}),
    }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    const reason = isMissing ? 'there is no such file' : messageOf(error)
    throw new CapstanError('usage', `The snippet ${file} cannot be read: ${reason}.`, {
      cause: error,
      ...(isMissing ? { next: "Code itself goes behind -e: capstan exec -e '…'" } : {}),
    })
  }
}

function limitsOf(values: CommandInput['values']): Partial<Limits> {
  const timeS = numberOf(values['time'], '--time')
  const memoryMb = numberOf(values['memory'], '--memory')
  const calls = numberOf(values['calls'], '--calls')
  const concurrency = numberOf(values['concurrency'], '--concurrency')
  return {
    ...(timeS === undefined ? {} : { timeMs: Math.round(timeS * 1000) }),
    ...(memoryMb === undefined ? {} : { memoryBytes: Math.round(memoryMb * 2 ** 20) }),
    ...(calls === undefined ? {} : { calls }),
    ...(concurrency === undefined ? {} : { concurrency }),
  }
}

function numberOf(value: CommandInput['values'][string], flag: string): number | undefined {
  if (value === undefined) return undefined
  const number = Number(value)
  if (number > 0 && Number.isFinite(number)) return number
  throw new CapstanError('usage', `${flag} wants a number above 0, not "${String(value)}".`)
}

function globs(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** What the snippet logs goes to stderr at once, as do servers that did not answer; on a terminal its calls are shown as they end. */
function showEvent(event: ExecEvent, { io, flags }: CommandContext, isTraced: boolean): void {
  if (flags.json) return
  if (event.kind === 'missing') io.err(missingLine(event, io))
  else if (event.kind === 'log') io.err(plainText(`${event.line.text}\n`))
  else if (event.event.kind === 'ended' && io.stderrIsTerminal && !isTraced) {
    io.err(`${styleFor(io, 'stderr').faint(traceLine(event.event.entry))}\n`)
  }
}

function missingLine({ server, error }: ExecEvent & { readonly kind: 'missing' }, io: Io): string {
  const look = { style: styleFor(io, 'stderr'), columns: columnsFor(io, 'stderr') }
  return asTyped(problemLine(server, error, look), io)
}

function resultText(value: unknown, isText: boolean, io: Io): string {
  if (isText && typeof value === 'string') return `${io.stdoutIsTerminal ? plainText(value) : value}\n`
  const json = JSON.stringify(value, null, io.stdoutIsTerminal ? 2 : undefined)
  return `${io.stdoutIsTerminal ? plainText(json) : json}\n`
}

function report(outcome: ExecOutcome, { io, signal }: CommandContext): number {
  const style = styleFor(io, 'stderr')
  if (outcome.kind === 'threw') {
    const { name, message, line, column } = outcome.error
    const place = line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`
    io.err(plainText(`${style.bad(plainLine(name))}: ${message}${place}\n`))
  }
  if (outcome.kind === 'limit' || outcome.kind === 'deadlock') io.err(plainText(`capstan: ${outcome.message}\n`))
  return exitOf(outcome, signal)
}

function exitOf(outcome: ExecOutcome, signal: AbortSignal): number {
  switch (outcome.kind) {
    case 'returned':
      return exitCodes.ok
    case 'threw':
    case 'deadlock':
      return exitCodes.failed
    case 'limit':
      return exitCodes.timedOut
    case 'cancelled':
      return signal.reason instanceof DOMException ? exitCodes.timedOut : exitCodes.interrupted
    default:
      return unreachable(outcome)
  }
}
