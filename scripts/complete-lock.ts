// Adds to package-lock.json the optional packages of other platforms that npm left out because the registry at hand lacks them:
// `npm ci` refuses a lock without them, though it would never install them here. Run it after each change of the dependencies.
import { readFile, writeFile } from 'node:fs/promises'

interface LockedPackage {
  readonly version?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface Lock {
  packages: Record<string, LockedPackage>
}

const systems = ['android', 'darwin', 'freebsd', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'aix', 'win32', 'linux']
const processors = ['wasm32', 'riscv64', 'loong64', 'ppc64', 's390x', 'arm64', 'ia32', 'x64', 'arm']

const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lock
const missing = Object.values(lock.packages).flatMap((owner) =>
  Object.entries(owner.optionalDependencies ?? {})
    .filter(([name]) => lock.packages[`node_modules/${name}`] === undefined)
    .map(([name, version]) => [`node_modules/${name}`, entryFor(name, version, owner.dev)] as const),
)
lock.packages = Object.fromEntries(
  [...Object.entries(lock.packages), ...missing].toSorted(([a], [b]) => (a < b ? -1 : 1)),
)
await writeFile('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
console.log(`added ${missing.length} packages of other platforms`)

function entryFor(name: string, version: string, dev: boolean | undefined): LockedPackage {
  const os = systems.find((system) => name.includes(system))
  const cpu = processors.find((processor) => name.includes(processor))
  if (os === undefined && cpu === undefined)
    throw new Error(`${name} names no platform, so it cannot be left to others`)
  const libc = name.includes('musl') ? ['musl'] : name.includes('gnu') ? ['glibc'] : undefined
  return {
    version: version.replace(/^[~^]/, ''),
    ...(dev === true ? { dev } : {}),
    optional: true,
    ...(os === undefined ? {} : { os: [os] }),
    ...(cpu === undefined ? {} : { cpu: [cpu] }),
    ...(libc === undefined ? {} : { libc }),
  }
}
