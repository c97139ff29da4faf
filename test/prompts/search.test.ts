import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Prompt } from '../../src/prompts/prompt.ts'
import { makePromptSearch, type PromptSearchOptions } from '../../src/prompts/search.ts'
import type { StoredPrompt } from '../../src/prompts/store.ts'
import { testLibrary } from './library.ts'
import { argument, promptOf } from './makers.ts'

const stored = (prompt: Prompt): StoredPrompt => ({ prompt, revision: 1, layer: 'user', labels: {}, overrides: [] })
const searchOver = (prompts: readonly Prompt[]) => {
  const list = prompts.map(stored)
  return makePromptSearch({ list: async () => list })
}

const prompts: readonly Prompt[] = [
  promptOf('code_review', 'Look at the code below and name its defects.', {
    title: 'Code review',
    description: 'Finds defects in a change',
    tags: ['development/review', 'language/go'],
  }),
  promptOf('explain_code', 'Say what the code does, for a newcomer.', { title: 'Explain code', tags: ['language'] }),
  promptOf('cover_letter', 'Write a letter to an employer.', {
    title: 'Cover letter',
    tags: ['career'],
    arguments: [argument('vacancy', { description: 'The advertisement of the position' })],
  }),
  promptOf('interviewer', '面试官的问题', { title: '面试官', description: 'Prüfungsgespräche üben' }),
  promptOf('outage', 'Go through these.', { steps: [{ title: 'Restart the balancer', text: 'and wait' }] }),
]

async function namesFor(query: string, options?: PromptSearchOptions): Promise<readonly string[]> {
  const hits = await searchOver(prompts).search(query, options)
  return hits.map(({ stored: { prompt } }) => prompt.name)
}

describe('a search', () => {
  test.each([
    ['code review', 'code_review'],
    ['review of code', 'code_review'],
    ['covr leter', 'cover_letter'],
    ['expl', 'explain_code'],
    ['letters', 'cover_letter'],
    ['employer', 'cover_letter'],
    ['advertisement', 'cover_letter'],
    ['面试', 'interviewer'],
    ['prufungsgesprache', 'interviewer'],
    ['balancer', 'outage'],
    ['code_review', 'code_review'],
  ])('for %j finds %s first', async (query, name) => {
    expect((await namesFor(query))[0]).toBe(name)
  })

  test('for nothing that is there finds nothing', async () => {
    expect(await namesFor('zzzzzz')).toEqual([])
    expect(await namesFor('!!! ???')).toEqual([])
  })

  test('gives scores between 0 and 1, the best first, and leaves out those below the least wanted', async () => {
    const search = searchOver(prompts)

    const hits = await search.search('code')
    const best = hits[0]?.score ?? 0

    expect(hits.length).toBeGreaterThan(1)
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a))
    expect(hits.every(({ score }) => score > 0 && score < 1)).toBe(true)
    expect(await search.search('code', { minScore: best })).toHaveLength(1)
    expect(await search.search('code', { limit: 1 })).toHaveLength(1)
    expect(await search.search('code', { limit: 0 })).toEqual([])
  })

  test('shows where it found the words, with the hits marked', async () => {
    const [hit] = await searchOver(prompts).search('code defects')

    expect(hit?.matches).toEqual([
      { field: 'title', context: '**Code** review' },
      { field: 'name', context: '**code** review' },
      { field: 'description', context: 'Finds **defects** in a change' },
      { field: 'content', context: 'Look at the **code** below and name its **defects**.' },
    ])
  })

  test('shows a piece of a long text, and marks text without blanks as a whole', async () => {
    const long = promptOf('long', `${'word '.repeat(100)}needle${' word'.repeat(100)}`)
    const [needle] = await searchOver([long]).search('needle')
    const [chinese] = await searchOver(prompts).search('面试官')

    expect(needle?.matches[0]?.context).toMatch(/^…(word )+\*\*needle\*\*( word)+…$/)
    expect(needle?.matches[0]?.context.length).toBeLessThan(200)
    expect(chinese?.matches[0]).toEqual({ field: 'title', context: '**面试官**' })
  })

  test('looks only in the fields that are asked for', async () => {
    expect(await namesFor('defects', { fields: ['title', 'name'] })).toEqual([])
    expect(await namesFor('defects', { fields: ['content'] })).toEqual(['code_review'])
    await expect(namesFor('x', { fields: ['text' as 'content'] })).rejects.toMatchObject({
      code: 'usage',
      next: 'Fields: title, name, description, tags, content, arguments.',
    })
  })

  test('takes all of some tags, any of others, and tags below a tag', async () => {
    expect(await namesFor('code', { tags: ['language'] })).toHaveLength(2)
    expect(await namesFor('code', { tags: ['language', 'development'] })).toEqual(['code_review'])
    expect(await namesFor('code', { tags: ['language/go'] })).toEqual(['code_review'])
    expect(await namesFor('', { anyTags: ['career', 'development'] })).toEqual(['code_review', 'cover_letter'])
    expect(await namesFor('code', { tags: ['lang'] })).toEqual([])
  })
})

describe('the index', () => {
  test('follows the library, whoever changes it', async () => {
    await using library = await testLibrary()
    const [store, other] = [library.open(), library.open()]
    const search = makePromptSearch(store)
    const names = async (query: string) => (await search.search(query)).map((hit) => hit.stored.prompt.name)
    await store.putAll([promptOf('one', 'an apple'), promptOf('two', 'a pear')])
    expect(await names('apple')).toEqual(['one'])

    await other.put(promptOf('one', 'a plum'))
    await other.put(promptOf('three', 'an apple'))
    await other.remove('two')

    expect(await names('apple')).toEqual(['three'])
    expect(await names('plum')).toEqual(['one'])
    expect(await names('pear')).toEqual([])
  })

  test('is built once for queries that come together', async () => {
    const search = searchOver(prompts)

    const results = await Promise.all(['review', 'letter', 'review'].map(async (query) => await search.search(query)))

    expect(results.map((hits) => hits[0]?.stored.prompt.name)).toEqual(['code_review', 'cover_letter', 'code_review'])
  })

  const many = Array.from({ length: 1200 }, (_, index) =>
    promptOf(`prompt_${index}`, `${'some words to be indexed '.repeat(20)} number${index}`),
  )

  test('gives others a turn while it is made', async () => {
    const search = searchOver(many)
    const seen = { isDone: false, turns: 0 }
    const searching = search.search('number7').finally(() => (seen.isDone = true))
    while (!seen.isDone) {
      await nextTurn()
      seen.turns += 1
    }

    expect((await searching)[0]?.stored.prompt.name).toBe('prompt_7')
    expect(seen.turns).toBeGreaterThan(3)
  })

  test('of a large library is kept in a file, used by the next process, and corrected where prompts have changed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'capstan-index-'))
    const indexFile = join(folder, 'cache', 'index.json')
    const open = (some: readonly Prompt[]) => {
      const list = some.map(stored)
      return makePromptSearch({ list: async () => list }, { indexFile })
    }
    const first = open(many)
    const before = await first.search('number7 number8')
    await first.keep()
    const { mtimeMs } = await stat(indexFile)

    const changed = [...many.slice(1), promptOf('prompt_7', 'number7 changed number8')]
    const again = open(changed.filter(({ name }, index) => name !== 'prompt_7' || index > 100))
    const after = await again.search('number7 number8')
    await again.keep()

    expect(before[0]?.stored.prompt.name).toMatch(/prompt_[78]/)
    expect(after[0]?.stored.prompt.name).toBe('prompt_7')
    expect(await again.search('number0')).toEqual([])
    expect((await stat(indexFile)).mtimeMs).toBe(mtimeMs)

    for (const text of ['{', '{"format":"of another make"}', (await readFile(indexFile, 'utf8')).slice(0, 5000)]) {
      await writeFile(indexFile, text)
      expect((await open(many).search('number7'))[0]?.stored.prompt.name).toBe('prompt_7')
    }
    await rm(folder, { recursive: true })
  })

  test('of a small library is not worth a file', async () => {
    const list = prompts.map(stored)
    const search = makePromptSearch({ list: async () => list }, { indexFile: '/nonexistent/index.json' })
    await search.keep()
    await search.search('code')
    await search.keep()

    expect((await search.search('code')).length).toBeGreaterThan(0)
  })
})
