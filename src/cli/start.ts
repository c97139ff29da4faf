import { isatty } from 'node:tty'
import type { Io } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { main } from './main.ts'
import { CapstanError } from '../errors.ts'

/** Runs the command line on the real process: its streams, its signals, its exit. */
export async function start(): Promise<void> {
  const interrupted = new AbortController()
  let isInterrupted = false
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      // The second time the person means it: the exit hook of the hub still ends its servers.
      if (isInterrupted) process.exit(exitCodes.interrupted)
      isInterrupted = true
      interrupted.abort(new CapstanError('cancelled', 'Interrupted.'))
    })
  }
  const code = await main(process.argv.slice(2), processIo(), interrupted.signal)
  process.exit(code)
}

function processIo(): Io {
  // Without a listener an error of a stream ends the process. `write` hears of it too, and there is nobody to tell of stderr's.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  return {
    out: write,
    err: (text) => void process.stderr.write(text),
    readStdin,
    env: process.env,
    get cwd() {
      return currentFolder()
    },
    ...(process.argv[1] === undefined ? {} : { script: process.argv[1] }),
    stdoutIsTerminal: process.stdout.isTTY,
    stderrIsTerminal: process.stderr.isTTY,
    // Asking the stream would build it, which takes 2 ms that most commands have no use for.
    stdinIsTerminal: isatty(0),
    columns: process.stdout.columns ?? process.stderr.columns ?? 80,
  }
}

function write(data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(data, (error) => {
      // A reader that has gone away (`| head`) has all that it wanted.
      if (!error || ('code' in error && error.code === 'EPIPE')) resolve()
      else reject(new CapstanError('usage', `The output cannot be written: ${error.message}.`, { cause: error }))
    })
  })
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch (cause) {
    throw new CapstanError('usage', 'The current folder does not exist any more.', {
      cause,
      next: 'Change into another folder and try again.',
    })
  }
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
