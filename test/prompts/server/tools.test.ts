import { describe, expect, test } from 'vitest'
import type { Client } from '@modelcontextprotocol/client'
import { argument, promptOf } from '../makers.ts'
import { connectedClient, testLibrary, type TestLibraryOptions } from './makers.ts'

/** A library, and a client that has seen its tools: from then on the SDK checks results against the output schemas. */
async function atWork(options: TestLibraryOptions = {}) {
  const library = await testLibrary(options)
  const connected = await connectedClient(library, { name: 'agent' })
  await connected.client.listTools()
  return {
    ...library,
    client: connected.client,
    call: async (name: string, args: Record<string, unknown> = {}) => await callIn(connected.client, name, args),
    async [Symbol.asyncDispose]() {
      await connected[Symbol.asyncDispose]()
      await library[Symbol.asyncDispose]()
    },
  }
}

async function callIn(client: Client, name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const result = await client.callTool({ name, arguments: args })
  expect(result.isError).not.toBe(true)
  return result.structuredContent as Record<string, unknown>
}

const writers = ['create_prompt', 'update_prompt', 'delete_prompt', 'restore_prompt', 'label_prompt', 'import_prompts']

test('every tool says what it does, takes and gives, and whether it changes anything', async () => {
  await using work = await atWork()

  const { tools } = await work.client.listTools()

  expect(tools.map(({ name }) => name).toSorted()).toEqual(
    [
      ...writers,
      'search_prompts',
      'get_prompt',
      'list_tags',
      'prompt_history',
      'diff_prompt',
      'export_prompts',
      'get_runbook',
    ].toSorted(),
  )
  for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
    expect(description, name).toMatch(/\w.*\./)
    expect([inputSchema.type, outputSchema?.type], name).toEqual(['object', 'object'])
    expect(annotations?.readOnlyHint, name).toBe(!writers.includes(name))
    expect(annotations?.openWorldHint, name).toBe(false)
  }
})

test('a read-only server hides the tools that write, and refuses them', async () => {
  await using work = await atWork({ writing: 'none' })

  const { tools } = await work.client.listTools()

  expect(tools.map(({ name }) => name).filter((name) => writers.includes(name))).toEqual([])
  await expect(work.call('delete_prompt', { name: 'code_review' })).rejects.toMatchObject({ code: -32602 })
})

describe('search_prompts', () => {
  test('finds by words, with typing errors, and says where', async () => {
    await using work = await atWork()

    const { prompts } = await work.call('search_prompts', { query: 'find a bgu and fix it', limit: 3 })

    expect(prompts).toMatchObject([
      {
        name: 'fix_bugs',
        arguments: [{ name: 'symptom' }, { name: 'code', required: true }],
        score: expect.any(Number),
      },
      {},
      {},
    ])
  })

  test('lists by tags without words, and narrows by fields and score', async () => {
    await using work = await atWork()
    const names = async (args: Record<string, unknown>) =>
      ((await work.call('search_prompts', args))['prompts'] as { name: string }[]).map(({ name }) => name)

    expect(await names({ tags: ['code/refactor'] })).toEqual(['refactor_extract', 'simplify_code'])
    expect(await names({ any_tags: ['code/test', 'operations'] })).toEqual(['generate_tests', 'incident_response'])
    expect(await names({ query: 'review', min_score: 0.999 })).toEqual([])
    expect(await names({ query: 'night', fields: ['title'] })).toEqual([])
    await expect(work.call('search_prompts', { query: 'x', fields: ['nope'] })).rejects.toMatchObject({ code: -32602 })
    await expect(work.call('search_prompts', { query: 'x', limit: 0 })).rejects.toMatchObject({ code: -32602 })
  })
})

test('get_prompt gives the prompt filled in, as text and as data; raw gives the template', async () => {
  await using work = await atWork()
  await work.store.put(promptOf('greet', 'Hello {{who}}', { arguments: [argument('who', { required: true })] }))

  const filled = await work.client.callTool({ name: 'get_prompt', arguments: { name: 'greet', arguments: { who: 5 } } })
  const raw = await work.call('get_prompt', { name: 'greet', raw: true })

  expect(filled.content).toEqual([{ type: 'text', text: 'Hello 5' }])
  expect(filled.structuredContent).toMatchObject({ name: 'greet', revision: 1, tags: [] })
  expect(raw['messages']).toEqual([{ role: 'user', content: { type: 'text', text: 'Hello {{who}}' } }])
})

describe('errors of tools', () => {
  test.each([
    ['an unknown prompt', 'get_prompt', { name: 'nope' }, /no prompt "nope"/],
    ['a missing argument of the tool', 'get_prompt', {}, /name must be a text/],
    ['a missing argument of the prompt', 'get_prompt', { name: 'code_review' }, /"code" is missing/],
    ['an argument that the tool does not have', 'get_prompt', { nmae: 'x' }, /no argument "nmae".*name, arguments/],
    ['an unknown revision', 'get_prompt', { name: 'code_review', at: 7 }, /no revision 7/],
    ['a name that cannot be', 'create_prompt', { name: '../x', text: 'y' }, /cannot be the name/],
    ['a prompt without text', 'create_prompt', { name: 'x' }, /neither messages nor steps/],
    ['neither name nor title', 'create_prompt', { text: 'y' }, /name or a title/],
    ['text and messages', 'create_prompt', { name: 'x', text: 'y', messages: [] }, /either text or messages/],
    ['a name that is taken', 'create_prompt', { name: 'fix_bugs', text: 'y' }, /already/],
    ['the removal of a built-in prompt', 'delete_prompt', { name: 'fix_bugs' }, /built in/],
    ['a label on a built-in prompt', 'label_prompt', { name: 'fix_bugs', label: 'x' }, /built in/],
    ['a label that is not there', 'label_prompt', { name: 'mine', label: 'x', remove: true }, /no label "x"/],
    ['a revision that cannot be restored', 'restore_prompt', { name: 'mine', at: 'x' }, /no revision "x"/],
    ['a revision that has moved on', 'update_prompt', { name: 'mine', text: 'z', expected_revision: 9 }, /revision/],
    ['a prompt that is too long', 'update_prompt', { name: 'mine', text: 'z'.repeat(3000) }, /limit is 2000/],
    ['an unknown format', 'export_prompts', { format: 'word' }, /format must be/],
    [
      'files that hold nothing',
      'import_prompts',
      { format: 'jsonl', files: [{ path: 'a.jsonl', text: '' }] },
      /no prompt in/,
    ],
    ['files that are none', 'import_prompts', { format: 'jsonl', files: [{}] }, /path and a text/],
    ['no files', 'import_prompts', { format: 'jsonl', files: [] }, /at least one/],
    ['an unknown runbook', 'get_runbook', { name: 'nope' }, /There are: incident-response/],
    ['an unknown file of a runbook', 'get_runbook', { name: 'incident-response', file: '../x' }, /has no file/],
  ])('%s is -32602, with a sentence that helps', async (_, tool, args, message) => {
    await using work = await atWork({ settings: { maxPromptBytes: 2000 } })
    await work.store.put(promptOf('mine'))

    const refusal = work.call(tool, args)

    await expect(refusal).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(message) })
  })
})

describe('writing', () => {
  test('create, update, delete and restore make revisions with the name of the client', async () => {
    await using work = await atWork()

    const created = await work.call('create_prompt', {
      title: 'Grüsse an alle',
      description: 'Greets.',
      text: 'Hello {{who}}',
      arguments: [{ name: 'who', required: true }],
      tags: ['fun'],
    })
    const updated = await work.call('update_prompt', { name: 'grusse_an_alle', text: 'Hi {{who}}', tags: null })
    const deleted = await work.call('delete_prompt', { name: 'grusse_an_alle', expected_revision: 2 })
    const restored = await work.call('restore_prompt', { name: 'grusse_an_alle', at: 1 })
    const history = await work.call('prompt_history', { name: 'grusse_an_alle' })

    expect([created, updated, deleted, restored]).toMatchObject([
      { status: 'saved', name: 'grusse_an_alle', revision: 1 },
      { revision: 2 },
      { status: 'saved' },
      { revision: 4 },
    ])
    expect(history['revisions']).toMatchObject([
      { revision: 4, kind: 'put', by: 'agent' },
      { revision: 3, kind: 'removed' },
      { revision: 2, kind: 'put' },
      { revision: 1, kind: 'put' },
    ])
    const { prompt } = await work.store.get('grusse_an_alle')
    expect(prompt).toMatchObject({
      title: 'Grüsse an alle',
      tags: ['fun'],
      messages: [{ content: { text: 'Hello {{who}}' } }],
    })
  })

  test('a changed built-in prompt becomes a prompt of the user', async () => {
    await using work = await atWork()

    await work.call('update_prompt', { name: 'fix_bugs', description: 'Ours.' })

    expect(await work.store.get('fix_bugs')).toMatchObject({
      layer: 'user',
      overrides: ['builtin'],
      prompt: { description: 'Ours.' },
    })
  })

  test('labels move, lead to their revision, and go away', async () => {
    await using work = await atWork()
    await work.store.put(promptOf('mine', 'one'))
    await work.store.put(promptOf('mine', 'two'))

    await work.call('label_prompt', { name: 'mine', label: 'production', revision: 1 })
    const labelled = await work.call('get_prompt', { name: 'mine', at: 'production' })
    await work.call('label_prompt', { name: 'mine', label: 'production' })
    const moved = await work.call('get_prompt', { name: 'mine', at: 'production' })
    await work.call('label_prompt', { name: 'mine', label: 'production', remove: true })

    expect([labelled['revision'], moved['revision']]).toEqual([1, 2])
    expect((await work.store.get('mine')).labels).toEqual({})
  })

  test('diff_prompt shows the last change, or any two revisions', async () => {
    await using work = await atWork()
    for (const text of ['one', 'two', 'three']) await work.store.put(promptOf('mine', text))

    const last = await work.call('diff_prompt', { name: 'mine' })
    const whole = await work.call('diff_prompt', { name: 'mine', from: 1, to: '3' })
    const first = await work.call('diff_prompt', { name: 'mine', to: 1 })

    expect(last).toMatchObject({ from: 2, to: 3, diff: expect.stringMatching(/- two\n\+ three/) })
    expect(whole).toMatchObject({ from: 1, to: 3, diff: expect.stringMatching(/- one\n\+ three/) })
    expect(first).toMatchObject({ from: 0, to: 1 })
  })

  test('what is exported can be imported elsewhere', async () => {
    await using here = await atWork()
    await using there = await atWork({ settings: { includeBuiltin: false } })

    const { files, losses } = await here.call('export_prompts', { format: 'jsonl', names: ['code_review', 'fix_bugs'] })
    const imported = await there.call('import_prompts', { format: 'jsonl', files })
    const tagged = await here.call('export_prompts', { format: 'claude', tags: ['operations'] })

    expect(losses).toEqual([])
    expect(imported).toMatchObject({
      status: 'saved',
      prompts: [{ name: 'code_review' }, { name: 'fix_bugs' }],
      unusable: [],
    })
    expect((await there.store.list()).map(({ prompt }) => prompt.name)).toEqual(['code_review', 'fix_bugs'])
    expect(tagged['files']).toHaveLength(1)
  })

  test('tags are counted, for those above them too', async () => {
    await using work = await atWork({ settings: { includeBuiltin: false } })
    await work.store.putAll([promptOf('a', 'x', { tags: ['l/go', 'l'] }), promptOf('b', 'x', { tags: ['l/rust'] })])

    expect(await work.call('list_tags')).toEqual({
      tags: [
        { tag: 'l', prompts: 2 },
        { tag: 'l/go', prompts: 1 },
        { tag: 'l/rust', prompts: 1 },
      ],
    })
  })
})

describe('proposing', () => {
  test('changes wait, the newest for each prompt, and the library stays as it was', async () => {
    await using work = await atWork({ writing: 'propose' })
    await work.store.put(promptOf('mine', 'one'))

    const created = await work.call('create_prompt', { name: 'new', text: 'first' })
    await work.call('update_prompt', { name: 'new', description: 'Better.' })
    await work.call('update_prompt', { name: 'mine', text: 'two', expected_revision: 1 })
    await work.call('label_prompt', { name: 'mine', label: 'production' })
    await work.call('import_prompts', {
      format: 'jsonl',
      files: [{ path: 'x.jsonl', text: JSON.stringify(promptOf('imported')) }],
    })

    expect(created).toMatchObject({ status: 'proposed', message: expect.stringContaining('capstan review') })
    expect(await work.proposals.list()).toMatchObject([
      {
        change: {
          kind: 'put',
          prompt: { name: 'new', description: 'Better.', messages: [{ content: { text: 'first' } }] },
        },
        by: 'agent',
        from: 0,
      },
      { change: { kind: 'put', prompt: { name: 'mine' } }, from: 1 },
      { change: { kind: 'label', label: 'production', revision: 1 } },
      { change: { kind: 'put', prompt: { name: 'imported' } } },
    ])
    expect(await work.store.has('new')).toBe(false)
    expect(await work.store.get('mine')).toMatchObject({ revision: 1, labels: {} })
  })

  test('a change from a revision that has moved on is refused', async () => {
    await using work = await atWork({ writing: 'propose' })
    await work.store.put(promptOf('mine', 'one'))

    const refusal = work.call('update_prompt', { name: 'mine', text: 'two', expected_revision: 4 })

    await expect(refusal).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('revision 1, not 4') })
  })
})

describe('runbooks', () => {
  test('are listed, read, and filled in when they are prompts', async () => {
    await using work = await atWork()

    const { runbooks } = await work.call('get_runbook')
    const text = await work.call('get_runbook', { name: 'incident_response' })
    const filled = await work.call('get_runbook', { name: 'incident-response', arguments: { what: 'all is slow' } })

    expect(runbooks).toMatchObject([{ name: 'incident-response', uri: 'skill://incident-response/SKILL.md' }])
    expect(text['text']).toMatch(/^---\nname: incident-response\n[^]*## 1\. Confirm/)
    expect(filled['text']).toMatch(/all is slow[^]*1\. Confirm/)
  })

  test('in folders have all their files, which are resources and a skill of the extension', async () => {
    await using library = await testLibrary()
    await library.folder.write({
      'prompts/skills/rotate-keys/SKILL.md':
        '---\nname: rotate-keys\ndescription: Rotates keys.\n---\nSee [how](how/to.md).\n',
      'prompts/skills/rotate-keys/how/to.md': 'Like this.',
      'prompts/skills/broken/SKILL.md': 'no front matter',
    })
    await using connected = await connectedClient(library)
    const { client } = connected

    const file = await callIn(client, 'get_runbook', { name: 'rotate-keys', file: 'how/to.md' })
    const { resources } = await client.listResources()
    const read = await client.readResource({ uri: 'skill://rotate-keys/how/to.md' })

    expect(file).toMatchObject({ text: 'Like this.', files: ['SKILL.md', 'how/to.md'] })
    expect(resources.map(({ uri }) => uri)).toContain('skill://rotate-keys/SKILL.md')
    expect(read.contents).toMatchObject([{ text: 'Like this.' }])
    expect(client.getServerCapabilities()?.extensions).toHaveProperty(['io.modelcontextprotocol/skills'])
    expect(library.logged()).toContain('broken')
  })
})

describe.each([['legacy'], ['auto']] as const)('missing arguments, for a client that negotiates %s', (mode) => {
  async function asking(answer: { action: 'accept' | 'decline'; content?: Record<string, string | number | boolean> }) {
    const library = await testLibrary()
    await library.store.put(
      promptOf('deploy', 'Deploy {{service}} to {{stage}}, {{count}} of it, dry: {{dry}}', {
        arguments: [
          argument('service', { required: true, description: 'Which one' }),
          argument('stage', { required: true, enum: ['production', 'staging'] }),
          argument('count', { required: true, type: 'integer' }),
          argument('dry', { required: true, type: 'boolean' }),
          argument('note'),
        ],
      }),
    )
    const connected = await connectedClient(library, {
      versionNegotiation: { mode },
      capabilities: { elicitation: { form: {} } },
    })
    const asked: unknown[] = []
    connected.client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params)
      return answer
    })
    return {
      asked,
      get: async (args: Record<string, unknown>) =>
        await connected.client.callTool({ name: 'get_prompt', arguments: { name: 'deploy', arguments: args } }),
      async [Symbol.asyncDispose]() {
        await connected[Symbol.asyncDispose]()
        await library[Symbol.asyncDispose]()
      },
    }
  }

  test('get_prompt asks the person for what is missing, and only for that', async () => {
    await using person = await asking({ action: 'accept', content: { stage: 'staging', count: 2, dry: true } })

    const result = await person.get({ service: 'web' })

    expect(result.content).toEqual([{ type: 'text', text: 'Deploy web to staging, 2 of it, dry: true' }])
    expect(person.asked).toMatchObject([
      {
        message: expect.stringContaining('deploy'),
        requestedSchema: {
          properties: {
            stage: { enum: ['production', 'staging'] },
            count: { type: 'integer' },
            dry: { type: 'boolean' },
          },
          required: ['stage', 'count', 'dry'],
        },
      },
    ])
  })

  test('a person who declines gets an error that names what is missing', async () => {
    await using person = await asking({ action: 'decline' })

    await expect(person.get({ service: 'web', stage: 'staging', dry: false })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('"count"'),
    })
    expect(person.asked).toHaveLength(1)
  })
})
