import { open, realpath, stat } from 'node:fs/promises'
import { extname, isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ContentPart } from '../agent/record.ts'
import { CapstanError, messageOf, stopped } from '../errors.ts'
import type { Catalogue, Hub, ResourceRef } from '../hub/api.ts'
import { fitsTemplate } from '../hub/catalogue/find-resource.ts'
import { resourcePart } from '../agent/content-parts.ts'
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
  const found = await Promise.all(findMentions(text).map(({ value }) => lookUp(value, options)))
  const targets = new Map(found.flatMap((target) => (target === undefined ? [] : [[JSON.stringify(target), target]])))
  const read = await Promise.all([...targets.values()].map((target) => attach(target, options)))
  return { parts: read.flatMap(({ parts }) => parts), notices: read.flatMap(({ notices }) => notices) }
}

type Target =
  | { readonly kind: 'resource'; readonly resource: ResourceRef }
  | { readonly kind: 'file'; readonly path: string }

async function lookUp(name: string, { catalogue, folder }: AttachOptions): Promise<Target | undefined> {
  const resource = resourceNamed(name, catalogue)
  if (resource !== undefined) return { kind: 'resource', resource }
  const path = await fileNamed(name, folder)
  return path === undefined ? undefined : { kind: 'file', path }
}

async function attach(target: Target, options: AttachOptions): Promise<Attached> {
  try {
    if (target.kind === 'resource') return { parts: await readResource(target.resource, options), notices: [] }
    return { parts: [await readPart(target.path, options.folder)], notices: [] }
  } catch (error) {
    if (options.signal?.aborted) throw stopped(options.signal, 'reading what is mentioned')
    if (!(error instanceof CapstanError)) throw error
    const name = target.kind === 'resource' ? target.resource.uri : relative(options.folder, target.path)
    return { parts: [], notices: [`${name} was not attached: ${error.message}`] }
  }
}

/** As it stands, else without the mark that ends a sentence. */
function spellings(name: string): readonly string[] {
  const bare = name.replace(/[.,;:!?)\]}>]+$/u, '')
  return bare === name || bare === '' ? [name] : [name, bare]
}

/** A template fits nearly anything, so for it a mark at the end is that of the sentence. */
function resourceNamed(name: string, { resources, templates }: Catalogue): ResourceRef | undefined {
  const spelt = spellings(name)
  const listed = resources.find((resource) => spelt.includes(`${resource.server}:${resource.uri}`))
  if (listed !== undefined) return { server: listed.server, uri: listed.uri }
  const bare = spelt.at(-1) ?? name
  const uriAt = (server: string) => (bare.startsWith(`${server}:`) ? bare.slice(server.length + 1) : undefined)
  const fitting = templates.find(({ server, uriTemplate }) => {
    const uri = uriAt(server)
    return uri !== undefined && fitsTemplate(uriTemplate, uri)
  })
  const uri = fitting && uriAt(fitting.server)
  return fitting === undefined || uri === undefined ? undefined : { server: fitting.server, uri }
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
  return await filePart(file)
}

/** A file as a part of a message: text, or a picture. */
export async function filePart(file: string): Promise<ContentPart> {
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
