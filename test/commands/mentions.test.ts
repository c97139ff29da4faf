import { execFile } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attachMentions } from '../../src/commands/attach-mentions.ts'
import { findMentions, writeMention } from '../../src/commands/mentions.ts'
import { workspaceFiles } from '../../src/commands/workspace-files.ts'
import { tempFolder } from '../config/temp-folder.ts'
import { fixture } from '../fixtures/fixture.ts'
import { openTestHub } from '../hub/makers.ts'

describe('finding', () => {
  test.each<[text: string, mentions: readonly string[]]>([
    ['see @a.ts and @b.ts', ['a.ts', 'b.ts']],
    ['@a', ['a']],
    ['(@a.ts)', ['a.ts)']],
    ['@"with blank.ts" too', ['with blank.ts']],
    [String.raw`@with\ blank.ts too`, ['with blank.ts']],
    ['me@example.org', []],
    ['a @ b @@c', []],
    ['@"never closed', []],
    ['line\n@next', ['next']],
  ])('in %j are %j', (text, mentions) => {
    expect(findMentions(text).map(({ value }) => value)).toEqual(mentions)
  })

  test('gives back whatever was written as a mention', () => {
    const name = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => !text.startsWith('@'))
    fc.assert(
      fc.property(name, (text) => {
        expect(findMentions(`see ${writeMention(text)} please`)).toMatchObject([{ value: text, start: 4 }])
      }),
    )
  })
})

describe('attaching', () => {
  test('reads files and resources, each once, and leaves other words alone', async () => {
    await using folder = await tempFolder()
    await folder.write({ 'a.txt': 'text of a', 'b c.png': 'picture' })
    await using hub = await openTestHub({ echo: fixture('echo') })
    const catalogue = await hub.catalogue()

    const { parts, notices } = await attachMentions(
      'Look at @a.txt, and (@a.txt) again, @"b c.png", @echo:note://one. And @echo:person://bob, says @nobody!',
      { hub, catalogue, folder: folder.path },
    )

    expect(parts).toEqual([
      { kind: 'resource', uri: expect.stringMatching(/^file:.*\/a\.txt$/), text: 'text of a' },
      { kind: 'media', mimeType: 'image/png', data: Buffer.from('picture').toString('base64') },
      { kind: 'resource', uri: 'note://one', text: '# One\n', mimeType: 'text/markdown' },
      { kind: 'resource', uri: 'person://bob', text: 'This is bob.', mimeType: 'text/plain' },
    ])
    expect(notices).toEqual([])
  })

  test('says what it does not attach: folders, what is outside, what is too large, what is neither text nor picture', async () => {
    await using outside = await tempFolder()
    await using folder = await tempFolder()
    await outside.write({ 'secret.txt': 'secret' })
    await folder.write({ 'sub/': '', 'large.txt': 'x'.repeat(3 * 2 ** 20), 'binary.dat': 'a\0b' })
    await symlink(join(outside.path, 'secret.txt'), join(folder.path, 'link.txt'))
    await using hub = await openTestHub({})
    const catalogue = await hub.catalogue()
    const text = `@sub @large.txt @binary.dat @link.txt @${join(outside.path, 'secret.txt')}`

    const { parts, notices } = await attachMentions(text, { hub, catalogue, folder: folder.path })

    expect(parts).toEqual([])
    expect(notices.map((notice) => notice.replace(/^\S+ /, ''))).toEqual([
      expect.stringContaining('not a file'),
      expect.stringContaining('3145728 bytes'),
      expect.stringContaining('neither text nor a picture'),
      expect.stringContaining('outside of this folder'),
      expect.stringContaining('outside of this folder'),
    ])
  })
})

describe('the files of a folder', () => {
  test('are those that git would list, where git knows it', async () => {
    await using folder = await tempFolder()
    await folder.write({ '.gitignore': 'ignored/\n', 'a.ts': '', 'sub/b.ts': '', 'ignored/c.ts': '' })
    await promisify(execFile)('git', ['init', '-q'], { cwd: folder.path })

    const files = await workspaceFiles({ folder: folder.path }).list()

    expect(files.toSorted()).toEqual(['.gitignore', 'a.ts', 'sub/b.ts'])
  })

  test('come from a bounded walk elsewhere, the nearest first', async () => {
    await using folder = await tempFolder()
    await folder.write({ 'z.ts': '', 'a/b/deep.ts': '', 'a/c.ts': '', 'node_modules/x.js': '' })

    expect(await workspaceFiles({ folder: folder.path }).list()).toEqual(['z.ts', 'a/c.ts', 'a/b/deep.ts'])
    expect(await workspaceFiles({ folder: folder.path, mostFiles: 2 }).list()).toEqual(['z.ts', 'a/c.ts'])
    expect(await workspaceFiles({ folder: join(folder.path, 'nosuch') }).list()).toEqual([])
  })

  test('are listed again after a while', async () => {
    await using folder = await tempFolder()
    let nowMs = 0
    const files = workspaceFiles({ folder: folder.path, keepMs: 1000, now: () => nowMs })
    await files.list()
    await folder.write({ 'new.ts': '' })

    const before = await files.list()
    nowMs = 1000

    expect(before).toEqual([])
    expect(await files.list()).toEqual(['new.ts'])
  })
})
