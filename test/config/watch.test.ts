import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseJsonc } from '../../src/config/parse-jsonc.ts'
import type { Config, ConfiguredServer, RawEntry, Standing } from '../../src/config/types.ts'
import { diffConfigs, watchConfig } from '../../src/config/watch.ts'
import { writeFileAtomic } from '../../src/files/atomic-write.ts'
import { tempFolder } from './temp-folder.ts'

const timing = { settleMs: 20, lookAgainMs: 3_600_000 }

test('tells which servers were added, removed and changed', async () => {
  await using folder = await tempFolder()
  await folder.write({
    'mcp.json': JSON.stringify({ same: { command: 's' }, gone: { command: 'g' }, other: { command: 'a' } }),
  })
  using seen = await watching(join(folder.path, 'mcp.json'))

  await folder.write({
    'mcp.json': JSON.stringify({ same: { command: 's' }, other: { command: 'b' }, fresh: { command: 'f' } }),
  })

  expect(await seen.next()).toEqual({ added: ['fresh'], removed: ['gone'], changed: ['other'] })
})

test('a file that does not parse is reported with line and column, and its mending counts from the last good config', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'mcp.json')
  await folder.write({ 'mcp.json': '{"a": {"command": "x"}}' })
  using seen = await watching(file)

  await writeFileAtomic(file, '{\n  "a": {"command" "x"}\n}')
  expect(await seen.next()).toMatchObject({ code: 'config_invalid', message: `${file}:2:19: colon expected.` })
  await writeFileAtomic(file, '{"a": {"command": "x"}, "b": {}}')

  expect(await seen.next()).toEqual({ added: ['b'], removed: [], changed: [] })
})

test('a change that leaves every server as it was is not passed on', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'mcp.json')
  await folder.write({ 'mcp.json': '{"a": {"command": "x", "cwd": "."}}' })
  using seen = await watching(file)

  await writeFileAtomic(file, '{ // a comment\n "a": {"cwd": ".", "command": "x"}}')
  await seen.loaded(2)
  await rm(file)

  expect(await seen.next()).toEqual({ added: [], removed: ['a'], changed: [] })
})

test('what changed between the first load and the start of the watch is seen', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'mcp.json')
  await folder.write({ 'mcp.json': '{}' })
  const initial = await load(file)
  await writeFile(file, '{"a": {}}')

  using seen = await watching(file, initial)

  expect(await seen.next()).toEqual({ added: ['a'], removed: [], changed: [] })
})

test.each<[string, Partial<ConfiguredServer>]>([
  ['its entry', { entry: { command: 'other' } }],
  ['its file', { origin: { layer: 'user', file: '/elsewhere/mcp.json' } }],
  ['its layer', { origin: { layer: 'project', file: '/mcp.json' } }],
  ['its trust', { standing: { kind: 'untrusted', change: 'changed' } }],
])('a server is changed when %s is', (_what, change) => {
  expect(diffConfigs(configOf([server('a')]), configOf([{ ...server('a'), ...change }])).changed).toEqual(['a'])
})

test('the same servers read twice do not differ', () => {
  expect(diffConfigs(configOf([server('a')]), configOf([server('a')]))).toEqual({ added: [], removed: [], changed: [] })
})

async function watching(file: string, initial?: Config) {
  const seen: unknown[] = []
  let read = 0
  let loads = 0
  let wake = () => {}
  const note = (what: unknown) => {
    seen.push(what)
    wake()
  }
  const watcher = watchConfig({
    initial: initial ?? (await load(file)),
    load: async () => {
      const config = await load(file)
      loads++
      wake()
      return config
    },
    onConfig: (_config, difference) => note(difference),
    onError: note,
    files: [file],
    timing,
  })
  const until = async (isReached: () => boolean) => {
    while (!isReached()) await new Promise<void>((resolve) => (wake = resolve))
  }
  return {
    loaded: (count: number) => until(() => loads >= count),
    next: async () => {
      await until(() => seen.length > read)
      return seen[read++]
    },
    [Symbol.dispose]: () => watcher[Symbol.dispose](),
  }
}

async function load(file: string): Promise<Config> {
  const text = await readFile(file, 'utf8').catch(() => '{}')
  const entries = parseJsonc(text, file) as Record<string, RawEntry>
  return configOf(Object.entries(entries).map(([name, entry]) => server(name, entry)))
}

function server(name: string, entry: RawEntry = { command: name }): ConfiguredServer {
  const standing: Standing = { kind: 'disabled' }
  return { name, entry, origin: { layer: 'user', file: '/mcp.json' }, standing }
}

function configOf(servers: readonly ConfiguredServer[]): Config {
  return {
    servers,
    settings: { catalogueSeconds: 10 },
    surroundings: { env: {}, homeFolder: '/', workspaceFolder: '/', currentFolder: '/' },
    files: [],
    warnings: [],
  }
}
