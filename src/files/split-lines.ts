export interface LineSplitter {
  readonly maxLineBytes: number
  readonly onLine: (line: string) => void
  /** Called once; nothing is delivered after it. */
  readonly onTooLong: () => void
}

/** Cuts a byte stream into lines. A line is joined once, when it is complete, so that its cost is linear in its length. */
export function splitLines({ maxLineBytes, onLine, onTooLong }: LineSplitter): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let bytes = 0
  let isClosed = false
  return (chunk) => {
    let start = 0
    if (isClosed) return
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const last = chunk.subarray(start, end)
      const line = parts.length === 0 ? last : Buffer.concat([...parts, last])
      parts = []
      bytes = 0
      start = end + 1
      onLine(line.toString('utf8'))
    }
    if (start === chunk.length) return
    parts.push(chunk.subarray(start))
    bytes += chunk.length - start
    if (bytes <= maxLineBytes) return
    isClosed = true
    parts = []
    onTooLong()
  }
}

const newline = 0x0a
