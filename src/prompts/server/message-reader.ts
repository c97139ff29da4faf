/** How the messages of a connection are told apart: by newlines, as MCP has it, or by headers, as old scripts send them. */
export type Framing = 'lines' | 'headers'

export type Incoming =
  | { readonly kind: 'message'; readonly text: string; readonly framing: Framing }
  /** More than may be in one message: what follows cannot be told apart any more. */
  | { readonly kind: 'too_long' }

export interface MessageReader {
  /** Takes in what came and gives back what it completes. */
  readonly take: (chunk: Buffer) => readonly Incoming[]
}

const newline = 0x0a
/** Nobody sends more than a length and a type. */
const maxHeaderBytes = 4096

/** Reads messages of both framings, also mixed. Each byte is looked at once: messages may be large and come in many chunks. */
export function messageReader(maxBytes: number): MessageReader {
  let chunks: Buffer[] = []
  let size = 0
  /** The length that the header just read has announced, once its empty line has come. */
  let header: { readonly bytes: number; readonly isOver: boolean } | undefined

  return {
    take(chunk) {
      const found: Incoming[] = []
      let rest: Buffer | undefined = chunk
      while (rest !== undefined) rest = header?.isOver === true ? takeBody(rest, header.bytes) : takeLine(rest)
      return found

      function takeLine(bytes: Buffer): Buffer | undefined {
        const end = bytes.indexOf(newline)
        const part = end === -1 ? bytes : bytes.subarray(0, end)
        if (size + part.length > (header === undefined ? maxBytes : maxHeaderBytes)) return giveUp()
        keep(part)
        if (end === -1) return undefined
        onLine(joined().toString('utf8').trim())
        return bytes.subarray(end + 1)
      }

      function takeBody(bytes: Buffer, length: number): Buffer | undefined {
        if (length > maxBytes) return giveUp()
        const part = bytes.subarray(0, length - size)
        keep(part)
        if (size < length) return undefined
        header = undefined
        found.push({ kind: 'message', text: joined().toString('utf8'), framing: 'headers' })
        return bytes.subarray(part.length)
      }

      function onLine(line: string): void {
        if (header === undefined) {
          const length = /^content-length:\s*(\d{1,15})$/i.exec(line)?.[1]
          if (length !== undefined) header = { bytes: Number(length), isOver: false }
          else if (line !== '' && !/^content-type:/i.test(line))
            found.push({ kind: 'message', text: line, framing: 'lines' })
        } else if (line === '') header = { ...header, isOver: true }
      }

      function giveUp(): undefined {
        found.push({ kind: 'too_long' })
        joined()
        header = undefined
      }
    },
  }

  function keep(part: Buffer): void {
    if (part.length > 0) chunks.push(part)
    size += part.length
  }

  function joined(): Buffer {
    const [first] = chunks
    const whole = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size)
    chunks = []
    size = 0
    return whole
  }
}

export function frame(text: string, framing: Framing): string {
  return framing === 'lines' ? `${text}\n` : `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}
