import { expect, test } from 'vitest'
import type { Command } from '../../src/cli/command.ts'
import { reachFor } from '../../src/cli/reach.ts'
import type { ServerStatus } from '../../src/hub/api.ts'
import { failed, literalHub, ready, toolOf } from './literal-hub.ts'
import { record } from './recorded-context.ts'

/** A verb that only reaches for the name it is given. */
const reaching: Command = {
  options: {},
  help: '',
  run: async (context, { positionals: [name = ''] }) => {
    const { catalogue } = await reachFor(context, name, ['tools'])
    await context.io.out(catalogue.tools.map((tool) => tool.id).join(' '))
    return 0
  },
}

const off: ServerStatus = { name: 'off', state: { kind: 'disabled' } }
const statuses = [off, ready('one'), ready('two')]
const catalogue = { tools: [toolOf('one', 'a'), toolOf('two', 'b')] }

test.each([
  ['one.a', ['one']],
  ['mcp.one.a', ['one']],
  ['one/a', ['one']],
  ['one__a', ['one']],
  ['two:b', ['two']],
  ['a', ['one', 'two']],
  ['nobody.a', ['one', 'two']],
])('%s asks only the servers that can have it: %j', async (name, servers) => {
  const hub = literalHub({ statuses, catalogue })

  await record(reaching, { hub, positionals: [name] })

  expect(hub.asked).toMatchObject([{ servers, kinds: ['tools'] }])
})

test('one server that is down does not matter while another answers', async () => {
  const hub = literalHub({ statuses: [ready('one'), failed('two')], catalogue: { tools: [toolOf('one', 'a')] } })

  expect(await record(reaching, { hub, positionals: ['a'] })).toMatchObject({ out: 'one.a' })
})

test('when nobody answers who could have it, that is the error', async () => {
  const hub = literalHub({ statuses: [failed('one'), failed('two')] })

  const reach = record(reaching, { hub, positionals: ['a'] })

  await expect(reach).rejects.toMatchObject({ code: 'start_failed', server: 'one' })
})

test('without any server it says how to add one', async () => {
  const reach = record(reaching, { hub: literalHub({ statuses: [] }), positionals: ['a'] })

  await expect(reach).rejects.toMatchObject({ code: 'server_unknown', next: expect.stringContaining('capstan add') })
})
