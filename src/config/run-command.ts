import { spawn } from 'node:child_process'
import { messageOf } from '../errors.ts'
import { splitCommand } from './split-command.ts'

/** What a `${cmd:…}` gave: its output, or why there is none. The reason never holds output, which may be a secret. */
export type CommandOutcome =
  | { readonly kind: 'printed'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string }

export type RunCommand = (text: string) => Promise<CommandOutcome>

export interface RunnerOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Commands run here, not in whatever project the caller stands in, and it is what a leading `~` means. */
  readonly homeFolder: string
  readonly limitMs?: number
}

/** Runs commands without a shell. The same text runs once, also for callers at the same time; a failure is forgotten. */
export function makeCommandRunner(options: RunnerOptions): RunCommand {
  const running = new Map<string, Promise<CommandOutcome>>()
  return (text) => {
    const known = running.get(text)
    if (known !== undefined) return known
    const outcome = run(text, options).then((result) => {
      if (result.kind === 'failed') running.delete(text)
      return result
    })
    running.set(text, outcome)
    return outcome
  }
}

const mostBytes = 1024 * 1024

async function run(text: string, { env, homeFolder, limitMs = 10_000 }: RunnerOptions): Promise<CommandOutcome> {
  let words: readonly string[]
  try {
    words = splitCommand(text)
  } catch (error) {
    return { kind: 'failed', reason: messageOf(error) }
  }
  const [program = '', ...args] = words.map((word) => word.replace(/^~(?=$|[\\/])/, () => homeFolder))
  if (program === '') return { kind: 'failed', reason: 'it names no program' }
  return new Promise((settle) => {
    const child = spawn(program, args, { cwd: homeFolder, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
    const output: Buffer[] = []
    let outputBytes = 0
    let errors = ''

    // Not the process's end but ours: a grandchild may hold the pipes open for ever.
    const giveUp = (reason: string) => {
      child.kill('SIGKILL')
      finish({ kind: 'failed', reason })
    }
    const timer = setTimeout(giveUp, limitMs, `it took longer than ${limitMs / 1000} s`)
    const finish = (outcome: CommandOutcome) => {
      clearTimeout(timer)
      child.stdout.destroy()
      child.stderr.destroy()
      settle(outcome)
    }

    child.stdout.on('data', (chunk: Buffer) => {
      output.push(chunk)
      outputBytes += chunk.length
      if (outputBytes > mostBytes) giveUp('it printed more than 1 MiB')
    })
    child.stderr.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-4096)
    })
    child.on('error', (error) => finish({ kind: 'failed', reason: whyNotStarted(error, program) }))
    child.on('close', (code, signal) => finish(outcomeOf({ code, signal, errors, output: Buffer.concat(output) })))
  })
}

interface Ending {
  readonly code: number | null
  readonly signal: string | null
  readonly errors: string
  readonly output: Buffer
}

function outcomeOf({ code, signal, errors, output }: Ending): CommandOutcome {
  if (code !== 0) {
    const lastLine = errors.trimEnd().split('\n').at(-1)?.trim() ?? ''
    const ended = code === null ? `it was ended by ${signal}` : `it ended with code ${code}`
    return { kind: 'failed', reason: lastLine === '' ? ended : `${ended}: ${lastLine}` }
  }
  const text = output.toString().replace(/[\r\n]+$/, '')
  return text === '' ? { kind: 'failed', reason: 'it printed nothing' } : { kind: 'printed', text }
}

function whyNotStarted(error: Error, program: string): string {
  const isMissing = 'code' in error && error.code === 'ENOENT'
  return isMissing ? `there is no program "${program}" on the PATH` : error.message
}
