import { closeSync, openSync, writeSync } from 'node:fs'
import { CapstanError, messageOf } from '../../errors.ts'

/** What happened, for the person who runs the server: it holds paths and stacks, and never goes to a client. */
export interface ServerLog extends Disposable {
  readonly note: (text: string) => void
  readonly failure: (what: string, error: unknown) => void
}

/** Lines with their time, each written in one go; to `write`, or to a file. */
export function serverLog(write: (line: string) => void, now: () => number = Date.now): ServerLog {
  const told = new WeakSet<Error>()
  const note = (text: string) => write(`${new Date(now()).toISOString()} ${text.replaceAll('\n', '\n  ')}\n`)
  return {
    note,
    failure(what, error) {
      // The transport and the server over it both tell of the same error.
      if (error instanceof Error && told.has(error)) return
      if (error instanceof Error) told.add(error)
      note(`${what} failed: ${wholeStory(error)}`)
    },
    [Symbol.dispose]() {},
  }
}

export function openServerLog(file: string): ServerLog {
  const handle = opened(file)
  const log = serverLog((line) => {
    try {
      writeSync(handle, line)
    } catch {
      // A full disk is no reason to stop serving, and there is nowhere else to say so.
    }
  })
  return { ...log, [Symbol.dispose]: () => closeSync(handle) }
}

function opened(file: string): number {
  try {
    return openSync(file, 'a', 0o600)
  } catch (cause) {
    throw new CapstanError('usage', `The log file ${file} cannot be written: ${messageOf(cause)}.`, {
      cause,
      next: 'Name a file in a folder that exists and that you may write to.',
    })
  }
}

function wholeStory(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by ${wholeStory(error.cause)}`
  return `${error.stack ?? error.message}${cause}`
}
