import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { ownFields } from '../../src/config/misspelt.ts'
import { tempFolder } from './temp-folder.ts'

test('every example in docs/config.md is accepted without a warning', async () => {
  await using folder = await tempFolder()
  const text = await readFile('docs/config.md', 'utf8')
  const examples = Array.from(text.matchAll(/^```jsonc\n(.*?)^```/gms), ([, example]) => example ?? '')
  await folder.write(Object.fromEntries(examples.map((example, index) => [`${index}.json`, example])))

  const configFiles = examples.map((_, index) => join(folder.path, `${index}.json`))
  const config = await loadConfig({ env: { HOME: folder.path }, cwd: folder.path, configFiles, trust: () => 'new' })

  expect(config.servers.map(({ name, standing }) => [name, standing.kind])).toEqual([
    ['notes', 'usable'],
    ['reports', 'usable'],
    ['tracker', 'usable'],
    ['weather', 'usable'],
    ['wiki', 'usable'],
  ])
  expect(config.warnings).toEqual([])
})

test('docs/config.md has a row for every field of an entry', async () => {
  const text = await readFile('docs/config.md', 'utf8')

  const documented = Array.from(text.matchAll(/^\| `(\w+)` \| (?:programs|remote|both) \|/gm), ([, field]) => field)

  expect(new Set(documented)).toEqual(new Set(ownFields))
})
