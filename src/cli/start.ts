import type { Io } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { main } from './main.ts'
import { isTerminal, openOutput } from './output.ts'
import { CapstanError } from '../errors.ts'

/** Runs the command line on the real process: its streams, its signals, its exit. */
export async function start(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
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
  const code = await main(argv, processIo(), interrupted.signal)
  process.exit(code)
}

function processIo(): Io {
  const [stdout, stderr] = [openOutput(1), openOutput(2)]
  return {
    out: stdout.write,
    // There is nobody to tell of a stderr that cannot be written.
    err: (text) => void stderr.write(text).catch(() => {}),
    readStdin,
    env: process.env,
    get cwd() {
      return currentFolder()
    },
    ...(process.argv[1] === undefined ? {} : { script: process.argv[1] }),
    stdoutIsTerminal: stdout.isTerminal,
    stderrIsTerminal: stderr.isTerminal,
    stdinIsTerminal: isTerminal(0),
    columns: stdout.columns ?? stderr.columns ?? 80,
  }
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
