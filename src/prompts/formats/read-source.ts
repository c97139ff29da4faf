import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { CapstanError, messageOf } from '../../errors.ts'
import { hasCode } from '../../files/atomic-write.ts'
import { cloneRepository, isRepositoryAddress, type CloneOptions } from './clone-repository.ts'
import { fileName } from './file-names.ts'
import type { TextFile, UnusablePart } from './format.ts'

export interface SourceOptions extends CloneOptions {
  /** What a relative path is relative to. */
  readonly currentFolder: string
}

export interface Source {
  readonly files: readonly TextFile[]
  readonly unusable: readonly UnusablePart[]
  /** The person named this one file: whatever it looks like, it is meant. */
  readonly isOneFile: boolean
}

const maxFiles = 50_000
const maxFileBytes = 8 * 1024 * 1024

/** The files that may hold prompts, from a file, a folder or a git repository. Links are not followed, and nothing is run. */
export async function readSource(source: string, options: SourceOptions): Promise<Source> {
  if (isRepositoryAddress(source)) return await readRepository(source, options)
  const path = resolve(options.currentFolder, source)
  const info = await stat(path).catch((error: unknown) => {
    throw unreadable(source, error)
  })
  if (info.isDirectory()) {
    if (await isBareRepository(path)) return await readRepository(path, options)
    const folder = await readFolder(path, options)
    // Its name says what the files are.
    return ['commands', 'prompts'].includes(basename(path)) ? prefixed(folder, basename(path)) : folder
  }
  // A skill or a pattern is its folder; the file in it is what people point at.
  if (['SKILL.md', 'system.md'].includes(basename(path))) {
    const folder = dirname(path)
    return { ...prefixed(await readFolder(folder, options), basename(folder)), isOneFile: true }
  }
  const read = await readText({ root: dirname(path), path: basename(path) })
  return { files: 'text' in read ? [read] : [], unusable: 'text' in read ? [] : [read], isOneFile: true }
}

async function readRepository(address: string, options: SourceOptions): Promise<Source> {
  await using clone = await cloneRepository(address, options)
  return await readFolder(clone.path, options)
}

async function readFolder(root: string, { signal }: SourceOptions): Promise<Source> {
  const paths = await listFiles(root, signal)
  const skills = skillFolders(paths)
  const wanted = paths.filter((path) => isWanted(path, skills))
  const files: TextFile[] = []
  const unusable: UnusablePart[] = []
  for (const path of wanted) {
    signal?.throwIfAborted()
    const read = await readText({ root, path })
    if ('text' in read) files.push(read)
    else unusable.push(read)
  }
  return { files, unusable, isOneFile: false }
}

const passedOver: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', '__pycache__'])

async function listFiles(root: string, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const paths: string[] = []
  const walk = async (folder: string): Promise<void> => {
    signal?.throwIfAborted()
    const entries = await readdir(folder, { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !passedOver.has(entry.name)) await walk(path)
      if (entry.isFile()) paths.push(relative(root, path).split(sep).join('/'))
      if (paths.length > maxFiles) throw tooMany(root)
    }
  }
  await walk(root)
  return paths
}

function skillFolders(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => fileName(path) === 'SKILL.md').map((path) => path.slice(0, -'SKILL.md'.length))
}

function isWanted(path: string, skills: readonly string[]): boolean {
  return /\.(?:md|jsonl|csv)$|(?:^|\/)capstan\.json$/.test(path) || skills.some((folder) => path.startsWith(folder))
}

async function readText({ root, path }: { root: string; path: string }): Promise<TextFile | UnusablePart> {
  const file = join(root, path)
  const { size } = await stat(file)
  if (size > maxFileBytes) return { from: path, reason: `it has ${size} bytes, more than ${maxFileBytes}` }
  const bytes = await readFile(file)
  if (bytes.includes(0)) return { from: path, reason: 'it is no text' }
  return { path, text: bytes.toString('utf8') }
}

async function isBareRepository(path: string): Promise<boolean> {
  const names = await readdir(path)
  return ['HEAD', 'objects', 'refs'].every((name) => names.includes(name))
}

function prefixed({ files, unusable, isOneFile }: Source, folder: string): Source {
  return { files: files.map(({ path, text }) => ({ path: `${folder}/${path}`, text })), unusable, isOneFile }
}

function unreadable(source: string, error: unknown): CapstanError {
  const why = hasCode(error, 'ENOENT', 'ENOTDIR') ? 'there is no such file or folder' : messageOf(error)
  return new CapstanError('usage', `"${source}" cannot be read: ${why}.`, {
    cause: error,
    next: 'Give a file, a folder, or the address of a git repository such as https://example.com/prompts.git.',
  })
}

function tooMany(root: string): CapstanError {
  return new CapstanError('limit_exceeded', `${root} holds more than ${maxFiles} files.`, {
    next: 'Name the folder in it that has the prompts.',
  })
}
