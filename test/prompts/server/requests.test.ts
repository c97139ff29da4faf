import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { argument, promptOf } from '../makers.ts'
import { connectedClient, testLibrary } from './makers.ts'

const eras = [['legacy'], ['auto']] as const

describe.each(eras)('for a client that negotiates %s', (mode) => {
  const negotiating = { versionNegotiation: { mode } }

  test('prompts are listed with titles, arguments and tags', async () => {
    await using library = await testLibrary({ settings: { includeBuiltin: false } })
    await library.store.put(
      promptOf('greet', 'Hello {{who}}', {
        title: 'Größe 你好',
        description: 'Greets.',
        arguments: [
          argument('who', { required: true, description: 'Whom', examples: ['Ada'] }),
          argument('tone', { required: true, default: 'kind', enum: ['kind', 'curt'] }),
          argument('times', { type: 'integer' }),
        ],
        tags: ['language/go', 'fun'],
      }),
    )
    await using connected = await connectedClient(library, negotiating)

    const { prompts } = await connected.client.listPrompts()

    expect(prompts).toEqual([
      {
        name: 'greet',
        title: 'Größe 你好',
        description: 'Greets.',
        arguments: [
          { name: 'who', description: 'Whom', required: true },
          { name: 'tone', description: '(one of kind, curt; else kind)', required: false },
          { name: 'times', description: '(a whole number)', required: false },
        ],
        _meta: { 'capstan/tags': ['language/go', 'fun'] },
      },
    ])
  })

  test('a prompt comes with its values filled in, all roles and kinds of content', async () => {
    await using library = await testLibrary()
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' } as const
    await library.store.put({
      ...promptOf('mixed', 'Say $& to {{who}}', {
        arguments: [argument('who', { required: true })],
        description: 'D.',
      }),
      messages: [
        { role: 'user', content: { type: 'text', text: 'Say $& to {{who}}' } },
        { role: 'assistant', content: { type: 'text', text: 'To {{who}}?' } },
        { role: 'user', content: image },
        { role: 'user', content: { type: 'resource', resource: { uri: 'note:a', text: 'for {{who}}' } } },
        { role: 'user', content: { type: 'resource_link', uri: 'note:b', name: 'b' } },
      ],
    })
    await using connected = await connectedClient(library, negotiating)

    const got = await connected.client.getPrompt({ name: 'mixed', arguments: { who: '{{who}} $1' } })

    expect(got).toMatchObject({
      description: 'D.',
      messages: [
        { role: 'user', content: { text: 'Say $& to {{who}} $1' } },
        { role: 'assistant', content: { text: 'To {{who}} $1?' } },
        { role: 'user', content: image },
        { role: 'user', content: { resource: { text: 'for {{who}} $1' } } },
        { role: 'user', content: { type: 'resource_link', uri: 'note:b' } },
      ],
    })
  })

  test('it is told when the files change by any hand, and only then', async () => {
    await using library = await testLibrary()
    await library.store.put(promptOf('first'))
    const changes: string[][] = []
    const waiting = Promise.withResolvers<void>()
    await using connected = await connectedClient(library, {
      ...negotiating,
      listChanged: {
        prompts: {
          autoRefresh: true,
          debounceMs: 0,
          onChanged: (_, prompts) => {
            changes.push((prompts ?? []).map(({ name }) => name).filter((name) => name.startsWith('by_hand')))
            waiting.resolve()
          },
        },
      },
    })
    await connected.client.listPrompts()
    const file = join(library.folder.path, 'prompts', 'user.jsonl')

    await appendFile(file, '\n')
    await appendFile(file, `${JSON.stringify(promptOf('by_hand'))}\n`)
    await waiting.promise

    expect(changes).toEqual([['by_hand']])
  })
})

describe('pages', () => {
  async function libraryOf(names: readonly string[]) {
    const library = await testLibrary({ pageSize: 3, settings: { includeBuiltin: false } })
    await library.store.putAll(names.map((name) => promptOf(name)))
    return library
  }

  test('lead to every prompt once', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `p${index}`)
    await using library = await libraryOf(names)
    await using connected = await connectedClient(library)

    const { prompts } = await connected.client.listPrompts()

    expect(prompts.map(({ name }) => name)).toEqual(names)
  })

  test('survive changes between them: nothing twice, nothing that stays left out', async () => {
    await using library = await libraryOf(['b', 'd', 'f', 'h', 'j'])
    await using connected = await connectedClient(library)
    const names = (list: { prompts: { name: string }[] }) => list.prompts.map(({ name }) => name)

    const first = await connected.client.request({ method: 'prompts/list', params: {} })
    await library.store.remove('f')
    await library.store.putAll([promptOf('a'), promptOf('g')])
    const second = await connected.client.request({ method: 'prompts/list', params: { cursor: first.nextCursor } })

    expect(names(first)).toEqual(['b', 'd', 'f'])
    expect(names(second)).toEqual(['g', 'h', 'j'])
    expect(second.nextCursor).toBeUndefined()
  })

  test.each([['3'], ['eyJhZnRlciI6MX0'], ['!!!'], ['']])('refuse the cursor %j', async (cursor) => {
    await using library = await libraryOf(['a'])
    await using connected = await connectedClient(library)

    const refusal = connected.client.request({ method: 'prompts/list', params: { cursor } })

    await expect(refusal).rejects.toMatchObject({ code: -32602 })
  })
})

describe('completion', () => {
  async function complete(name: string, value: string, given: readonly string[] = []) {
    await using library = await testLibrary()
    await library.store.put(
      promptOf('deploy', 'x', {
        arguments: [
          argument('stage', { enum: ['production', 'staging', 'preview'] }),
          argument('service', { examples: ['billing', 'search'], default: 'web' }),
          argument('dry', { type: 'boolean' }),
        ],
      }),
    )
    await using connected = await connectedClient(library)
    for (const service of given) await connected.client.getPrompt({ name: 'deploy', arguments: { service } })
    const ref = { type: 'ref/prompt', name: 'deploy' } as const
    return (await connected.client.complete({ ref, argument: { name, value } })).completion.values
  }

  test('offers the choices, those that begin with what was typed first', async () => {
    expect(await complete('stage', 'P')).toEqual(['production', 'preview'])
    expect(await complete('stage', 'ing')).toEqual(['staging'])
    expect(await complete('dry', '')).toEqual(['true', 'false'])
  })

  test('offers what was given before, the last first, then what the author suggests', async () => {
    const long = 'x'.repeat(200)

    expect(await complete('service', '', ['mail', 'chat', 'mail', long])).toEqual([
      'mail',
      'chat',
      'web',
      'billing',
      'search',
    ])
  })

  test('has nothing to offer for an argument that is not there, nor for resources', async () => {
    await using library = await testLibrary()
    await using connected = await connectedClient(library)
    const argumentOf = { name: 'uri', value: '' }

    const none = await connected.client.complete({
      ref: { type: 'ref/resource', uri: 'skill://{+path}' },
      argument: argumentOf,
    })

    expect(none.completion.values).toEqual([])
    expect(await complete('nope', '')).toEqual([])
  })
})

test('only prompts of the chosen categories are listed', async () => {
  await using library = await testLibrary({ settings: { categories: ['runbook'] } })
  await using connected = await connectedClient(library)

  const { prompts } = await connected.client.listPrompts()

  expect(prompts.map(({ name }) => name)).toEqual(['incident_response', 'write_runbook'])
})

test('a skill in a folder is a runbook, and coming and going of it is told', async () => {
  await using library = await testLibrary()
  const skills = join(library.folder.path, 'prompts', 'skills')
  const told = Promise.withResolvers<readonly string[]>()
  await using connected = await connectedClient(library, {
    listChanged: {
      resources: {
        autoRefresh: true,
        debounceMs: 0,
        onChanged: (_, resources) => told.resolve((resources ?? []).map(({ uri }) => uri)),
      },
    },
  })
  await connected.client.listResources()

  await mkdir(join(skills, '.new'), { recursive: true })
  await writeFile(join(skills, '.new', 'SKILL.md'), '---\nname: rotate-keys\ndescription: Rotates keys.\n---\nDo it.\n')
  await rename(join(skills, '.new'), join(skills, 'rotate-keys'))

  expect(await told.promise).toEqual(['skill://incident-response/SKILL.md', 'skill://rotate-keys/SKILL.md'])
  const read = await connected.client.readResource({ uri: 'skill://rotate-keys/SKILL.md' })
  expect(read.contents).toMatchObject([{ text: expect.stringContaining('Do it.'), mimeType: 'text/markdown' }])
})
