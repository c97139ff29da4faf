import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'

/** What of a package.json says which programs there are. */
export interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly bin?: string | Readonly<Record<string, string>>
  readonly hasWorkspaces: boolean
}

/** The project that npm would see from a folder. */
export interface NpmProject {
  readonly folder: string
  readonly manifest: Manifest
  /** How many packages of this name are installed in it; `unclear` when there are several, or when nobody wrote that down. */
  readonly copiesOf: (name: string) => 'none' | 'one' | 'unclear'
}

/** Reads what decides about npx; undefined where settings or workspaces make that more than a look at the nearest project. */
export async function npmProject(cwd: string, env: Readonly<Record<string, string>>): Promise<NpmProject | undefined> {
  const folders = foldersUp(cwd)
  const [manifests, modules] = await Promise.all([
    Promise.all(folders.map(readManifest)),
    Promise.all(folders.map((folder) => isFolder(join(folder, 'node_modules')))),
  ])
  if (manifests.some((manifest) => manifest?.hasWorkspaces)) return undefined
  const nearest = folders.findIndex((_, at) => manifests[at] !== undefined || modules[at])
  const at = Math.max(0, nearest)
  const folder = folders[at] ?? cwd
  const [isPlain, lock] = await Promise.all([
    hasPlainSettings(folder, env),
    modules[at] ? readText(join(folder, 'node_modules', '.package-lock.json')) : '',
  ])
  if (!isPlain) return undefined
  const manifest = manifests[at] ?? { hasWorkspaces: false }
  return { folder, manifest, copiesOf: (name) => (manifest.name === name ? 'unclear' : countCopies(lock, name)) }
}

/** npm notes all that it has installed in one file. Its text is enough: it can be long, and parsing it would take longer than all else. */
function countCopies(lock: string | undefined, name: string): 'none' | 'one' | 'unclear' {
  if (lock === undefined || lock.includes(`"name": ${JSON.stringify(name)}`)) return 'unclear'
  const copies = lock.split(`node_modules/${name}": {`).length - 1
  if (copies === 0) return 'none'
  return copies === 1 && lock.includes(`\n    "node_modules/${name}": {`) ? 'one' : 'unclear'
}

/** Whether the `npx` of this command is the one that comes with npm 9 or newer: not a version manager's, not another program. */
export async function npxIsNpms(command: string, path: string): Promise<boolean> {
  const candidates = isAbsolute(command) ? [command] : path.split(delimiter).map((folder) => join(folder, command))
  const found = await Promise.all(candidates.map(async (file) => isAbsolute(file) && (await isFile(file))))
  const candidate = candidates[found.indexOf(true)]
  if (candidate === undefined) return false
  const file = await realpath(candidate)
  if (basename(file) !== 'npx-cli.js') return false
  const npm = await readManifest(dirname(dirname(file)))
  return npm?.name === 'npm' && Number.parseInt(npm.version ?? '0', 10) >= 9
}

/** The folder and all above it. */
export function foldersUp(folder: string): readonly string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...foldersUp(above)]
}

export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** The package.json of a folder; undefined where there is none. One that cannot be read counts as having workspaces: it is not plain. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readText(join(folder, 'package.json'))
  if (text === undefined) return undefined
  try {
    return manifestOf(JSON.parse(text))
  } catch {
    return { hasWorkspaces: true }
  }
}

function manifestOf(json: unknown): Manifest {
  if (!isRecord(json)) return { hasWorkspaces: true }
  const { name, version, bin } = json
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof version === 'string' ? { version } : {}),
    ...(typeof bin === 'string' ? { bin } : {}),
    ...(isRecord(bin)
      ? { bin: Object.fromEntries(Object.entries(bin).map(([key, file]) => [key, String(file)])) }
      : {}),
    hasWorkspaces: 'workspaces' in json,
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether npm's settings, in variables and in the files of project and user, hold nothing that could have a say in what npx runs. */
async function hasPlainSettings(folder: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const files = await Promise.all([folder, env['HOME'] ?? ''].map((place) => readText(join(place, '.npmrc'))))
  const variables = Object.keys(env)
    .filter((name) => /^npm_config_/i.test(name))
    .map((name) => name.slice('npm_config_'.length).toLowerCase().replaceAll('_', '-'))
  return [...variables, ...files.flatMap(settingNames)].every(
    (name) => harmlessSettings.has(name) || /^\/\/|:registry$/.test(name),
  )
}

function settingNames(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^[;#]/.test(line))
    .map((line) => (line.split('=')[0] ?? '').trim().replace(/\[\]$/, ''))
}

/** Where packages come from, how they are saved, what npm says. A setting that is not here may be harmless too: then npx simply runs as ever. */
const harmlessSettings = new Set(
  (
    'registry audit fund progress loglevel update-notifier yes color email always-auth strict-ssl ca cafile proxy https-proxy ' +
    'noproxy maxsockets fetch-retries fetch-timeout save save-exact save-prefix package-lock engine-strict legacy-peer-deps ' +
    'ignore-scripts prefer-offline omit-lockfile-registry-resolved nodedir python init-author-name init-author-email init-license init-version'
  ).split(' '),
)

async function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined)
}
