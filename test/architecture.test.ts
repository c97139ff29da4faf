import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { packagesAmong, readBundleGraph, type BundleGraph } from './architecture/bundle-graph.ts'
import { findCycle, importsOf, loadedBy, readSourceGraph } from './architecture/source-graph.ts'

/** Which rooms a room may import values from, besides itself; type-only imports are free. */
const arrows: Readonly<Record<string, readonly string[]>> = (() => {
  const ground = ['errors.ts', 'version.ts', 'json.ts', 'files', 'policy']
  const hub = [...ground, 'config', 'hub']
  return {
    'errors.ts': [],
    'version.ts': [],
    'json.ts': [],
    files: ['errors.ts', 'json.ts'],
    policy: ['errors.ts', 'json.ts'],
    config: ground,
    hub: [...ground, 'config'],
    // The daemon and the command line hand the sandbox and the prompt library to the hub.
    daemon: [...hub, 'sandbox', 'prompts'],
    agent: hub,
    gateway: hub,
    commands: [...hub, 'agent'],
    terminal: [...hub, 'agent', 'commands'],
    sandbox: ground,
    prompts: ground,
    hosts: [...ground, 'index.ts'],
    cli: [...hub, 'daemon', 'agent', 'gateway', 'commands', 'terminal', 'sandbox', 'prompts', 'hosts'],
    'index.ts': [...hub, 'daemon', 'agent', 'gateway', 'commands', 'sandbox', 'prompts'],
    'dial.ts': [...ground, 'daemon'],
  }
})()

/** The packages that a part of the built command line may load at once; a part that is not named may load none. */
const mayLoad: Readonly<Record<string, readonly string[]>> = (() => {
  const editing = ['add', 'config', 'connect', 'disable', 'disconnect', 'enable', 'import', 'remove', 'review']
  const sdk = ['client', 'core'].map((name) => `@modelcontextprotocol/${name}`)
  const server = ['server', 'core'].map((name) => `@modelcontextprotocol/${name}`)
  return {
    ...Object.fromEntries(editing.map((verb) => [`src/cli/commands/${verb}.ts`, ['jsonc-parser']])),
    'src/config/parse-jsonc.ts': ['jsonc-parser'],
    'src/hub/arguments/check-arguments.ts': ['@cfworker/json-schema'],
    'src/cli/commands/search.ts': ['minisearch'],
    'src/hub/search/search.ts': ['minisearch'],
    ...Object.fromEntries(
      ['add', 'edit', 'import', 'export', 'sync'].map((verb) => [`src/cli/commands/library/${verb}.ts`, ['yaml']]),
    ),
    'src/prompts/formats/document.ts': ['yaml'],
    'src/cli/commands/library/sync.ts': ['yaml', 'smol-toml'],
    'src/cli/commands/library/search.ts': ['minisearch'],
    'src/prompts/search.ts': ['minisearch'],
    // The protocol of the prompt server; yaml reads and writes the formats of other clients.
    'src/cli/serve-library.ts': [...server, 'minisearch', 'yaml', 'zod'],
    // The protocol of the gateway.
    'src/cli/serve-gateway.ts': [...server, 'zod'],
    // The protocol between editors and agents, which checks every message.
    'src/cli/acp/serve-editor.ts': ['@agentclientprotocol/sdk', 'zod'],
    'src/sandbox/worker.ts': ['quickjs-wasi'],
    // The first frame: neither the SDK of the protocol nor that of the models.
    'src/cli/chat/hold-session.ts': ['@earendil-works/pi-tui', 'get-east-asian-width', 'marked'],
    // Loaded with the first step of a model; each provider is a part of its own.
    'src/agent/ai-model.ts': ['ai', '@ai-sdk/provider', '@ai-sdk/provider-utils', 'zod'],
    // Loaded while the server boots: everything before it must be there in a few ms.
    'src/hub/wire/client.ts': [...sdk, 'eventsource', 'eventsource-parser', 'pkce-challenge', 'zod'],
  }
})()

const graph = readSourceGraph(fileURLToPath(new URL('../src', import.meta.url)))

function room(file: string): string {
  return file.split('/')[0] ?? file
}

describe('the rooms', () => {
  test('are all found, with the imports between them', () => {
    const rooms = new Set(graph.files.map(room))

    expect(graph.files.length).toBeGreaterThan(40)
    expect(graph.edges.length).toBeGreaterThan(graph.files.length)
    expect([...rooms].filter((name) => !(name in arrows))).toEqual([])
  })

  test('import values only along the arrows', () => {
    const wrong = graph.edges.filter(({ from, to, kind }) => {
      const [here, there] = [room(from), room(to)]
      return kind !== 'type' && here !== there && !arrows[here]?.includes(there)
    })

    expect(wrong).toEqual([])
  })

  test('have no cycle between files, types included', () => {
    expect(findCycle(graph)).toBeUndefined()
  })

  test('reach the outside only through relative paths that exist, packages and Node modules', () => {
    const dangling = graph.packages.filter(({ to }) => !/^(?:node:|@?[a-z])/.test(to) || to.endsWith('.ts'))

    expect(dangling).toEqual([])
  })

  test('let dialHub load nothing of the hub and no package', () => {
    const files = loadedBy(graph, 'dial.ts')
    const packages = graph.packages.filter(({ from, to, kind }) => {
      return kind === 'value' && files.includes(from) && !to.startsWith('node:')
    })

    expect(files.length).toBeGreaterThan(1)
    expect(files.filter((file) => room(file) === 'hub')).toEqual([])
    expect(packages).toEqual([])
  })
})

describe('the built command line', () => {
  const cliFolder = fileURLToPath(new URL('../dist/cli', import.meta.url))
  const builtBundle = (): BundleGraph => readBundleGraph(join(cliFolder, 'meta.json'))

  test('starts with nothing but a check of the Node version', () => {
    const files = builtBundle().loadedBy('src/cli/bin.ts')

    expect(files).toEqual(['src/cli/bin.ts'])
  })

  test('starts with a file that every Node since 16.9 can parse', async () => {
    const code = await readFile(join(cliFolder, 'bin.js'), 'utf8')

    const [lowered, untouched] = await Promise.all([
      transform(code, { format: 'esm', target: 'node16.9' }),
      transform(code, { format: 'esm', target: 'esnext' }),
    ])

    expect(lowered.code).toBe(untouched.code)
  })

  test('answers an old Node with one sentence and exit code 2', async () => {
    const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })`
    const args = [
      '--import',
      `data:text/javascript,${encodeURIComponent(pretend)}`,
      join(cliFolder, 'bin.js'),
      '--help',
    ]

    const outcome = promisify(execFile)(process.execPath, args)

    await expect(outcome).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^[^\n]*22\.19[^\n]*\n$/),
    })
  })

  test('prints its help and version without loading a package, the hub or the config', () => {
    const bundle = builtBundle()
    const files = ['src/cli/start.ts', 'src/cli/help.ts', 'src/version.ts'].flatMap(bundle.loadedBy)

    expect(files).toContain('src/cli/main.ts')
    expect(packagesAmong(files)).toEqual([])
    expect(files.filter((file) => /^src\/(?:hub|config|daemon)\//.test(file))).toEqual([])
  })

  test('loads for each part only the packages that part is known to need', () => {
    const bundle = builtBundle()
    const parts = bundle.entries.filter((entry) => entry.startsWith('src/'))

    const excess = parts.flatMap((part) => {
      const packages = packagesAmong(bundle.loadedBy(part))
      return packages.filter((name) => !mayLoad[part]?.includes(name)).map((name) => `${part} loads ${name}`)
    })

    expect(parts.length).toBeGreaterThan(15)
    expect(excess).toEqual([])
  })
})

describe('the reader of imports', () => {
  test('tells value, type and dynamic imports apart and leaves comments alone', () => {
    const text = [
      `import { a } from './a.ts'`,
      `import type { B } from './b.ts'`,
      `import {\n  c,\n  type D,\n} from '../c.ts'`,
      `import './side-effect.ts'`,
      `export { e } from './e.ts'`,
      `export type { F } from './f.ts'`,
      `// import { no } from './comment.ts'`,
      `const g = await import('./g.ts')`,
      `type H = import('./h.ts').H`,
      `import { readFile } from 'node:fs/promises'`,
    ].join('\n')

    const seen = importsOf('room/file.ts', text).map(({ to, kind }) => `${kind} ${to}`)

    expect(seen).toEqual([
      'value room/a.ts',
      'type room/b.ts',
      'value c.ts',
      'value room/side-effect.ts',
      'value room/e.ts',
      'type room/f.ts',
      'value node:fs/promises',
      'dynamic room/g.ts',
      'type room/h.ts',
    ])
  })

  test('finds a cycle that runs through a type-only import', () => {
    const edges = [
      { from: 'a.ts', to: 'b.ts', kind: 'value' },
      { from: 'b.ts', to: 'a.ts', kind: 'type' },
    ] as const

    const cycle = findCycle({ files: ['a.ts', 'b.ts'], edges, packages: [] })

    expect(cycle).toEqual(['a.ts', 'b.ts', 'a.ts'])
  })
})
