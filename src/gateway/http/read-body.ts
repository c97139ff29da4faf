import type { IncomingMessage } from 'node:http'
import type { Refusal } from './refusal.ts'

export type Body = { readonly value: unknown } | Refusal

/** Reads a JSON body, as far as it may go. */
export async function readBody(
  request: IncomingMessage,
  { bodyBytes, jsonDepth }: { readonly bodyBytes: number; readonly jsonDepth: number },
): Promise<Body> {
  const tooLarge: Refusal = {
    status: 413,
    message: `A body may have at most ${bodyBytes} bytes.`,
    headers: { connection: 'close' },
  }
  if (Number(request.headers['content-length'] ?? 0) > bodyBytes) return tooLarge
  const bytes = await bytesOf(request, bodyBytes)
  if (bytes === undefined) return tooLarge
  const text = bytes.toString('utf8')
  if (depthOf(text) > jsonDepth) return { status: 400, code: -32_600, message: `JSON may nest ${jsonDepth} deep.` }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { status: 400, code: -32_700, message: 'Parse error: this is not JSON.' }
  }
}

/** Undefined when there are too many: the rest is let go, so that the sender gets to read why. */
function bytesOf(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > most) resolve(undefined)
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
  })
}

/** How deep brackets nest, outside of strings: counted before parsing, because what walks a deep value runs out of stack. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0]
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isInString) {
      if (code === backslash) at += 1
      else if (code === quote) isInString = false
    } else if (code === quote) isInString = true
    else if (code === openBrace || code === openBracket) deepest = Math.max(deepest, ++depth)
    else if (code === closeBrace || code === closeBracket) depth -= 1
  }
  return deepest
}

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
