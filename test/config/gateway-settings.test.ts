import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readTextFile } from '../../src/config/read-text.ts'
import { loadSettings } from '../../src/config/settings.ts'
import { tempFolder, type TempFolder } from './temp-folder.ts'

const load = (folder: TempFolder) =>
  loadSettings({ config: join(folder.path, 'user'), project: join(folder.path, 'project') }, readTextFile)

test('the table of the gateway is read, with its profiles and keys', async () => {
  await using folder = await tempFolder()
  const sha = 'A'.repeat(64)
  await folder.write({
    'user/config.toml': `[gateway]
mode = "meta"
deny = ["*.delete_*"]
[gateway.profiles.review]
servers = ["github"]
ask = ["merge_*"]
[gateway.keys.ci]
token_sha256 = "${sha}"
profile = "review"`,
  })

  const { settings, warnings } = await load(folder)

  expect(warnings).toEqual([])
  expect(settings.gateway).toEqual({
    mode: 'meta',
    deny: ['*.delete_*'],
    profiles: { review: { servers: ['github'], ask: ['merge_*'] } },
    keys: { ci: { tokenSha256: sha.toLowerCase(), profile: 'review' } },
  })
})

test('a project may not set it', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'project/.capstan/config.toml': '[gateway]\nhosts = ["evil.example"]' })

  const { settings, warnings } = await load(folder)

  expect(settings.gateway).toBeUndefined()
  expect(warnings).toEqual([expect.stringContaining('a project may not set "gateway"')])
})

test('a token itself does not belong into the file', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'user/config.toml': '[gateway.keys.ci]\ntoken = "abc"' })

  expect((await load(folder)).warnings).toEqual([
    expect.stringMatching(/gateway\.keys\.ci\.token" is not read.*token_file/),
  ])
})

test.each([
  ['mode = "some"', 'gateway.mode must be one of auto, all, meta, code, but is "some"'],
  ['deny = "x"', 'gateway.deny must be a list of texts'],
  ['keys = 1', 'gateway.keys must be a table of tables'],
  ['[gateway.keys.ci]\ntoken_sha256 = "12"', 'gateway.keys.ci.token_sha256 must be a SHA-256'],
  ['body_bytes = 0', 'gateway.body_bytes must be a whole number above 0'],
])('%s is refused with a word about it', async (text, message) => {
  await using folder = await tempFolder()
  await folder.write({ 'user/config.toml': `[gateway]\n${text}` })

  await expect(load(folder)).rejects.toMatchObject({
    code: 'config_bad_type',
    message: expect.stringContaining(message),
  })
})
