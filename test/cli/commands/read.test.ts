import { expect, test } from 'vitest'
import { command as read } from '../../../src/cli/commands/read.ts'
import type { ConfiguredServer } from '../../../src/config/types.ts'
import type { Catalogue, ResourceRef } from '../../../src/hub/api.ts'
import { failed, literalHub, ready } from '../literal-hub.ts'
import { configOf, record, type Setting } from '../recorded-context.ts'

const names = ['one', 'two', 'gone']
const config = configOf(
  names.map((name): ConfiguredServer => ({
    name,
    entry: {},
    origin: { layer: 'user' },
    standing: { kind: 'untrusted', change: 'new' },
  })),
)
const resources: Catalogue['resources'] = [
  { server: 'one', uri: 'note://one', name: 'one' },
  { server: 'one', uri: 'note://both', name: 'both' },
  { server: 'two', uri: 'note://both', name: 'both' },
]
const templates: Catalogue['templates'] = [{ server: 'two', uriTemplate: 'person://{name}', name: 'person' }]

async function readWith(setting: Partial<Setting>) {
  const asked: ResourceRef[] = []
  const hub = {
    ...literalHub({ statuses: [ready('one'), ready('two'), failed('gone')], catalogue: { resources, templates } }),
    read: async (resource: ResourceRef) => {
      asked.push(resource)
      return {
        contents: [
          { uri: resource.uri, text: `from ${resource.server}` },
          { uri: resource.uri, blob: 'aGk=', mimeType: 'text/plain' },
        ],
      }
    },
  }
  const recorded = await record(read, { hub, config, ...setting })
  return { ...recorded, asked }
}

test.each([
  ['a resource that is listed', 'note://one', 'one'],
  ['a resource that fits a template', 'person://ada', 'two'],
])('%s is read from its server', async (_what, uri, server) => {
  const { code, out, asked } = await readWith({ positionals: [uri] })

  expect([code, out]).toEqual([0, `from ${server}\nhi`])
  expect(asked).toEqual([{ server, uri }])
})

test('--server is asked for whatever its lists say', async () => {
  const { asked } = await readWith({ positionals: ['odd://x'], values: { server: 'two' } })

  expect(asked).toEqual([{ server: 'two', uri: 'odd://x' }])
})

test('on a terminal bytes are named where they stand, not shown', async () => {
  const { out } = await readWith({ positionals: ['note://one'], io: { stdoutIsTerminal: true } })

  expect(out).toBe('from one\n[text/plain, 2 bytes; pass --save DIR to keep it]\n')
})

test('--json is the contents as they came', async () => {
  const { out } = await readWith({ positionals: ['note://one'], flags: { json: true } })

  expect(JSON.parse(out)).toMatchObject({ contents: [{ text: 'from one' }, { blob: 'aGk=' }] })
})

test('a resource that two servers have is refused with both names', async () => {
  await expect(readWith({ positionals: ['note://both'] })).rejects.toMatchObject({
    code: 'resource_unknown',
    message: expect.stringContaining('one, two'),
    next: expect.stringContaining('--server'),
  })
})

test('a resource that nobody has is refused, naming the servers that did not answer', async () => {
  await expect(readWith({ positionals: ['nope://x'] })).rejects.toMatchObject({
    code: 'resource_unknown',
    message: expect.stringContaining('These servers did not answer: gone.'),
  })
})

test.each([[[]], [['a://b', 'c://d']]])('it takes one URI, not %j', async (positionals) => {
  await expect(readWith({ positionals })).rejects.toMatchObject({ code: 'usage' })
})
