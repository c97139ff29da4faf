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
  // A reader that has gone away (`| head`) ends the output, not the program.
  process.stdout.on('error', ignoreClosedPipe)
  process.stderr.on('error', ignoreClosedPipe)
  return {
    out: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
    err: (text) => void process.stderr.write(text),
    readStdin,
    env: process.env,
    cwd: process.cwd(),
    stdoutIsTerminal: process.stdout.isTTY,
    stderrIsTerminal: process.stderr.isTTY,
    stdinIsTerminal: process.stdin.isTTY,
    columns: process.stdout.columns ?? process.stderr.columns ?? 80,
  }
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
