import { expect, test } from 'vitest'
import { command } from '../../../src/cli/commands/search.ts'
import { displayWidth } from '../../../src/cli/render/width.ts'
import type { Catalogue } from '../../../src/hub/api.ts'
import { failed, literalHub, ready, toolOf, untrusted } from '../literal-hub.ts'
import { record } from '../recorded-context.ts'

const catalogue: Partial<Catalogue> = {
  tools: [
    toolOf('forge', 'create_issue', { description: 'Opens an issue. It may have labels.' }),
    toolOf('forge', 'list_issues', { description: `Shows issues ${'one by one '.repeat(20)}.` }),
    toolOf('notes', 'create_note', { description: '\u001b[31mWrites\u001b[0m a note' }),
  ],
}
const both = { statuses: [ready('forge'), ready('notes')], catalogue }

test('each hit is a line with the tool, the words that were found and its first sentence, the best first', async () => {
  const { code, out, err } = await record(command, { hub: literalHub(both), positionals: ['create', 'isue'] })

  expect(out.split('\n')[0]).toBe('forge.create_issue  create isue  Opens an issue.')
  expect(out.split('\n')).toHaveLength(4)
  expect(err).toBe('')
  expect(code).toBe(0)
})

test('words may come as one argument or as several', async () => {
  const [one, several] = await Promise.all(
    [['create issue'], ['create', 'issue']].map((positionals) =>
      record(command, { hub: literalHub(both), positionals }),
    ),
  )

  expect(one?.out).toBe(several?.out)
})

test.each([30, 60, 120])('no line is wider than a terminal of %i columns', async (columns) => {
  const io = { stdoutIsTerminal: true, columns, env: { NO_COLOR: '1' } }

  const { out } = await record(command, { hub: literalHub(both), io, positionals: ['issue', 'create', 'one', 'open'] })

  expect(Math.max(...out.split('\n').map(displayWidth))).toBeLessThanOrEqual(columns)
  expect(out).toContain('forge.list_issues')
})

test('control sequences of a server or of the query never reach the screen', async () => {
  const found = await record(command, { hub: literalHub(both), positionals: ['note'] })
  const missed = await record(command, { hub: literalHub(both), positionals: ['\u001b[2Jzzzz'] })

  expect(found.out).toContain('Writes a note')
  expect(found.out + missed.err).not.toContain('\u001b')
})

test('with --json one value holds the query and the hits with score, words, places and the whole definition', async () => {
  const { out } = await record(command, {
    hub: literalHub(both),
    flags: { json: true },
    positionals: ['create', 'note'],
  })

  const { query, hits, servers } = JSON.parse(out)
  expect(query).toBe('create note')
  expect(hits[0]).toEqual({
    tool: catalogue.tools?.[2],
    score: expect.closeTo(0.5, 0),
    terms: ['create', 'note'],
    fields: ['name', 'server', 'description'],
  })
  expect(servers).toEqual([
    { kind: 'listed', server: 'forge' },
    { kind: 'listed', server: 'notes' },
  ])
})

test('only tools are asked for, and only of the servers that were named', async () => {
  const hub = literalHub(both)

  const { out } = await record(command, { hub, values: { server: ['notes'] }, positionals: ['create'] })

  expect(hub.asked.map(({ servers, kinds }) => ({ servers, kinds }))).toEqual([
    { servers: ['notes'], kinds: ['tools'] },
  ])
  expect(out).not.toContain('forge')
})

test('a server that is not there is refused with the closest name', async () => {
  const searching = record(command, { hub: literalHub(both), values: { server: ['frge'] }, positionals: ['create'] })

  await expect(searching).rejects.toMatchObject({ code: 'server_unknown', message: expect.stringContaining('forge') })
})

test('a disabled server that was asked for by name is refused with the command that enables it', async () => {
  const hub = literalHub({ statuses: [{ name: 'off', state: { kind: 'disabled' } }] })

  const searching = record(command, { hub, values: { server: ['off'] }, positionals: ['create'] })

  await expect(searching).rejects.toMatchObject({ code: 'server_disabled', next: 'Run: capstan enable off' })
})

test('--limit says how many lines there are at most', async () => {
  const { out } = await record(command, { hub: literalHub(both), values: { limit: '1' }, positionals: ['create'] })

  expect(out.trim().split('\n')).toHaveLength(1)
})

test.each(['0', '-1', '2.5', 'many', ''])('a --limit of %j is refused before any server is started', async (limit) => {
  const searching = record(command, { values: { limit }, positionals: ['create'] })

  await expect(searching).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(`"${limit}"`) })
})

test.each([[[]], [['', '  ']]])(
  'no words at all, as in %j, are refused before any server is started',
  async (positionals) => {
    await expect(record(command, { positionals })).rejects.toMatchObject({ code: 'usage' })
  },
)

test('finding nothing is said on stderr with what to do next, and is no failure', async () => {
  const text = await record(command, { hub: literalHub(both), positionals: ['zzzzzz'] })
  const json = await record(command, { hub: literalHub(both), positionals: ['zzzzzz'], flags: { json: true } })

  expect(text).toEqual({
    code: 0,
    out: '',
    err: 'Nothing among 3 tools of 2 servers matches "zzzzzz". Try other words, or see them all: capstan list\n',
  })
  expect(JSON.parse(json.out).hits).toEqual([])
  expect(json.code).toBe(0)
})

test('without any server it says how to add one', async () => {
  const { code, out, err } = await record(command, { hub: literalHub({ statuses: [] }), positionals: ['create'] })

  expect(err).toContain('capstan add')
  expect([code, out]).toEqual([0, ''])
})

test('a server that is down is named on stderr, and the tools of the others are searched', async () => {
  const hub = literalHub({ ...both, statuses: [...both.statuses, failed('broken')] })

  const { code, out, err } = await record(command, { hub, positionals: ['create'] })

  expect(out).toContain('forge.create_issue')
  expect(err).toContain('broken: Server "broken" cannot start.')
  expect(code).toBe(0)
})

test.each([
  [failed('broken'), 3, 'start_failed'],
  [untrusted('strange'), 5, 'not_trusted'],
])('when no server answered that is the news, not that nothing was found', async (status, exitCode, error) => {
  const hub = literalHub({ statuses: [status] })

  const { code, out, err } = await record(command, { hub, positionals: ['create'], flags: { json: true } })

  expect(code).toBe(exitCode)
  expect(JSON.parse(out).error.code).toBe(error)
  expect(err).not.toContain('Nothing')
})
