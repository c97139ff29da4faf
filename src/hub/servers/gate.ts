import { CapstanError, stopped } from '../../errors.ts'

/** Lets so many in at once; the others wait in a line that has an end. */
export interface Gate {
  readonly enter: (signal?: AbortSignal) => Promise<Disposable>
}

const longestLine = 100

export function gateFor(server: string, limit: number | undefined): Gate {
  const line: (() => void)[] = []
  let inside = 0
  const pass: Disposable = {
    [Symbol.dispose]() {
      const next = line.shift()
      if (next === undefined) inside -= 1
      else next()
    },
  }
  const open: Disposable = { [Symbol.dispose]() {} }
  return {
    async enter(signal) {
      if (limit === undefined) return open
      if (inside < limit) {
        inside += 1
        return pass
      }
      if (line.length >= longestLine) throw isFull(server, limit)
      await turn(line, { signal, what: `a free place at server "${server}"` })
      return pass
    },
  }
}

function turn(
  line: (() => void)[],
  { signal, what }: { readonly signal: AbortSignal | undefined; readonly what: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(stopped(signal, what))
    const leave = () => {
      line.splice(line.indexOf(go), 1)
      if (signal !== undefined) reject(stopped(signal, what))
    }
    const go = () => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    line.push(go)
    signal?.addEventListener('abort', leave, { once: true })
  })
}

function isFull(server: string, limit: number): CapstanError {
  const message = `Server "${server}" has ${limit} calls running and ${longestLine} waiting, so this one was not sent.`
  return new CapstanError('limit_exceeded', message, {
    server,
    next: 'Try again later, or raise "concurrency" of the server.',
  })
}
