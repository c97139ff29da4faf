import { open, realpath, stat } from 'node:fs/promises'
import { extname, isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ContentPart } from '../agent/record.ts'
import { CapstanError, messageOf, stopped } from '../errors.ts'
import type { Catalogue, Hub, ResourceRef } from '../hub/api.ts'
import { serversForResource } from '../hub/find-resource.ts'
import { resourcePart } from './content-parts.ts'
import { findMentions } from './mentions.ts'

export interface AttachOptions {
  readonly hub: Pick<Hub, 'read'>
  readonly catalogue: Catalogue
  /** Only files below it are attached. */
  readonly folder: string
  readonly signal?: AbortSignal | undefined
}

export interface Attached {
  readonly parts: readonly ContentPart[]
  /** What was mentioned and could not be attached, and why. */
  readonly notices: readonly string[]
}

/** The contents of what a text mentions, each once. What is neither a resource nor a file stays what it is: text. */
export async function attachMentions(text: string, options: AttachOptions): Promise<Attached> {
  const names = [...new Set(findMentions(text).map(({ value }) => value))]
  const read = await Promise.all(names.map((name) => attach(name, options)))
  return { parts: read.flatMap(({ parts }) => parts), notices: read.flatMap(({ notices }) => notices) }
}

async function attach(name: string, options: AttachOptions): Promise<Attached> {
  try {
    const resource = resourceNamed(name, options.catalogue)
    if (resource !== undefined) return { parts: await readResource(resource, options), notices: [] }
    const file = await fileNamed(name, options.folder)
    return { parts: file === undefined ? [] : [await readPart(file, options.folder)], notices: [] }
  } catch (error) {
    if (options.signal?.aborted) throw stopped(options.signal, 'reading what is mentioned')
    if (!(error instanceof CapstanError)) throw error
    return { parts: [], notices: [`@${name} was not attached: ${error.message}`] }
  }
}

/** As it stands, else without the mark that ends a sentence. */
function spellings(name: string): readonly string[] {
  const bare = name.replace(/[.,;:!?)\]}>]+$/u, '')
  return bare === name || bare === '' ? [name] : [name, bare]
}

function resourceNamed(name: string, catalogue: Catalogue): ResourceRef | undefined {
  const servers = new Set([...catalogue.resources, ...catalogue.templates].map(({ server }) => server))
  for (const spelt of spellings(name)) {
    for (const server of servers) {
      const uri = spelt.slice(server.length + 1)
      if (spelt.startsWith(`${server}:`) && serversForResource(catalogue, uri).includes(server)) return { server, uri }
    }
  }
  return undefined
}

async function readResource(resource: ResourceRef, { hub, signal }: AttachOptions): Promise<readonly ContentPart[]> {
  const { contents } = await hub.read(resource, signal === undefined ? {} : { signal })
  return contents.map((content) => resourcePart(content))
}

async function fileNamed(name: string, folder: string): Promise<string | undefined> {
  for (const spelt of spellings(name)) {
    const path = resolve(folder, spelt)
    if (await isThere(path)) return path
  }
  return undefined
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch {
    // Not there, or a name that no file can have: then it was no mention of a file.
    return false
  }
}

async function readPart(path: string, folder: string): Promise<ContentPart> {
  const [file, root] = await Promise.all([realpath(path), realpath(folder)])
  const inside = relative(root, file)
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
    throw new CapstanError('not_allowed', 'it is outside of this folder. Copy it here, or paste what matters.')
  const bytes = await readBytes(file)
  const picture = pictures[extname(file).toLowerCase()]
  if (picture !== undefined) return { kind: 'media', mimeType: picture, data: bytes.toString('base64') }
  if (bytes.includes(0)) throw new CapstanError('resource_unreadable', 'it is neither text nor a picture.')
  return { kind: 'resource', uri: pathToFileURL(file).href, text: bytes.toString('utf8') }
}

const pictures: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}

const mostBytes = 2 ** 20 * 2

async function readBytes(file: string): Promise<Buffer> {
  try {
    await using handle = await open(file, 'r')
    const about = await handle.stat()
    if (!about.isFile()) throw new CapstanError('resource_unreadable', 'it is not a file. Mention the files in it.')
    if (about.size > mostBytes)
      throw new CapstanError('limit_exceeded', `it has ${about.size} bytes; at most ${mostBytes} are attached.`)
    return await handle.readFile()
  } catch (error) {
    if (error instanceof CapstanError) throw error
    throw new CapstanError('resource_unreadable', messageOf(error), { cause: error })
  }
}
