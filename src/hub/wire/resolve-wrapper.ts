import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { basename, delimiter, isAbsolute, join } from 'node:path'
import { foldersUp, isFile, npmProject, npxIsNpms, readManifest, type Manifest, type NpmProject } from './npm-files.ts'
import { parseNpx, type NpxWords } from './npx-words.ts'

/** What is started: the command, its arguments and its whole environment. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/**
 * The program that `npx …` would run, where the files on disk leave no doubt which one that is; else the command as it was. It spares
 * npm and a shell, for each server and for as long as it runs. `env` is what the child would get; a resolved program gets the
 * `PATH` that npm would give it. Files are only read, so whatever was found may be gone a moment later: a caller for whom
 * the resolved program fails to start should start the original command.
 */
export async function resolveWrapper(
  command: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Launch> {
  const original = { command, args, env }
  const words = parseNpx(command, args)
  if (words === undefined || process.platform === 'win32' || !isAbsolute(cwd)) return original
  const [isNpms, project] = await Promise.all([npxIsNpms(command, env['PATH'] ?? ''), npmProject(cwd, env)])
  const program = isNpms && project && (await findProgram(words, { cwd, home: env['HOME'] ?? '', project }))
  if (!program || !(await isExecutable(program.file))) return original
  return {
    command: program.file,
    args: words.args,
    env: { ...env, PATH: [...program.paths, ...binFolders(cwd), env['PATH'] ?? ''].join(delimiter) },
  }
}

interface Ground {
  readonly cwd: string
  readonly home: string
  readonly project: NpmProject
}

interface Program {
  readonly file: string
  /** What npm would put before all else in the `PATH`. */
  readonly paths: readonly string[]
}

async function findProgram(words: NpxWords, ground: Ground): Promise<Program | undefined> {
  if (words.kind === 'command') return findCommand(words.command, ground)
  const place = await placeOfPackage(words, ground)
  if (place === undefined) return undefined
  const name = words.command ?? onlyBin(place.manifest)
  // The shell that npm asks would take its own.
  if (name === undefined || shellBuiltins.has(name)) return undefined
  const folder = place.cache ?? (await firstWith(name, binFolders(ground.cwd)))
  if (folder === undefined) return undefined
  return { file: join(folder, name), paths: place.cache === undefined ? [] : [place.cache] }
}

/** A bare word is first the name of a local program, of whichever package. What may be a global one is left to npx, which knows where those are. */
async function findCommand(name: string, { project }: Ground): Promise<Program | undefined> {
  if (Object.hasOwn(binsOf(project.manifest), name) || shellBuiltins.has(name)) return undefined
  const folder = await firstWith(name, binFolders(project.folder))
  return folder === undefined ? undefined : { file: join(folder, name), paths: [folder] }
}

interface Place {
  readonly manifest: Manifest
  /** The folder of programs in npx's cache; absent for a package of the project. */
  readonly cache?: string
}

/**
 * In the project any version is good for a name alone. In npx's cache only an exact one is: for anything else npx asks the registry
 * whether there is a newer one.
 */
async function placeOfPackage(
  { name, version, spec }: Extract<NpxWords, { readonly kind: 'package' }>,
  { home, project }: Ground,
): Promise<Place | undefined> {
  const copies = project.copiesOf(name)
  if (copies === 'unclear') return undefined
  const own = copies === 'none' ? undefined : await readManifest(join(project.folder, 'node_modules', name))
  if (copies === 'one' && own?.name !== name) return undefined
  if (own !== undefined && (version === undefined || own.version === version)) return { manifest: own }
  if (version === undefined || !isAbsolute(home)) return undefined
  const { createHash } = await import('node:crypto')
  const folder = join(home, '.npm', '_npx', createHash('sha512').update(spec).digest('hex').slice(0, 16))
  const cached = await readManifest(join(folder, 'node_modules', name))
  if (cached?.name !== name || cached.version !== version) return undefined
  return { manifest: cached, cache: join(folder, 'node_modules', '.bin') }
}

/** As npm chooses: all its programs are one and the same, or one is called like the package. */
function onlyBin(manifest: Manifest): string | undefined {
  const bins = binsOf(manifest)
  const [first] = Object.keys(bins)
  if (new Set(Object.values(bins)).size === 1) return first
  const name = bareName(manifest)
  return Object.hasOwn(bins, name) ? name : undefined
}

function binsOf(manifest: Manifest): Readonly<Record<string, string>> {
  const { bin } = manifest
  if (typeof bin === 'string') return { [bareName(manifest)]: bin }
  return Object.fromEntries(Object.entries(bin ?? {}).map(([name, file]) => [basename(name), file]))
}

function bareName({ name = '' }: Manifest): string {
  return name.replace(/^@[^/]+\//, '')
}

function binFolders(from: string): readonly string[] {
  return foldersUp(from).map((folder) => join(folder, 'node_modules', '.bin'))
}

async function firstWith(name: string, folders: readonly string[]): Promise<string | undefined> {
  const found = await Promise.all(folders.map((folder) => isFile(join(folder, name))))
  return folders[found.indexOf(true)]
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return await isFile(file)
  } catch {
    return false
  }
}

const shellBuiltins = new Set(
  (
    '. : [ alias bg break cd command continue echo eval exec exit export false fc fg getopts hash jobs kill local printf pwd ' +
    'read readonly return set shift test times trap true type ulimit umask unalias unset wait'
  ).split(' '),
)
