import { readFileSync } from 'node:fs'
import { parse as parseToml } from 'smol-toml'
import { expect, test } from 'vitest'
import { subcommands } from '../../../src/cli/commands/library/subcommands.ts'
import { servesPromptLibrary } from '../../../src/config/self.ts'
import type { RawEntry } from '../../../src/config/types.ts'

const text = readFileSync('docs/prompt-server-setup.md', 'utf8')

function blocksOf(language: string): readonly string[] {
  return Array.from(text.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g')), ([, block = '']) => block)
}

test('every config in the set-up page parses and starts the server over the library', () => {
  const tables = [
    ...blocksOf('json').map((block) => JSON.parse(block) as unknown),
    ...blocksOf('toml').map((block) => parseToml(block)),
  ]

  const entries = tables.map((table) => {
    const [servers] = Object.values(table as Record<string, { readonly prompts: RawEntry }>)
    return servers?.prompts ?? {}
  })

  expect(entries).toHaveLength(6)
  expect(entries.filter((entry) => !servesPromptLibrary(entry))).toEqual([])
})

test('the set-up page names every flag of the server and none besides', () => {
  const rows = Array.from(text.matchAll(/^\| `--([a-z-]+)/gm), ([, flag = '']) => flag)

  expect(rows.toSorted()).toEqual([...(subcommands['serve']?.flags ?? []), 'prompts-dir', 'version'].toSorted())
})
