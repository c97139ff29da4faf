import { clockText } from '../../commands/time-text.ts'
import { CapstanError } from '../../errors.ts'
import { watchFiles } from '../../files/watch.ts'
import type { CallRecord } from '../../hub/call-log.ts'
import { callFiles, readCalls } from '../call-records.ts'
import type { Command, CommandContext, CommandInput, Io } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { plainLine, plainText } from '../../policy/plain-text.ts'
import { formatMs } from '../render/numbers.ts'
import { columnsFor, styleFor } from '../render/style.ts'
import { renderTable } from '../render/table.ts'

export const command: Command = {
  options: { follow: { type: 'boolean', short: 'f' }, limit: { type: 'string' } },
  help: `Show the last tool calls, whoever made them: when, by whom, which tool, how long, how large, and how it ended.

  calls show ID   one call with its arguments and its result; secrets are masked
  -f, --follow    stay and print what comes, until Ctrl-C
  --limit N       how many (20)
  --json          one JSON value (with -f: one per line)

Examples
  capstan calls
  capstan calls show 1f3a90bc`,
  run,
}

async function run({ io, flags, signal }: CommandContext, { positionals, values }: CommandInput): Promise<number> {
  const [action, id] = positionals
  const files = callFiles(io)
  const records = await readCalls(files)
  if (action === 'show') return show(io, records, id)
  if (action !== undefined)
    throw new CapstanError('usage', `"calls" knows only "show", not "${action}".`, { next: 'Run: capstan help calls' })
  const limit = Number(values['limit'] ?? 20)
  if (!(limit > 0)) throw new CapstanError('usage', `--limit wants a number above 0, not "${String(values['limit'])}".`)
  const last = records.slice(-limit)
  if (flags.json && values['follow'] !== true) await io.out(`${JSON.stringify(last.map(summary))}\n`)
  else
    await io.out(flags.json ? last.map((record) => `${JSON.stringify(summary(record))}\n`).join('') : table(last, io))
  if (values['follow'] === true)
    await follow({ io, files, json: flags.json, signal, seen: new Set(records.map((record) => record.id)) })
  return exitCodes.ok
}

async function show(io: Io, records: readonly CallRecord[], id: string | undefined): Promise<number> {
  const found = records.findLast((record) => record.id === id)
  if (found === undefined)
    throw new CapstanError('usage', `No call "${id ?? ''}" is kept.`, { next: 'Run: capstan calls' })
  await io.out(plainText(`${JSON.stringify(found, null, 2)}\n`))
  return exitCodes.ok
}

function summary({ args: _args, result: _result, ...rest }: CallRecord) {
  return rest
}

function table(records: readonly CallRecord[], io: Io): string {
  const style = styleFor(io)
  if (records.length === 0) return 'No calls yet.\n'
  const head = ['ID', 'TIME', 'CALLER', 'TOOL', 'TOOK', 'SIZE', 'OUTCOME'].map((text) => ({ text, paint: style.faint }))
  return renderTable([head, ...records.map(row)], { columns: columnsFor(io) })
}

function row({ id, at, caller, tool, ms, bytes, outcome, error }: CallRecord): readonly string[] {
  const end = error === undefined ? outcome : `${outcome}: ${error}`
  return [id, clockText(Date.parse(at)), plainLine(caller), plainLine(tool), formatMs(ms), `${bytes} B`, plainLine(end)]
}

interface Following {
  readonly io: Io
  readonly files: readonly string[]
  readonly json: boolean
  readonly signal: AbortSignal
  readonly seen: Set<string>
}

async function follow({ io, files, json, signal, seen }: Following): Promise<void> {
  const print = async () => {
    const fresh = (await readCalls(files)).filter((record) => !seen.has(record.id))
    for (const record of fresh) {
      seen.add(record.id)
      await io.out(json ? `${JSON.stringify(summary(record))}\n` : `${row(record).join('  ')}\n`)
    }
  }
  using _watching = watchFiles(files, () => void print())
  // Neither watched files nor an awaited signal keep a process alive.
  const awake = setInterval(() => {}, 60_000)
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  clearInterval(awake)
}
