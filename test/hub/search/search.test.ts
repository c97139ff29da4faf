import { describe, expect, test } from 'vitest'
import type { ToolEntry, ToolSearchOptions } from '../../../src/hub/api.ts'
import { makeToolSearch } from '../../../src/hub/search/search.ts'

const tools: readonly ToolEntry[] = [
  tool('github.create_issue', 'Opens a new issue in a repository.', {
    title: 'The headline',
    assignees: 'Who does it',
  }),
  tool('github.list_commits', 'Shows the commits of a branch.', { sha: 'Where to start' }),
  tool('github.getPullRequest', 'Gives one proposed change.', {}),
  tool('files.read_text_file', 'Gives the contents of a file.', { path: 'Which one', head: 'How many lines' }),
  tool('files.create_directory', 'Makes a new place for files.', {}),
  tool('files.convert-base64', 'Encodes bytes.', { mode: '' }),
  tool('memory.delete_entities', 'Forgets things and what was known of them.', { entityNames: 'What to forget' }),
  tool('weather.forecast', 'Says how the coming days will be.', { latitude: '', longitude: '' }),
  tool('wetter.vorhersage', 'Zeigt die Höhe des Niederschlags.', {}),
  tool('map.query', '查询城市的天气情况。', {}),
  tool('map.read', 'ファイルを読む', {}),
]

function tool(id: string, description: string, properties: Readonly<Record<string, string>>): ToolEntry {
  const [server = '', name = ''] = id.split('.')
  const described = Object.entries(properties).map(([key, text]) => [key, { type: 'string', description: text }])
  return {
    id,
    server,
    tool: name,
    modelName: id.replace('.', '__'),
    description,
    inputSchema: { type: 'object', properties: Object.fromEntries(described) },
  }
}

const search = makeToolSearch(tools)

function ids(query: string, options?: ToolSearchOptions): readonly string[] {
  return search(query, options).map((hit) => hit.tool.id)
}

describe('a tool is found first', () => {
  test.each([
    ['by its name', 'create_issue', 'github.create_issue'],
    ['by server and name', 'github.create_issue', 'github.create_issue'],
    ['by the words of a name in snake_case', 'text file', 'files.read_text_file'],
    ['by the words of a name in camelCase', 'pull request', 'github.getPullRequest'],
    ['by a camelCase name that is written in snake_case', 'get_pull_request', 'github.getPullRequest'],
    ['by the words of a name in kebab-case', 'convert', 'files.convert-base64'],
    ['by a name with its words run together', 'readtextfile', 'files.read_text_file'],
    ['by a word with digits', 'base64', 'files.convert-base64'],
    ['by the start of a word', 'forec', 'weather.forecast'],
    ['by its description', 'repository', 'github.create_issue'],
    ['by the name of an argument', 'longitude', 'weather.forecast'],
    ['by the pieces of an argument name', 'entity names', 'memory.delete_entities'],
    ['by what an argument means', 'how many lines', 'files.read_text_file'],
    ['by a plural where the tool has the singular', 'issues', 'github.create_issue'],
    ['by a singular where the tool has the plural', 'commit', 'github.list_commits'],
    ['by a form of its verb', 'deleting entities', 'memory.delete_entities'],
    ['by another word for the same thing', 'make folder', 'files.create_directory'],
    ['by a question', 'how do I open a new issue?', 'github.create_issue'],
    ['without the accents', 'hohe', 'wetter.vorhersage'],
    ['with other capitals', 'FORECAST', 'weather.forecast'],
    ['in Chinese', '天气', 'map.query'],
    ['in Japanese', 'ファイル', 'map.read'],
  ])('%s: %s', (_, query, expected) => {
    expect(ids(query)[0]).toBe(expected)
  })
})

describe('typing mistakes', () => {
  test.each([
    ['a letter missing', 'forcast', 'weather.forecast'],
    ['a letter too many', 'commmits', 'github.list_commits'],
    ['swapped letters', 'direcotry', 'files.create_directory'],
    ['a wrong letter in a short word', 'reqd', 'files.read_text_file'],
  ])('are forgiven: %s, %s', (_, query, expected) => {
    expect(ids(query)).toContain(expected)
  })

  test('are not looked for in a word that the tools use', () => {
    const near = makeToolSearch([tool('a.patch', '', {}), tool('a.match', '', {})])

    expect(near('patch').map((hit) => hit.tool.id)).toEqual(['a.patch'])
  })

  test('are not forgiven in words of three letters, where anything is near', () => {
    expect(ids('xat')).toEqual([])
  })
})

describe('a hit', () => {
  test('says which words of the query were found, in their order and as they were typed, and where', () => {
    const [hit] = search('Please OPEN the isue for assignees nowhere')

    expect(hit?.tool.id).toBe('github.create_issue')
    expect(hit?.terms).toEqual(['open', 'isue', 'assignees'])
    expect(hit?.fields).toEqual(['name', 'description', 'arguments'])
  })

  test('counts a word once, though the tool has synonyms of it too', () => {
    const [hit] = search('make')

    expect(hit?.terms).toEqual(['make'])
  })

  test('scores between 0 and 1, and less when it has fewer of the words', () => {
    const [best] = search('create issue')
    const [partly] = search('create issue zzzzzz yyyyyy')

    expect(best?.score).toBeLessThan(1)
    expect(partly?.tool).toBe(best?.tool)
    expect(partly?.score).toBeGreaterThan(0)
    expect(partly?.score).toBeLessThan(best?.score ?? 0)
  })

  test('is the same plain JSON after a trip over a wire', () => {
    const hits = search('create issue')

    expect(JSON.parse(JSON.stringify(hits))).toEqual(hits)
  })
})

describe('the answer', () => {
  test('has at most ten tools, or as many as are wanted', () => {
    const many = makeToolSearch(Array.from({ length: 30 }, (_, index) => tool(`s.note_${index}`, 'A note.', {})))

    expect(many('note')).toHaveLength(10)
    expect(many('note', { limit: 25 })).toHaveLength(25)
    expect(many('note', { limit: 0 })).toEqual([])
  })

  test('puts tools that fit equally well in the order of their names, whatever order they came in', () => {
    const alike = ['s.zeta', 's.alpha', 's.mid'].map((id) => tool(id, 'Counts sheep.', {}))

    const orders = [alike, alike.toReversed()].map((list) => makeToolSearch(list)('sheep').map((hit) => hit.tool.id))

    expect(orders).toEqual([
      ['s.alpha', 's.mid', 's.zeta'],
      ['s.alpha', 's.mid', 's.zeta'],
    ])
  })

  test('keeps to the servers that were named', () => {
    expect(ids('new', { servers: ['files'] })).toEqual(['files.create_directory'])
    expect(ids('new', { servers: [] })).toEqual([])
  })

  test('leaves out what scores too little', () => {
    const [best, ...rest] = search('create')

    expect(rest.length).toBeGreaterThan(0)
    expect(search('create', { minScore: best?.score ?? 1 }).map((hit) => hit.tool)).toEqual([best?.tool])
  })

  test.each(['', '   ', '?!', '…'])('is empty for a query without words: %j', (query) => {
    expect(search(query)).toEqual([])
  })

  test('is not empty for a query of nothing but small words, if tools have them', () => {
    expect(ids('how will')).toContain('weather.forecast')
  })
})

describe('odd definitions', () => {
  test('with recursive references are searched like any other', () => {
    const node = { type: 'object', properties: { label: { type: 'string' }, child: { $ref: '#/$defs/node' } } }
    const recursive = {
      ...tool('a.grow', '', {}),
      inputSchema: { type: 'object', properties: { tree: { $ref: '#/$defs/node' } }, $defs: { node } },
    }

    expect(makeToolSearch([recursive])('label')).toHaveLength(1)
  })

  test('with words that every object has by nature find nothing but themselves', () => {
    const odd = makeToolSearch([tool('a.constructor', 'The prototype of __proto__.', {}), tool('a.other', '', {})])

    expect(odd('constructor').map((hit) => hit.tool.id)).toEqual(['a.constructor'])
    expect(odd('__proto__').map((hit) => hit.tool.id)).toEqual(['a.constructor'])
    expect(odd('toString hasOwnProperty')).toEqual([])
  })

  test('with schemas that are no schemas break nothing', () => {
    const broken = {
      ...tool('a.broken', 'Works.', {}),
      inputSchema: { properties: [1], items: 'x', anyOf: {}, enum: 3 },
    }

    expect(makeToolSearch([broken])('works')).toHaveLength(1)
  })

  test('with megabytes of text, and a query just as long, are answered at once', () => {
    const long = 'lorem ipsum '.repeat(200_000)
    const startedAtMs = performance.now()

    expect(makeToolSearch([tool('a.long', long, {})])(long)).toHaveLength(1)
    expect(performance.now() - startedAtMs).toBeLessThan(1000)
  })
})

test('the index is built by the first query and not again', () => {
  let reads = 0
  const counted = { ...tool('a.counted', '', {}) }
  Object.defineProperty(counted, 'description', { get: () => `read ${++reads} times`, enumerable: true })
  const once = makeToolSearch([counted])

  expect(reads).toBe(0)
  once('counted')
  once('times')

  expect(reads).toBe(1)
})
