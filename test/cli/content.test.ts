import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contentText, type Block } from '../../src/cli/content.ts'
import { tempFolder } from '../config/temp-folder.ts'
import { person } from './person.ts'

const bytes = Buffer.from([0, 1, 254, 255])
const data = bytes.toString('base64')

function textOf(blocks: readonly Block[], io = person().io): Promise<string> {
  return contentText(blocks, { io, saveTo: undefined, stem: 'tool' })
}

describe('as a person reads it', () => {
  test.each<[string, Block, string]>([
    ['text is as it is', { type: 'text', text: 'a\nb' }, 'a\nb'],
    ['a link is its address', { type: 'resource_link', uri: 'note://one', name: 'one' }, 'note://one'],
    ['an embedded text is its text', { type: 'resource', resource: { uri: 'x://y', text: '# One' } }, '# One'],
    ['a resource that is none is JSON', { type: 'resource', resource: null }, 'null'],
    ['a kind that nobody knows is JSON', { type: 'hologram', size: 3 }, '{"type":"hologram","size":3}'],
    ['text without text is JSON', { type: 'text' }, '{"type":"text"}'],
  ])('%s', async (_what, block, expected) => {
    expect(await textOf([block])).toBe(expected)
  })

  test('several blocks stand on lines of their own', async () => {
    expect(
      await textOf([
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ]),
    ).toBe('a\nb')
  })

  test('control sequences are taken out on a terminal and kept in a pipe', async () => {
    const block = { type: 'text', text: '\u001B[31mred\u001B[0m' }

    expect(await textOf([block], { ...person().io, stdoutIsTerminal: true })).toBe('red')
    expect(await textOf([block])).toBe(block.text)
  })
})

describe('a file', () => {
  test.each(['image', 'audio'])('that is not wanted is named on stderr: %s', async (type) => {
    const ada = person()

    const shown = await textOf([{ type, data, mimeType: 'x/y\u001B[2J' }], ada.io)

    expect([shown, ada.said()]).toEqual(['', '[x/y, 4 bytes; pass --save DIR to keep it]\n'])
  })

  test.each([
    ['image/png', 'tool-1.png'],
    ['image/jpeg', 'tool-1.jpg'],
    ['image/svg+xml', 'tool-1.svg'],
    ['audio/mpeg', 'tool-1.mp3'],
    ['audio/x-wav', 'tool-1.wav'],
    ['text/plain', 'tool-1.txt'],
    ['application/octet-stream', 'tool-1.bin'],
    ['application/../../etc/passwd', 'tool-1.bin'],
    [undefined, 'tool-1.bin'],
  ])('of type %s is saved as %s', async (mimeType, name) => {
    await using folder = await tempFolder()
    const io = person({ cwd: folder.path }).io

    const shown = await contentText([{ type: 'image', data, mimeType }], { io, saveTo: 'out', stem: 'tool' })

    expect(shown).toBe(join(folder.path, 'out', name))
    expect(await readFile(shown)).toEqual(bytes)
  })

  test('never takes the place of another, also when several are saved at once', async () => {
    await using folder = await tempFolder()
    const io = person({ cwd: folder.path }).io
    const save = () => contentText([{ type: 'image', data, mimeType: 'image/png' }], { io, saveTo: '.', stem: 'tool' })

    await Promise.all([save(), save(), save()])

    expect((await readdir(folder.path)).sort()).toEqual(['tool-1-2.png', 'tool-1-3.png', 'tool-1.png'])
  })

  test('that cannot be saved is an error which names the folder', async () => {
    await using folder = await tempFolder()
    await folder.write({ taken: '' })
    const io = person({ cwd: folder.path }).io

    const saving = contentText([{ type: 'image', data }], { io, saveTo: 'taken', stem: 'tool' })

    await expect(saving).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(join(folder.path, 'taken')),
    })
  })
})
