import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openConversations } from '../../src/agent/conversations.ts'
import { exportConversation } from '../../src/agent/export-conversation.ts'
import { openInputHistory } from '../../src/agent/input-history.ts'
import type { ConversationEntry } from '../../src/agent/record.ts'
import { tempFolder, type TempFolder } from '../config/temp-folder.ts'

const said = (text: string, atMs = 1): ConversationEntry => ({ kind: 'user', atMs, parts: [{ kind: 'text', text }] })
const reply = (text: string): ConversationEntry => ({
  kind: 'reply',
  atMs: 2,
  parts: [{ kind: 'text', text }],
  end: 'complete',
  model: 'm',
})
const picture: ConversationEntry = {
  kind: 'user',
  atMs: 1,
  parts: [{ kind: 'media', mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
}

const storeIn = (folder: TempFolder) => openConversations({ stateFolder: folder.path })
const fileOf = (folder: TempFolder, id: string) => join(folder.path, 'conversations', `${id}.jsonl`)

describe('a conversation', () => {
  test('is there again, with all that was said', async () => {
    await using folder = await tempFolder()
    const written = storeIn(folder).create('/project')
    await written.append(said('hello'))
    await written.append(reply('hi'), said('bye'))

    const read = await storeIn(folder).open(written.id)

    expect(read.folder).toBe('/project')
    expect(read.entries()).toEqual(written.entries())
    expect(read.entries().map(({ kind }) => kind)).toEqual(['start', 'user', 'reply', 'user'])
  })

  test('writes nothing before something is said', async () => {
    await using folder = await tempFolder()

    storeIn(folder).create('/project')

    expect(await readdir(folder.path)).toEqual([])
  })

  test('keeps pictures in files beside it', async () => {
    await using folder = await tempFolder()
    const written = storeIn(folder).create('/project')
    await written.append(picture)

    const [text, files, read] = await Promise.all([
      readFile(fileOf(folder, written.id), 'utf8'),
      readdir(join(folder.path, 'conversations', `${written.id}.files`)),
      storeIn(folder).open(written.id),
    ])

    expect(text).not.toContain('iVBORw0KGgo')
    expect(files).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.png$/)])
    expect(read.entries().at(-1)).toEqual(picture)
  })

  test('says so where a picture is gone, and reads no file that is not its own', async () => {
    await using folder = await tempFolder()
    const written = storeIn(folder).create('/project')
    await written.append(picture)
    await rm(join(folder.path, 'conversations', `${written.id}.files`), { recursive: true })
    const stolen = {
      kind: 'user',
      atMs: 1,
      parts: [{ kind: 'media', mimeType: 'image/png', file: '../../../etc/passwd' }],
    }
    await writeFile(fileOf(folder, written.id), `${JSON.stringify(stolen)}\n`, { flag: 'a' })

    const read = await storeIn(folder).open(written.id)

    const gone = { kind: 'user', atMs: 1, parts: [{ kind: 'text', text: '[image/png: its file is gone]' }] }
    expect(read.entries().slice(1)).toEqual([gone, gone])
  })

  test('cut at any byte holds all that was whole, and can be gone on with', async () => {
    await using folder = await tempFolder()
    const written = storeIn(folder).create('/project')
    await written.append(said('héllo ✓'))
    await written.append(reply('hi'))
    const whole = await readFile(fileOf(folder, written.id))
    const lines = whole.toString().trimEnd().split('\n')

    for (let length = whole.length; length > 0; length--) {
      await writeFile(fileOf(folder, written.id), whole)
      await truncate(fileOf(folder, written.id), length)
      const wholeLines = lines.filter(
        (_, index) => Buffer.byteLength(lines.slice(0, index + 1).join('\n')) <= length,
      ).length

      const read = await storeIn(folder).open(written.id)
      await read.append(said('on'))
      const again = await storeIn(folder).open(written.id)

      expect(again.entries()).toEqual([...written.entries().slice(0, wholeLines), said('on')])
    }
  }, 60_000)

  test('passes over lines of kinds that are not known yet', async () => {
    await using folder = await tempFolder()
    const written = storeIn(folder).create('/project')
    await written.append(said('a'))
    await writeFile(
      fileOf(folder, written.id),
      '{"kind":"dance","atMs":1}\nnonsense\n[1]\n{"kind":"user","atMs":1}\n',
      { flag: 'a' },
    )

    const read = await storeIn(folder).open(written.id)

    expect(read.entries()).toEqual(written.entries())
  })

  test('of a later version is left alone', async () => {
    await using folder = await tempFolder()
    await folder.write({ 'conversations/x.jsonl': '{"kind":"start","version":2,"id":"x","atMs":1,"folder":"/"}\n' })

    await expect(storeIn(folder).open('x')).rejects.toMatchObject({ code: 'storage_failed' })
    expect(await storeIn(folder).list()).toEqual([])
  })
})

describe('the conversations that are kept', () => {
  test('are listed from the newest, named by how they began, until they are renamed', async () => {
    await using folder = await tempFolder()
    const store = storeIn(folder)
    const first = store.create('/a')
    await first.append(said('plan the trip\nto Lisbon'))
    const second = store.create('/b')
    await second.append(said('x'.repeat(100)), reply('ok'))
    await store.rename(first.id, 'Holidays')

    expect(await store.list()).toMatchObject([
      { id: first.id, folder: '/a', title: 'Holidays', messages: 1 },
      { id: second.id, folder: '/b', title: `${'x'.repeat(79)}…`, messages: 2 },
    ])
    expect(await store.list({ folder: '/b' })).toHaveLength(1)
    expect(await store.list({ limit: 1 })).toHaveLength(1)
  })

  test('are found by all of the words in them', async () => {
    await using folder = await tempFolder()
    const store = storeIn(folder)
    const trip = store.create('/a')
    await trip.append(said('plan the trip'), reply('Take the night train to Lisbon.'))
    await store.create('/a').append(said('plan the budget'))

    expect((await store.list({ words: 'lisbon PLAN' })).map(({ id }) => id)).toEqual([trip.id])
    expect(await store.list({ words: 'plan' })).toHaveLength(2)
    expect(await store.list({ words: 'paris' })).toEqual([])
  })

  test('are opened by a beginning of the id that only one has', async () => {
    await using folder = await tempFolder()
    await folder.write({ 'conversations/20260101-a.jsonl': '', 'conversations/20260102-b.jsonl': '' })

    expect((await storeIn(folder).open('20260102')).id).toBe('20260102-b')
    await expect(storeIn(folder).open('2026')).rejects.toMatchObject({ code: 'usage' })
    await expect(storeIn(folder).open('')).rejects.toMatchObject({ code: 'usage' })
    await expect(storeIn(folder).open('../x')).rejects.toMatchObject({ code: 'usage' })
  })

  test('are removed with their pictures', async () => {
    await using folder = await tempFolder()
    const store = storeIn(folder)
    const written = store.create('/a')
    await written.append(picture)

    await store.remove(written.id)

    expect(await readdir(join(folder.path, 'conversations'))).toEqual([])
  })

  test('can be written by two processes at once without losing a line', async () => {
    await using folder = await tempFolder()
    const written = storeIn(folder).create('/a')
    await written.append(said('begin'))
    const other = await storeIn(folder).open(written.id)

    await Promise.all(Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? written : other).append(said(`n${n}`))))

    expect((await storeIn(folder).open(written.id)).entries()).toHaveLength(12)
  })
})

describe('a conversation as a document', () => {
  const entries: readonly ConversationEntry[] = [
    { kind: 'start', version: 1, id: 'x', atMs: 0, folder: '/p' },
    said('hi'),
    {
      kind: 'reply',
      atMs: 2,
      model: 'anthropic/m',
      end: 'calls',
      parts: [
        { kind: 'thinking', text: 'hm\nm' },
        { kind: 'text', text: 'Looking.' },
        { kind: 'call', callId: 'c', name: 's__t', input: { kind: 'json', value: { a: 1 } } },
      ],
    },
    {
      kind: 'result',
      atMs: 3,
      callId: 'c',
      name: 's__t',
      end: 'done',
      ms: 12,
      parts: [{ kind: 'text', text: '```\ncode\n```' }],
    },
    { kind: 'reply', atMs: 2, end: 'cut', parts: [{ kind: 'text', text: 'half' }] },
  ]

  test('is Markdown that people can read', () => {
    expect(exportConversation(entries, 'markdown')).toBe(`# Conversation x

1970-01-01T00:00:00.000Z, in \`/p\`

## You

hi

## anthropic/m

> hm
> m

Looking.

**s__t**

\`\`\`json
{
  "a": 1
}
\`\`\`

**s__t**: done, 12 ms

\`\`\`\`
\`\`\`
code
\`\`\`
\`\`\`\`

## Assistant

half

_(cut off)_
`)
  })

  test('is JSON that holds everything', () => {
    expect(JSON.parse(exportConversation(entries, 'json'))).toEqual(entries)
  })
})

describe('what was typed', () => {
  test('is remembered over sessions, without empty lines and repetitions', async () => {
    await using folder = await tempFolder()
    for (const text of ['a', 'a', ' ', 'b\nc', 'a']) await openInputHistory(folder.path).add(text)

    expect(await openInputHistory(folder.path).read()).toEqual(['a', 'b\nc', 'a'])
  })

  test('is forgotten after a while', async () => {
    await using folder = await tempFolder()
    const old = Array.from({ length: 2000 }, (_, n) => JSON.stringify({ atMs: 1, text: `n${n}` }))
    await folder.write({ 'input-history.jsonl': `${old.join('\n')}\n` })
    const history = openInputHistory(folder.path)

    await history.add('new')

    const lines = (await readFile(join(folder.path, 'input-history.jsonl'), 'utf8')).trimEnd().split('\n')
    expect(lines).toHaveLength(1000)
    expect((await history.read()).at(-1)).toBe('new')
  })
})
