import { fstatSync, statSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { CapstanError, messageOf } from '../errors.ts'

/** One of the two streams that a command writes to. */
export interface Output {
  readonly isTerminal: boolean
  readonly columns: number | undefined
  /** Resolves when the data has left the process. */
  readonly write: (data: string | Uint8Array) => Promise<void>
}

/**
 * Little text goes to a file or pipe directly, as any small program writes it: building Node's stream loads all of its streams and its
 * network, which takes a look at the catalogue 5 ms. What a slow reader could make us wait for, deaf to signals, goes through the
 * stream, and so does all that comes after it.
 */
export function openOutput(handle: 1 | 2): Output {
  const room = process.platform === 'win32' || isTerminal(handle) ? 0 : roomAt(handle)
  if (room === 0) return streamOutput(handle)
  let written = 0
  let stream: Output | undefined
  return {
    isTerminal: false,
    columns: undefined,
    async write(data) {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data
      written += bytes.length
      const rest = stream === undefined && written <= room ? writeNow(handle, bytes) : bytes
      if (rest.length === 0) return undefined
      stream ??= streamOutput(handle)
      return stream.write(rest)
    },
  }
}

/** How much can be written without waiting for a reader: an empty pipe holds this much on every system. */
function roomAt(handle: 1 | 2): number {
  const stats = statOf(handle)
  if (stats?.isFile() === true) return Number.POSITIVE_INFINITY
  return stats?.isFIFO() === true || stats?.isSocket() === true ? 16_384 : 0
}

/** Whether a terminal is at one of the first three handles. Asking Node loads what builds terminals, so what cannot be one is told apart first. */
export function isTerminal(handle: 0 | 1 | 2): boolean {
  if (process.platform === 'win32') return isatty(handle)
  const stats = statOf(handle)
  return stats?.isCharacterDevice() === true && stats.rdev !== statSync('/dev/null').rdev && isatty(handle)
}

function statOf(handle: number) {
  try {
    return fstatSync(handle)
  } catch {
    // It was closed before we were started.
    return undefined
  }
}

/** Gives what could not be written without waiting, where the pipe is one that does not wait. */
function writeNow(handle: number, data: Uint8Array): Uint8Array {
  let rest = data
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(handle, rest))
  } catch (error) {
    if (hasCode(error, 'EPIPE')) return new Uint8Array()
    if (!hasCode(error, 'EAGAIN')) throw cannotWrite(error)
  }
  return rest
}

function streamOutput(handle: 1 | 2): Output {
  const stream = handle === 1 ? process.stdout : process.stderr
  // Without a listener an error of a stream ends the process. Each write hears of it too.
  stream.on('error', () => {})
  return {
    isTerminal: stream.isTTY,
    columns: stream.columns,
    write: (data) =>
      new Promise((resolve, reject) => {
        stream.write(data, (error) => {
          // A reader that has gone away (`| head`) has all that it wanted.
          if (!error || hasCode(error, 'EPIPE')) resolve()
          else reject(cannotWrite(error))
        })
      }),
  }
}

function cannotWrite(cause: unknown): CapstanError {
  return new CapstanError('usage', `The output cannot be written: ${messageOf(cause)}.`, { cause })
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
