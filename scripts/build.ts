import { execFile } from 'node:child_process'
import { chmod, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, type Metafile, type Plugin } from 'esbuild'
import { thirdPartyLicenses } from './third-party-licenses.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

try {
  await buildAll()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

// Tests and people may be running the last build, so the new one is made aside and takes its place when it is whole.
async function buildAll(): Promise<void> {
  const startedAtMs = performance.now()
  const staging = join(root, 'node_modules', `.capstan-build-${process.pid}`)
  try {
    const parts = await Promise.allSettled([buildLibrary(join(staging, 'lib')), buildCli(join(staging, 'cli'))])
    const failures = parts.filter((part) => part.status === 'rejected').map((part) => String(part.reason))
    if (failures.length > 0) throw new Error(failures.join('\n'))
    await swap(staging, join(root, 'dist'))
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  await report(Math.round(performance.now() - startedAtMs))
}

async function buildLibrary(folder: string): Promise<void> {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  try {
    await run(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', folder], { cwd: root })
  } catch (error) {
    const { stdout } = error as { stdout?: string }
    throw new Error(`tsc found errors:\n${stdout ?? String(error)}`, { cause: error })
  }
}

// Each file of the command line holds all it needs at once: a file more costs 0.3 ms of every start, and with shared chunks there were
// fifty. What is imported dynamically is a file of its own.
async function buildCli(folder: string): Promise<void> {
  const entries = new Map([
    ['src/cli/bin.ts', 'bin'],
    ['src/cli/prompts-bin.ts', 'prompts-bin'],
    // pi compiles what it loads, so one file is quicker than many; and what it loads on demand lies here already.
    ['src/hosts/pi/extension.ts', 'pi-extension'],
    // The sandbox starts its thread from a file of its own, which must lie beside the rest.
    ['src/sandbox/worker.ts', 'worker'],
  ])
  const metafiles: Metafile[] = []
  // A dynamic import found on the way is an entry to build after it: the list grows while it is walked.
  for (const [source, name] of entries) metafiles.push(await bundle({ source, name, folder, entries }))
  const metafile: Metafile = {
    inputs: Object.assign({}, ...metafiles.map(({ inputs }) => inputs)) as Metafile['inputs'],
    outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs)) as Metafile['outputs'],
  }
  refuseRequire(metafile)
  for (const name of ['bin.js', 'prompts-bin.js']) await chmod(join(folder, name), 0o755)
  await writeFile(
    join(folder, 'THIRD-PARTY-LICENSES.txt'),
    await thirdPartyLicenses(root, Object.keys(metafile.inputs)),
  )
  await writeFile(join(folder, 'meta.json'), JSON.stringify(withNamesOnly(metafile)))
}

interface Bundle {
  readonly source: string
  readonly name: string
  readonly folder: string
  readonly entries: Map<string, string>
}

async function bundle({ source, name, folder, entries }: Bundle): Promise<Metafile> {
  const { metafile, warnings } = await build({
    absWorkingDir: root,
    entryPoints: { [name]: source },
    outdir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // Some packages name a CommonJS file as `main` and an ES module as `module`; only the second can be shaken.
    mainFields: ['module', 'main'],
    // The SDK's default validator is a code generator of 215 KB that we never call: arguments and results are checked by our own.
    alias: {
      '@modelcontextprotocol/client/_shims': join(root, 'scripts', 'sdk-shims.ts'),
      '@modelcontextprotocol/server/_shims': join(root, 'scripts', 'sdk-server-shims.ts'),
      '@ai-sdk/gateway': join(root, 'scripts', 'ai-gateway-shim.ts'),
      // For Node it names a CommonJS file; the same as an ES module is what it has for everybody else.
      yaml: join(root, 'node_modules', 'yaml', 'browser', 'index.js'),
    },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    plugins: [partsOnDemand(entries), quickBuiltins()],
    metafile: true,
    logLevel: 'silent',
  })
  for (const { text, location } of warnings) console.warn(`${location?.file ?? ''}:${location?.line ?? ''} ${text}`)
  return metafile
}

// What is imported dynamically stays outside, under a name made from its path.
function partsOnDemand(entries: Map<string, string>): Plugin {
  return {
    name: 'parts-on-demand',
    setup(bundler) {
      bundler.onResolve({ filter: /./ }, async ({ path, kind, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || path.startsWith('node:') || pluginData === 'seen') return undefined
        const found = await bundler.resolve(path, { kind, resolveDir, pluginData: 'seen' })
        const source = relative(root, found.path)
        const name =
          entries.get(source) ??
          source
            .replace(/^src\//, '')
            .replace(/\.[a-z]+$/, '')
            .replaceAll(/[^A-Za-z0-9]+/g, '-')
        entries.set(source, name)
        return { path: `./${name}.js`, external: true }
      })
    },
  }
}

// An import of `node:fs` or `node:util` costs 2.5 ms each, because it makes a live name for everything in them, even for what is
// loaded only when it is touched. Asking for the module itself costs nothing, so that is what our own imports become. The first
// file must run on any Node and stays as it is.
function quickBuiltins(): Plugin {
  return {
    name: 'quick-builtins',
    setup(bundler) {
      bundler.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
        if (path.endsWith('/bin.ts')) return undefined
        const text = await readFile(path, 'utf8')
        return { loader: 'ts', contents: text.replaceAll(/^import \{([^}]*)\} from '(node:[^']+)'$/gm, askForBuiltin) }
      })
    },
  }
}

function askForBuiltin(_import: string, list: string, module: string): string {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const types = names.filter((name) => name.startsWith('type '))
  const values = names.filter((name) => !name.startsWith('type '))
  const builtin = `process.getBuiltinModule('${module}')`
  // These take 1 to 5 ms by themselves, or load others that do (the network brings all streams with it), so even asking for them waits
  // for the first call. That can be done for functions only: a class is asked for at once.
  const slow = ['child_process', 'crypto', 'fs/promises', 'net', 'timers/promises', 'tty']
  const isSlow = slow.some((name) => module === `node:${name}`) && values.every((name) => /^[a-z]/.test(name))
  return [
    ...(types.length === 0 ? [] : [`import { ${types.join(', ')} } from '${module}'`]),
    ...(isSlow
      ? values
          .map((name) => name.split(' as '))
          .map(([name, own = name]) => `const ${own} = (...args) => ${builtin}.${name}(...args)`)
      : [`const { ${values.map((name) => name.replace(/ as /, ': ')).join(', ')} } = ${builtin}`]),
  ].join('; ')
}

// `require` of a Node module throws in a bundled ES module, and only when that code runs: so the build stops here.
function refuseRequire(metafile: Metafile): void {
  const used = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs))
  const bad = used.filter((path) =>
    metafile.inputs[path]?.imports.some((entry) => entry.external === true && entry.kind === 'require-call'),
  )
  if (bad.length > 0) throw new Error(`The CLI may not bundle CommonJS that needs Node modules: ${bad.join(', ')}`)
}

/** The same metafile with outputs by file name: what was built aside must read the same after it has moved. */
function withNamesOnly(metafile: Metafile): Metafile {
  const name = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => {
    const imports = output.imports.map((entry) =>
      entry.external === true ? entry : { ...entry, path: name(entry.path) },
    )
    return [name(path), { ...output, imports }] as const
  })
  return { ...metafile, outputs: Object.fromEntries(outputs) }
}

async function swap(staging: string, target: string): Promise<void> {
  const old = `${staging}-old`
  await rename(target, old).catch(ignoreMissing)
  await rename(staging, target)
  await rm(old, { recursive: true, force: true })
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

async function report(ms: number): Promise<void> {
  for (const part of ['lib', 'cli']) {
    const { files, bytes } = await measure(join(root, 'dist', part))
    console.log(`dist/${part}  ${String(files).padStart(4)} files  ${(bytes / 1024).toFixed(0).padStart(6)} KB`)
  }
  console.log(`built in ${(ms / 1000).toFixed(1)} s`)
}

async function measure(folder: string): Promise<{ files: number; bytes: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size))
  return { files: files.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}
