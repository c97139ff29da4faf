import { readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { promptOf } from './makers.ts'
import { testLibrary, textOf, textsOf } from './library.ts'

const clock = (...times: readonly string[]) => {
  const left = [...times]
  return () => new Date(left.shift() ?? times.at(-1) ?? 0)
}

describe('writing', () => {
  test('a prompt that was put is found by another process, with its dates and its author', async () => {
    await using library = await testLibrary()
    const now = clock('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z')
    const store = library.open({ now })

    await store.put(promptOf('review', 'one'))
    await store.put(promptOf('review', 'two'), { by: 'capstan' })

    const found = await library.open().get('review')
    expect(found).toMatchObject({ revision: 2, layer: 'user', labels: {}, overrides: [] })
    expect(found.prompt).toEqual({
      ...promptOf('review', 'two'),
      created: '2026-01-01T00:00:00.000Z',
      updated: '2026-01-02T00:00:00.000Z',
    })
    expect(
      (await library.text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      expect.objectContaining({ op: 'put', rev: 1 }),
      expect.objectContaining({ op: 'put', rev: 2, by: 'capstan', at: '2026-01-02T00:00:00.000Z' }),
    ])
  })

  test('a put of what is there already changes nothing', async () => {
    await using library = await testLibrary()
    const store = library.open()
    await store.put(promptOf('same'))
    const before = await library.text()

    expect((await store.put(promptOf('same'))).revision).toBe(1)
    expect(await library.text()).toBe(before)
  })

  test('a put clears the fields that the draft leaves out', async () => {
    await using library = await testLibrary()
    const store = library.open()
    await store.put(promptOf('x', 'text', { tags: ['a'], title: 'X' }))

    const { prompt } = await store.put(promptOf('x', 'text'))

    expect(prompt.tags).toEqual([])
    expect(prompt.title).toBeUndefined()
  })

  test('a change that was made from an older revision is refused', async () => {
    await using library = await testLibrary()
    const [one, two] = [library.open(), library.open()]
    await one.put(promptOf('x', '1'), { expectedRevision: 0 })
    await two.put(promptOf('x', '2'), { expectedRevision: 1 })

    await expect(one.put(promptOf('x', '3'), { expectedRevision: 1 })).rejects.toMatchObject({
      code: 'prompt_conflict',
      message: 'Prompt "x" was changed from revision 1, but it is at revision 2 now.',
    })
    await expect(one.put(promptOf('x', '3'), { expectedRevision: 0 })).rejects.toThrow('There is a prompt "x" already.')
    await expect(one.remove('x', { expectedRevision: 1 })).rejects.toMatchObject({ code: 'prompt_conflict' })
    await two.remove('x', { expectedRevision: 2 })
    await expect(one.put(promptOf('x', '3'), { expectedRevision: 2 })).rejects.toThrow('it has been removed now')
  })

  test('a prompt that cannot be used is refused before anything is written', async () => {
    await using library = await testLibrary()
    const store = library.open()

    await expect(store.put(promptOf('../evil'))).rejects.toMatchObject({ code: 'prompt_invalid' })
    await expect(store.putAll([promptOf('good'), { ...promptOf('bad'), messages: [] }])).rejects.toThrow('"bad"')
    expect((await readdir(library.folder)).filter((name) => name.startsWith('user'))).toEqual([])
  })

  test('many are put in one go, the last of a name winning', async () => {
    await using library = await testLibrary()
    const store = library.open()

    const stored = await store.putAll([promptOf('a', '1'), promptOf('b', '2'), promptOf('a', '3')])

    expect(stored.map(({ prompt }) => prompt.name)).toEqual(['a', 'b', 'a'])
    expect(await textsOf(store)).toEqual({ a: '3', b: '2' })
  })

  test('beyond the limits it is refused with the numbers', async () => {
    await using library = await testLibrary()
    const store = library.open({ limits: { maxPrompts: 2, maxPromptBytes: 400 } })
    await store.putAll([promptOf('a'), promptOf('b')])

    await expect(store.put(promptOf('c'))).rejects.toMatchObject({
      code: 'prompt_invalid',
      message: 'That would make 3 prompts; the limit is 2.',
    })
    await expect(store.put(promptOf('a', 'x'.repeat(400)))).rejects.toThrow(/takes \d+ bytes; the limit is 400/)
    await store.put(promptOf('a', 'changed'))
    expect(await textsOf(store)).toEqual({ a: 'changed', b: 'The text of b' })
  })

  test("the user's file is for the user alone, and a link to it stays a link", async () => {
    await using library = await testLibrary()
    const real = join(library.folder, 'dotfiles.jsonl')
    await writeFile(real, '')
    await symlink(real, library.file)
    const store = library.open()

    await store.put(promptOf('x'), { layer: 'user' })
    await store.put(promptOf('y'), { layer: 'team' })

    expect(await readFile(real, 'utf8')).toContain('"name":"x"')
    await library.open().compact()
    expect(await textsOf(library.open())).toHaveProperty('x')
    const made = await testLibrary()
    await made.open().put(promptOf('z'))
    expect((await stat(made.file)).mode & 0o777).toBe(0o600)
    await made[Symbol.asyncDispose]()
  })

  test('a folder that cannot be written is named, and nothing is lost', async () => {
    await using library = await testLibrary()
    const store = library.open()
    await store.put(promptOf('x'))
    // Modes would not stop root, whom some run their tests as.
    await rename(library.folder, `${library.folder}.aside`)
    await writeFile(library.folder, 'No folder.')

    await expect(store.put(promptOf('y'))).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining(library.folder) as string,
    })

    await rm(library.folder)
    await rename(`${library.folder}.aside`, library.folder)
    expect(Object.keys(await textsOf(store))).toEqual(['x'])
  })

  test('a file that cannot be read is named', async () => {
    await using library = await testLibrary()
    const odd = library.layers.map((layer) => (layer.name === 'user' ? { ...layer, file: library.folder } : layer))

    await expect(library.open({ layers: odd }).list()).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining(library.folder) as string,
    })
  })

  test('a cancelled write does not happen', async () => {
    await using library = await testLibrary()
    const store = library.open()

    await expect(store.put(promptOf('x'), { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' })
    expect(await store.has('x')).toBe(false)
  })
})

describe('layers', () => {
  const builtins = [promptOf('review', 'built in'), promptOf('explain', 'built in')]

  test('stronger ones win, and the list says what they replace', async () => {
    await using library = await testLibrary(builtins)
    const store = library.open()
    await store.put(promptOf('review', 'mine'))
    await store.put(promptOf('review', "the project's"), { layer: 'project' })

    const [explain, review] = await store.list()

    expect(explain).toMatchObject({ layer: 'builtin', overrides: [] })
    expect(review).toMatchObject({ layer: 'project', overrides: ['user', 'builtin'] })
    expect((await store.list({ layer: 'user' })).map(({ prompt }) => textOf(prompt))).toEqual(['mine'])
    expect(textOf((await store.get('review', { layer: 'builtin' })).prompt)).toBe('built in')
    expect((await store.layers()).map(({ name, isWritable }) => `${name} ${isWritable}`)).toEqual([
      'builtin false',
      'user true',
      'team true',
      'project true',
    ])
  })

  test('a change goes where the prompt is, and a change of a built-in to the user', async () => {
    await using library = await testLibrary(builtins)
    const store = library.open()
    await store.put(promptOf('shared', '1'), { layer: 'team' })

    expect((await store.put(promptOf('shared', '2'))).layer).toBe('team')
    expect((await store.put(promptOf('review', 'mine'))).layer).toBe('user')
    expect((await store.put(promptOf('new'))).layer).toBe('user')
  })

  test('removing uncovers what was replaced', async () => {
    await using library = await testLibrary(builtins)
    const store = library.open()
    await store.put(promptOf('review', 'mine'))

    await store.remove('review')

    expect(textOf((await store.get('review')).prompt)).toBe('built in')
  })

  test('what is built in cannot be changed or removed', async () => {
    await using library = await testLibrary(builtins)
    const store = library.open()

    await expect(store.remove('review')).rejects.toMatchObject({ code: 'not_allowed' })
    await expect(store.put(promptOf('review', 'x'), { layer: 'builtin' })).rejects.toMatchObject({
      code: 'not_allowed',
    })
    await expect(store.put(promptOf('x'), { layer: 'nowhere' })).rejects.toThrow(
      'The layers: builtin, user, team, project.',
    )
  })

  test('a copy of what is built in stands in default.jsonl and follows an upgrade', async () => {
    await using library = await testLibrary(builtins)
    await library.write('{"name":"of an old version"}\n', 'default.jsonl')

    await library.open().list()

    const lines = (await library.text('default.jsonl')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(builtins)
  })

  test('a category lists only prompts with such a tag, and get finds the others too', async () => {
    await using library = await testLibrary()
    const store = library.open({ categories: ['language'] })
    await store.putAll([promptOf('a', 'x', { tags: ['Language/Go'] }), promptOf('b', 'x', { tags: ['languages'] })])

    expect((await store.list()).map(({ prompt }) => prompt.name)).toEqual(['a'])
    expect(await store.has('b')).toBe(true)
  })
})

describe('history', () => {
  test('every revision stays, the newest first, also after the prompt was removed', async () => {
    await using library = await testLibrary()
    const store = library.open()
    await store.put(promptOf('x', '1'), { by: 'me' })
    await store.put(promptOf('x', '2'))
    await store.remove('x')

    expect(await store.history('x')).toEqual([
      { revision: 3, kind: 'removed', at: expect.any(String) as string, labels: [] },
      expect.objectContaining({ revision: 2, kind: 'put' }),
      expect.objectContaining({ revision: 1, kind: 'put', by: 'me' }),
    ])
    await expect(store.get('x')).rejects.toMatchObject({
      code: 'prompt_unknown',
      message: 'There is no prompt "x" in the library. It was removed.',
    })
    await expect(store.history('never')).rejects.toMatchObject({ code: 'prompt_unknown' })
  })

  test('an old revision can be looked at and brought back as a new one', async () => {
    await using library = await testLibrary()
    const store = library.open()
    await store.put(promptOf('x', '1'))
    await store.put(promptOf('x', '2'))
    await store.remove('x')

    expect(await store.restore('x', 1)).toMatchObject({ revision: 4 })
    expect(await textsOf(store)).toEqual({ x: '1' })
    expect(textOf((await store.get('x', { at: 2 })).prompt)).toBe('2')
    expect(textOf((await store.get('x', { at: '2' })).prompt)).toBe('2')
    await expect(store.get('x', { at: 3 })).rejects.toThrow('Prompt "x" has no revision 3.')
    await expect(store.restore('x', 9)).rejects.toMatchObject({ code: 'prompt_unknown', next: 'There are: 1, 2, 4.' })
  })

  test('a built-in prompt is restored as the own one', async () => {
    await using library = await testLibrary([promptOf('review', 'built in')])
    const store = library.open()

    expect(await store.restore('review', 1)).toMatchObject({ layer: 'user', revision: 1 })
  })

  test('a label points to one revision, can be moved and taken away', async () => {
    await using library = await testLibrary()
    const store = library.open()
    await store.put(promptOf('x', '1'))
    await store.label('x', 'production')
    await store.put(promptOf('x', '2'))

    expect((await store.get('x')).labels).toEqual({ production: 1 })
    expect(textOf((await store.get('x', { at: 'production' })).prompt)).toBe('1')
    expect((await store.history('x')).map(({ labels }) => labels)).toEqual([[], ['production']])

    expect((await store.label('x', 'production', { revision: 2 })).labels).toEqual({ production: 2 })
    expect((await store.unlabel('x', 'production')).labels).toEqual({})
    await expect(store.get('x', { at: 'production' })).rejects.toThrow('has no label "production"')
    await expect(store.label('x', 'production', { revision: 7 })).rejects.toMatchObject({ code: 'prompt_unknown' })
    await expect(store.label('x', '7')).rejects.toMatchObject({ code: 'prompt_invalid' })
    await expect(store.label('y', 'production')).rejects.toMatchObject({ code: 'prompt_unknown' })
  })

  test('history and labels follow a renamed prompt', async () => {
    await using library = await testLibrary()
    const store = library.open()
    await store.put(promptOf('old', '1'))
    await store.label('old', 'production')
    await store.put(promptOf('old', '2'))

    const renamed = await store.rename('old', 'new')

    expect(renamed).toMatchObject({ revision: 3, labels: { production: 1 } })
    expect((await store.history('new')).map(({ revision, renamedFrom }) => [revision, renamedFrom])).toEqual([
      [3, 'old'],
      [2, undefined],
      [1, undefined],
    ])
    expect((await store.get('new', { at: 1 })).prompt.name).toBe('new')
    await expect(store.get('old')).rejects.toThrow('It is called "new" now.')
    await expect(store.rename('new', 'Not A Name')).rejects.toMatchObject({ code: 'prompt_invalid' })
    await store.put(promptOf('other'))
    await expect(store.rename('new', 'other')).rejects.toMatchObject({ code: 'prompt_conflict' })
  })

  test('a name can be used again after its prompt was renamed, and both keep their own past', async () => {
    await using library = await testLibrary()
    const store = library.open()
    await store.put(promptOf('a', 'first life'))
    await store.rename('a', 'b')
    await store.put(promptOf('a', 'second life'))
    await store.put(promptOf('a', 'second life, changed'))
    await store.remove('b')
    await store.rename('a', 'b')

    const before = await library.open().history('b')
    await store.compact()
    await store.put(promptOf('b', 'after'))
    await store.compact()

    expect(before.map(({ revision, prompt }) => [revision, prompt === undefined ? undefined : textOf(prompt)])).toEqual(
      [
        [7, 'second life, changed'],
        [6, 'second life, changed'],
        [5, 'second life'],
        [3, undefined],
        [2, 'first life'],
        [1, 'first life'],
      ],
    )
    const [newest, ...rest] = await library.open().history('b')
    expect(newest).toMatchObject({ revision: 8 })
    expect(rest).toEqual(before)
  })
})

describe('files that people edit', () => {
  test('a plain prompt line is a put', async () => {
    await using library = await testLibrary()
    const store = library.open()
    await store.put(promptOf('a'))

    await library.append(`${JSON.stringify({ name: 'b', messages: [{ role: 'user', content: 'by hand' }] })}\r\n\n`)
    await library.append(JSON.stringify({ name: 'b', messages: [{ role: 'user', content: 'no newline at the end' }] }))

    expect((await store.get('b')).revision).toBe(2)
    await store.put(promptOf('c'))
    expect(await textsOf(library.open())).toMatchObject({ b: 'no newline at the end', c: 'The text of c' })
  })

  test('a line changed in place, to one of the same length, is seen', async () => {
    await using library = await testLibrary()
    const store = library.open()
    await store.put(promptOf('a', 'aaa'))
    await store.list()

    await library.write((await library.text()).replace('aaa', 'bbb'))
    // The clock of a file system goes in steps of some milliseconds.
    await utimes(library.file, new Date(), new Date(Date.now() + 5000))

    expect(await textsOf(store)).toEqual({ a: 'bbb' })
  })

  test('an unreadable line is reported with its number and survives every write and compaction', async () => {
    await using library = await testLibrary()
    const store = library.open()
    const bad = [
      '{"name": "typo", }',
      '{"op":"move","name":"x"}',
      '{"name":"Bad Name"}',
      '{"op":"label","name":"x","label":"7"}',
    ]
    await store.put(promptOf('a', '1'))
    await library.append(`${bad.join('\n')}\n`)
    await store.put(promptOf('a', '2'))
    await store.remove('a')

    const problems = await store.problems()
    expect(problems.map(({ layer, line }) => [layer, line])).toEqual([2, 3, 4, 5].map((line) => ['user', line]))
    expect(problems[0]).toMatchObject({ place: library.file, reason: 'The line is not JSON.' })

    await store.compact()
    await store.put(promptOf('b'))

    const lines = (await library.text()).split('\n')
    expect(lines.filter((line) => bad.includes(line))).toEqual(bad)
    expect(await store.problems({ layer: 'user' })).toHaveLength(bad.length)
  })

  test('bytes that are no text survive compaction as they were', async () => {
    await using library = await testLibrary()
    const store = library.open()
    const odd = Buffer.from([0x7b, 0xff, 0xfe, 0x0a])
    await store.putAll([promptOf('a', '1')])
    await writeFile(library.file, Buffer.concat([await readFile(library.file), odd]))
    await store.put(promptOf('a', '2'))

    await store.compact()

    expect((await readFile(library.file)).includes(odd)).toBe(true)
  })

  test('two branches that were merged by lines both keep their revisions', async () => {
    await using library = await testLibrary()
    const line = (rev: number, text: string) => JSON.stringify({ op: 'put', rev, prompt: promptOf('x', text) })
    await library.write([line(1, 'base'), line(2, 'ours'), line(2, 'theirs')].join('\n'))

    const store = library.open()

    expect((await store.history('x')).map(({ revision }) => revision)).toEqual([3, 2, 1])
    expect(await textsOf(store)).toEqual({ x: 'theirs' })
    await store.compact()
    expect((await library.open().history('x')).map(({ revision }) => revision)).toEqual([3, 2, 1])
  })

  test('a file that was emptied or taken away is an empty layer', async () => {
    await using library = await testLibrary()
    const store = library.open()
    await store.put(promptOf('a'))
    await library.write('')

    expect(await store.list()).toEqual([])
    await store.put(promptOf('b'))
    expect(Object.keys(await textsOf(store))).toEqual(['b'])
  })
})

describe('compaction', () => {
  test('keeps one line a prompt, and all of history, labels and given-up names', async () => {
    await using library = await testLibrary()
    const store = library.open()
    for (const text of ['1', '2', '3']) await store.put(promptOf('x', text))
    await store.label('x', 'production', { revision: 2 })
    await store.put(promptOf('gone'))
    await store.remove('gone')
    await store.put(promptOf('once'))
    const before = { x: await store.history('x'), gone: await store.history('gone'), list: await store.list() }

    await store.compact()
    await store.compact()

    const again = library.open()
    expect((await library.text()).trim().split('\n')).toHaveLength(4)
    expect({ x: await again.history('x'), gone: await again.history('gone'), list: await again.list() }).toEqual(before)
    expect(textOf((await again.get('x', { at: 'production' })).prompt)).toBe('2')
    expect(await again.restore('gone', 1)).toMatchObject({ revision: 3 })
    expect(await again.put(promptOf('x', '4'))).toMatchObject({ revision: 4 })
  })

  test('happens by itself when most of the file is out of date', async () => {
    await using library = await testLibrary()
    const store = library.open()
    const line = (rev: number) => JSON.stringify({ op: 'put', rev, prompt: promptOf('x', `text ${rev}`) })
    await library.write(Array.from({ length: 600 }, (_, index) => `${line(index + 1)}\n`).join(''))

    await store.put(promptOf('x', 'new'))

    expect((await library.text()).trim().split('\n')).toHaveLength(1)
    expect(await library.open().history('x')).toHaveLength(601)
  })

  test('numbers go on after the archive when a line was deleted by hand', async () => {
    await using library = await testLibrary()
    const store = library.open()
    await store.put(promptOf('x', '1'))
    await store.put(promptOf('x', '2'))
    await store.put(promptOf('x', '3'))
    await store.compact()
    await library.write('')

    expect(await store.put(promptOf('x', '4'))).toMatchObject({ revision: 3 })
    expect((await store.history('x')).map(({ revision }) => revision)).toEqual([3, 2, 1])
  })
})

describe('watching', () => {
  test('listeners hear which prompts changed, by whose hand ever, and nothing of a touch', async () => {
    await using library = await testLibrary()
    const [store, other] = [library.open(), library.open()]
    await store.putAll([promptOf('a'), promptOf('b')])
    const heard: string[][] = []
    const next = async (count: number) => {
      await vi.waitFor(() => expect(heard).toHaveLength(count), { timeout: 10_000, interval: 10 })
      return heard[count - 1]
    }
    using _ = store.onChange(({ names }) => heard.push([...names]))
    await store.list()

    await other.put(promptOf('b', 'changed'))
    expect(await next(1)).toEqual(['b'])

    await library.write(await library.text())
    await other.put(promptOf('c'), { layer: 'project' })
    expect(await next(2)).toEqual(['c'])

    await store.label('a', 'production')
    expect(await next(3)).toEqual(['a'])
  })

  test('the watch ends with its last listener and with the store', async () => {
    await using library = await testLibrary()
    const store = library.open()
    const heard: string[] = []
    const listening = store.onChange(({ names }) => heard.push(...names))

    listening[Symbol.dispose]()
    listening[Symbol.dispose]()
    await store[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
    await store.put(promptOf('x'))

    expect(heard).toEqual([])
  })
})
