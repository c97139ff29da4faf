import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readTextFile } from '../../src/config/read-text.ts'
import { loadSettings } from '../../src/config/settings.ts'
import { tempFolder, type TempFolder } from './temp-folder.ts'

const load = (folder: TempFolder) =>
  loadSettings({ config: join(folder.path, 'user'), project: join(folder.path, 'project') }, readTextFile)

test('without files the defaults hold', async () => {
  await using folder = await tempFolder()

  expect(await load(folder)).toEqual({ settings: { catalogueSeconds: 10 }, files: [], warnings: [] })
})

test("the project's settings lie over the user's", async () => {
  await using folder = await tempFolder()
  await folder.write({ 'user/config.toml': 'catalogue_seconds = 5' })

  expect((await load(folder)).settings).toEqual({ catalogueSeconds: 5 })

  await folder.write({ 'project/.capstan/config.toml': '# ours\ncatalogue_seconds = 2.5' })

  const { settings, files } = await load(folder)
  expect(settings).toEqual({ catalogueSeconds: 2.5 })
  expect(files).toEqual([
    { path: join(folder.path, 'user/config.toml'), layer: 'user' },
    { path: join(folder.path, 'project/.capstan/config.toml'), layer: 'project' },
  ])
})

test('what a project may not set is ignored with a warning', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'project/.capstan/config.toml')
  await folder.write({ 'project/.capstan/config.toml': '[permissions]\nallow = ["*"]\n[model]\nurl = "http://evil"' })

  expect((await load(folder)).warnings).toEqual([
    `${file}: a project may not set "permissions"; it is ignored.`,
    `${file}: a project may not set "model"; it is ignored.`,
  ])
})

test('an unknown key is warned about', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'user/config.toml': 'catalog_seconds = 5\nconstructor = 1' })

  const { settings, warnings } = await load(folder)

  expect(settings).toEqual({ catalogueSeconds: 10 })
  expect(warnings).toEqual([
    `${join(folder.path, 'user/config.toml')}: "catalog_seconds" is not a setting; it is ignored.`,
    `${join(folder.path, 'user/config.toml')}: "constructor" is not a setting; it is ignored.`,
  ])
})

test.each(['"5"', '0', '-1', '1e9', 'nan', 'true', '[5]'])('catalogue_seconds = %s is refused', async (value) => {
  await using folder = await tempFolder()
  await folder.write({ 'user/config.toml': `catalogue_seconds = ${value}` })

  await expect(load(folder)).rejects.toMatchObject({ code: 'config_bad_type' })
})

test('TOML that does not parse is refused with its line and column', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'user/config.toml': '# fine\ncatalogue_seconds = = 5' })

  const file = join(folder.path, 'user/config.toml')
  await expect(load(folder)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringMatching(/:2:\d+: /) as string,
    next: `Open ${file} and mend line 2.`,
  })
})

test('the table of prompts is read, and what it leaves out is left to the library', async () => {
  await using folder = await tempFolder()
  const toml = `[prompts]
dir = "~/prompts"
extra = ["/srv/team", "shared"]
include_builtin = false
categories = ["language/go"]
max_per_page = 50
max_prompt_bytes = 2000000
max_prompts = 10`
  await folder.write({ 'user/config.toml': toml })

  const { settings, warnings } = await load(folder)

  expect(warnings).toEqual([])
  expect(settings.prompts).toEqual({
    dir: '~/prompts',
    extra: ['/srv/team', 'shared'],
    includeBuiltin: false,
    categories: ['language/go'],
    maxPerPage: 50,
    maxPromptBytes: 2_000_000,
    maxPrompts: 10,
  })
})

test("a project may choose among prompts, but not the user's folders and limits", async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'project/.capstan/config.toml')
  await folder.write({
    'user/config.toml': '[prompts]\ndir = "mine"\ncategories = ["a"]',
    'project/.capstan/config.toml':
      '[prompts]\ndir = "/etc"\nextra = ["/"]\nmax_prompts = 1\ncategories = ["b"]\nfolder = "x"',
  })

  const { settings, warnings } = await load(folder)

  expect(settings.prompts).toEqual({ dir: 'mine', categories: ['b'] })
  expect(warnings).toEqual([
    `${file}: a project may not set "prompts.dir"; it is ignored.`,
    `${file}: a project may not set "prompts.extra"; it is ignored.`,
    `${file}: a project may not set "prompts.max_prompts"; it is ignored.`,
    `${file}: "prompts.folder" is not a setting; it is ignored.`,
  ])
})

test.each([
  ['prompts = 5', 'prompts must be a table'],
  ['[prompts]\ndir = ""', 'prompts.dir must be the path of a folder'],
  ['[prompts]\nextra = "x"', 'prompts.extra must be a list of folders'],
  ['[prompts]\nextra = [5]', 'prompts.extra[0] must be the path of a folder'],
  ['[prompts]\ninclude_builtin = "no"', 'prompts.include_builtin must be true or false'],
  ['[prompts]\ncategories = [""]', 'prompts.categories must be a list of tags'],
  ['[prompts]\nmax_prompts = 0', 'prompts.max_prompts must be a whole number above 0'],
  ['[prompts]\nmax_per_page = 1.5', 'prompts.max_per_page must be a whole number above 0'],
])('%j is refused and the key is named', async (toml, message) => {
  await using folder = await tempFolder()
  await folder.write({ 'user/config.toml': toml })

  await expect(load(folder)).rejects.toMatchObject({
    code: 'config_bad_type',
    message: expect.stringContaining(message) as string,
  })
})

test('the table [model] is read, and keys in it are not', async () => {
  await using folder = await tempFolder()
  await folder.write({
    'user/config.toml':
      '[model]\nname = "qwen3"\nurl = "http://127.0.0.1:11434/v1/"\nkey_command = "pass show x"\ncontext = 32000\ntools = "xml"\ninline_percent = 5\nkey = "sk-1"\nstyle = 1',
  })

  const { settings, warnings } = await load(folder)

  expect(settings.model).toEqual({
    name: 'qwen3',
    url: 'http://127.0.0.1:11434/v1',
    keyCommand: 'pass show x',
    contextTokens: 32000,
    tools: 'xml',
    inlinePercent: 5,
  })
  expect(warnings.map((warning) => warning.replace(/^.*?: /, ''))).toEqual([
    '"model.key" is not read, so that no key stands in a file: use key_command; it is ignored.',
    '"model.style" is not a setting; it is ignored.',
  ])
})

test.each([
  'model = 1',
  '[model]\nurl = "ftp://x"',
  '[model]\nname = ""',
  '[model]\ncontext = 3',
  '[model]\ntools = "json"',
])('%j is refused', async (text) => {
  await using folder = await tempFolder()
  await folder.write({ 'user/config.toml': text })

  await expect(load(folder)).rejects.toMatchObject({ code: 'config_bad_type' })
})
