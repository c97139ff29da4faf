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
