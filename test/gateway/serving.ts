import { createInterface } from 'node:readline'
import type { RunningCli, World } from '../e2e/cli.ts'

export interface Served extends RunningCli, AsyncDisposable {
  readonly url: URL
  /** What it has written to its log so far. */
  readonly log: () => string
}

/** Starts `capstan serve` over HTTP and waits for the address that it prints. */
export async function listening(
  place: World,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const running = place.start(['serve', '--http', '0', ...args], { env })
  const { stdout, stderr } = running.child
  if (stdout === null || stderr === null) throw new Error('no pipes')
  let log = ''
  stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(stdout).once('line', resolve)
    void running.ended.then((outcome) => reject(new Error(outcome.stderr)))
  })
  return { ...running, url: new URL(url), log: () => log, [Symbol.asyncDispose]: () => stopped(running) }
}

async function stopped({ child, ended }: RunningCli): Promise<void> {
  child.kill('SIGTERM')
  await ended
}
