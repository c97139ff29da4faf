import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/hub/api.ts'
import { buildCatalogue, differenceOf, noLists, readList } from '../../../src/hub/catalogue/catalogue.ts'
import { inlineServer } from '../inline-server.ts'
import { openTestHub, textOf } from '../makers.ts'

const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

test('of two tools with one name the first is kept, and the log says so', async () => {
  const entry = inlineServer(`
    const tools = [{ name: 'a', description: 'first' }, { name: 'b' }, { name: 'a', description: 'second' }]
    serveRaw({ name: 'twice', tools })
  `)
  await using hub = await openTestHub({ one: entry })

  const { tools } = await hub.catalogue()

  expect(tools.map(({ id, modelName, description }) => [id, modelName, description])).toEqual([
    ['one.a', 'one__a', 'first'],
    ['one.b', 'one__b', undefined],
  ])
  expect((await hub.logs('one')).map(({ text }) => text)).toContain(
    'Left out of tools, for there is another "a" before it',
  )
})

test('a server that is named twice is listed once', async () => {
  await using hub = await openTestHub({ one: inlineServer(`serveRaw({ name: 'one', tools: [{ name: 'a' }] })`) })

  const catalogue = await hub.catalogue({ servers: ['one', 'one'] })

  expect(catalogue.servers).toHaveLength(1)
  expect(catalogue.tools.map((tool) => tool.modelName)).toEqual(['one__a'])
})

test('names that every object inherits are ordinary names, for servers, tools, prompts and arguments', async () => {
  const entry = inlineServer(`
    const names = ${JSON.stringify(inherited)}
    const required = names.map((name) => ({ name, required: true }))
    serveRaw({
      name: 'inherited',
      tools: names.map((name) => ({ name, inputSchema: object, run: (args) => JSON.stringify(args) })),
      prompts: [...names.map((name) => ({ name })), { name: 'needs', arguments: required }],
    })
  `)
  await using hub = await openTestHub({ constructor: entry })
  const args = JSON.parse('{"__proto__":1,"constructor":2}') as JsonObject

  const { tools, prompts } = await hub.catalogue()
  const texts = await Promise.all(inherited.map((tool) => hub.call({ server: 'constructor', tool }, args)))

  expect(tools.map((tool) => tool.tool).toSorted()).toEqual(inherited.toSorted())
  expect(prompts.map((prompt) => prompt.prompt)).toEqual(expect.arrayContaining(inherited))
  expect(new Set(texts.map(textOf))).toEqual(new Set(['{"__proto__":1,"constructor":2}']))
  for (const server of ['toString', '__proto__']) {
    await expect(hub.call({ server, tool: 'x' }, {})).rejects.toMatchObject({ code: 'server_unknown' })
  }
  await expect(hub.prompt({ server: 'constructor', prompt: 'needs' }, {})).rejects.toThrow('"toString" is missing')
})

test('a server that offers nothing is listed with nothing', async () => {
  await using hub = await openTestHub({ bare: inlineServer(`serveRaw({ name: 'bare' })`) })

  expect(await hub.catalogue()).toEqual({ ...noLists, servers: [{ kind: 'listed', server: 'bare' }] })
})

test('a page with very many tools arrives whole', async () => {
  const entry = inlineServer(`
    const tools = Array.from({ length: 150_000 }, (_, index) => ({ name: 't' + index }))
    serveRaw({ name: 'many', tools })
  `)
  await using hub = await openTestHub({ many: entry })

  const { tools } = await hub.catalogue({ kinds: ['tools'] })

  expect(tools).toHaveLength(150_000)
})

test('items without a name are left out with the reason, whatever else they hold', () => {
  const items: readonly JsonObject[] = [{ name: 'ok' }, {}, { name: '' }, { name: 5 }, { title: 'x' }]

  const { entries, leftOut } = readList('tools', 's', items)

  expect(entries.map((tool) => tool.tool)).toEqual(['ok'])
  expect(leftOut).toHaveLength(4)
})

test('the catalogue does not depend on the order in which servers answered', () => {
  const listing = (server: string) => ({
    coverage: { kind: 'listed', server } as const,
    lists: { ...noLists, tools: readList('tools', server, [{ name: 'b' }, { name: 'a' }]).entries },
  })

  const one = buildCatalogue([listing('x'), listing('y')])
  const other = buildCatalogue([listing('y'), listing('x')])

  expect(one).toEqual(other)
  expect(one.tools.map((tool) => tool.id)).toEqual(['x.a', 'x.b', 'y.a', 'y.b'])
})

test('a difference names what was added, removed and changed, and is nothing when nothing is', () => {
  const before = readList('tools', 's', [{ name: 'stays' }, { name: 'goes' }, { name: 'changes' }]).entries
  const after = readList('tools', 's', [
    { name: 'comes' },
    { name: 'changes', title: 'new' },
    { name: 'stays' },
  ]).entries

  expect(differenceOf('tools', before, after)).toEqual({
    kind: 'tools',
    added: ['comes'],
    removed: ['goes'],
    changed: ['changes'],
  })
  expect(differenceOf('tools', before, [...before].toReversed())).toBeUndefined()
})
