import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CapstanError, messageOf } from '../errors.ts'
import type { Io } from './command.ts'
import { plainText } from '../policy/plain-text.ts'

/** A content block as it came. Kinds that nobody knows yet pass through as JSON. */
export type Block = { readonly type: string; readonly [field: string]: unknown }

export interface ContentOptions {
  readonly io: Io
  /** Where files go; undefined: they are only named. */
  readonly saveTo: string | undefined
  /** The start of the names of saved files. */
  readonly stem: string
}

/** Content as a person reads it: text as it is, files saved or named. Returns text for stdout. */
export async function contentText(blocks: readonly Block[], options: ContentOptions): Promise<string> {
  const parts: string[] = []
  for (const [index, block] of blocks.entries()) {
    const part = await blockText(block, index, options)
    if (part !== undefined) parts.push(part)
  }
  return parts.join('\n')
}

async function blockText(block: Block, index: number, options: ContentOptions): Promise<string | undefined> {
  if (block.type === 'text' && typeof block['text'] === 'string') return forScreen(block['text'], options.io)
  if (block.type === 'image' || block.type === 'audio')
    return fileText(block['data'], block['mimeType'], index, options)
  if (block.type === 'resource_link') return forScreen(String(block['uri']), options.io)
  if (block.type === 'resource') return resourceText(block['resource'], index, options)
  return forScreen(JSON.stringify(block), options.io)
}

/** The text of one resource, or its file. */
export async function resourceText(
  resource: unknown,
  index: number,
  options: ContentOptions,
): Promise<string | undefined> {
  if (typeof resource !== 'object' || resource === null) return forScreen(JSON.stringify(resource), options.io)
  const { text, blob, mimeType } = resource as Readonly<Record<string, unknown>>
  if (typeof text === 'string') return forScreen(text, options.io)
  return fileText(blob, mimeType, index, options)
}

/** On a terminal, what a server wrote must not drive the terminal; in a pipe every byte matters. */
function forScreen(text: string, io: Io): string {
  return io.stdoutIsTerminal ? plainText(text) : text
}

async function fileText(
  data: unknown,
  mimeType: unknown,
  index: number,
  { io, saveTo, stem }: ContentOptions,
): Promise<string | undefined> {
  const bytes = Buffer.from(typeof data === 'string' ? data : '', 'base64')
  const kind = typeof mimeType === 'string' ? plainText(mimeType) : 'application/octet-stream'
  if (saveTo === undefined) {
    const notice = `[${kind}, ${bytes.length} bytes; pass --save DIR to keep it]`
    // A person reads it where it stands among the text; a program gets only results.
    if (io.stdoutIsTerminal) return notice
    io.err(`${notice}\n`)
    return undefined
  }
  const folder = resolve(io.cwd, saveTo)
  try {
    await mkdir(folder, { recursive: true })
    return await writeNew(folder, `${stem}-${index + 1}`, extensionOf(kind), bytes)
  } catch (error) {
    throw new CapstanError('usage', `The file cannot be saved in ${folder}: ${messageOf(error)}`, {
      cause: error,
      next: 'Name another folder with --save.',
    })
  }
}

/** Never writes over a file that is there. */
async function writeNew(folder: string, stem: string, extension: string, bytes: Uint8Array): Promise<string> {
  for (let count = 1; ; count += 1) {
    const file = join(folder, `${stem}${count === 1 ? '' : `-${count}`}${extension}`)
    try {
      await writeFile(file, bytes, { flag: 'wx' })
      return file
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
}

/** The end of a file name for a media type. Only plain letters and digits of it get into the name. */
function extensionOf(mimeType: string): string {
  const known: Readonly<Record<string, string>> = {
    'image/jpeg': '.jpg',
    'image/svg+xml': '.svg',
    'audio/mpeg': '.mp3',
    'audio/x-wav': '.wav',
    'text/plain': '.txt',
    'application/octet-stream': '.bin',
  }
  const subtype = /^[a-z]+\/([a-z0-9]+)$/i.exec(mimeType)?.[1]
  return known[mimeType] ?? (subtype === undefined ? '.bin' : `.${subtype.toLowerCase()}`)
}
