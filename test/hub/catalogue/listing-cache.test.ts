import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ConfiguredServer, RawEntry } from '../../../src/config/types.ts'
import { listingCache, listingKey } from '../../../src/hub/catalogue/listing-cache.ts'
import { tempFolder } from '../../config/temp-folder.ts'

function configured(entry: RawEntry): ConfiguredServer {
  return { name: 'one', entry, origin: { layer: 'user', file: '/home/ada/mcp.json' }, standing: { kind: 'disabled' } }
}

const here = {
  env: { TOKEN: 'a', PATH: '/bin' },
  homeFolder: '/home/ada',
  workspaceFolder: '/proj',
  currentFolder: '/proj',
}

test('what is kept is found again, each list beside the others, with its age', async () => {
  await using folder = await tempFolder()
  const cache = listingCache(folder.path, () => 1000)

  cache.keep('key', 'tools', [{ name: 'echo' }])
  cache.keep('key', 'prompts', [])
  await cache.close()

  expect(cache.read('key')).toEqual({ savedAtMs: 1000, lists: { tools: [{ name: 'echo' }], prompts: [] } })
  expect(cache.read('other')).toBeUndefined()
})

test.each(['', '{', '[]', '{"version":1}', '{"version":99,"savedAtMs":1,"lists":{}}'])(
  'a damaged file (%j) is no answer, and is written anew',
  async (text) => {
    await using folder = await tempFolder()
    const cache = listingCache(folder.path, () => 5)
    await writeFile(join(folder.path, 'key.json'), text)

    expect(cache.read('key')).toBeUndefined()
    cache.keep('key', 'tools', [])
    await cache.close()

    expect(cache.read('key')).toEqual({ savedAtMs: 5, lists: { tools: [] } })
  },
)

test('a list that has not changed is not written again within ten minutes', async () => {
  await using folder = await tempFolder()
  const keepAt = async (ms: number) => {
    const cache = listingCache(folder.path, () => ms)
    cache.keep('key', 'tools', [{ name: 'echo' }])
    await cache.close()
    return cache.read('key')?.savedAtMs
  }

  expect([await keepAt(0), await keepAt(60_000), await keepAt(700_000)]).toEqual([0, 0, 700_000])
})

test('nothing is written once it is closed: the folder may be about to go', async () => {
  await using folder = await tempFolder()
  const cache = listingCache(folder.path, () => 1)
  const closing = cache.close()

  cache.keep('key', 'tools', [])
  await closing

  await new Promise((resolve) => setImmediate(resolve))
  expect(await readdir(folder.path)).toEqual([])
})

test('the key follows the entry, the folder and the variables it names, and holds none of them', async () => {
  const key = listingKey(configured({ command: 'x', env: { T: '${TOKEN}' } }), here)
  const keys = [
    key,
    listingKey(configured({ command: 'y', env: { T: '${TOKEN}' } }), here),
    listingKey(configured({ command: 'x', env: { T: '${TOKEN}' } }), { ...here, env: { ...here.env, TOKEN: 'b' } }),
    listingKey(configured({ command: 'x', env: { T: '${TOKEN}' } }), { ...here, currentFolder: '/other' }),
  ]

  expect(new Set(keys).size).toBe(4)
  expect(key).toMatch(/^[0-9a-f]+$/)
  expect(
    listingKey(configured({ env: { T: '${TOKEN}' }, command: 'x' }), { ...here, env: { ...here.env, OTHER: '1' } }),
  ).toBe(key)
})

test('nothing is left beside the listings', async () => {
  await using folder = await tempFolder()
  const cache = listingCache(folder.path, () => 1)

  cache.keep('key', 'tools', [])
  await cache.close()

  expect(await readdir(folder.path)).toEqual(['key.json'])
})
