import type { FetchLike } from '@modelcontextprotocol/client'
import { CapstanError } from '../../errors.ts'

/** As large as a line of a local server may be. */
const largestMessage = 128 * 2 ** 20

export interface BoundedFetchSetup {
  readonly fetch: FetchLike
  /** For the error. */
  readonly server: string
  /** For streams: requests that wait for an event do not hear of the error by themselves. */
  readonly onTooLarge?: (error: CapstanError) => void
  readonly maxBytes?: number
}

/** A fetch whose answer breaks off where a message in it gets too large. What comes packed is counted as it unpacks. */
export function boundedFetch(setup: BoundedFetchSetup): FetchLike {
  const { fetch, server, onTooLarge, maxBytes = largestMessage } = setup
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.body === null) return response
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
    const count = isStream ? eventCounter() : wholeCounter()
    const limit = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (count(chunk) <= maxBytes) return controller.enqueue(chunk)
        const error = tooLarge(server, maxBytes)
        if (isStream) onTooLarge?.(error)
        throw error
      },
    })
    return new Response(response.body.pipeThrough(limit), response)
  }
}

/** The size so far of the message that a piece belongs to. */
type Counter = (chunk: Uint8Array) => number

function wholeCounter(): Counter {
  let size = 0
  return ({ length }) => (size += length)
}

/** A stream may go on for ever; each of its events, which end with an empty line, may not. */
function eventCounter(): Counter {
  let size = 0
  let last: Buffer = Buffer.alloc(0)
  return (chunk) => {
    // The end of a line may have come with the piece before.
    const bytes = Buffer.concat([last, chunk])
    const end = Math.max(...emptyLines.map((line) => bytes.lastIndexOf(line)))
    size = end === -1 ? size + chunk.length : bytes.length - end
    last = bytes.subarray(-1)
    return size
  }
}

// The end of a line and the beginning of the next end: lines end with CR, LF or both.
const emptyLines = ['\n\n', '\n\r', '\r\r'] as const

function tooLarge(server: string, maxBytes: number): CapstanError {
  const limit = `${Math.round(maxBytes / 2 ** 20)} MiB`
  return new CapstanError('limit_exceeded', `Server "${server}" sent a message larger than ${limit}.`, {
    server,
    next: 'Ask the tool for less at a time.',
  })
}
