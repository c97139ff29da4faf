import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { world, type World } from './cli.ts'
import { startsIn, traced } from './traced-server.ts'

async function twoServers(): Promise<World & { readonly trace: string }> {
  const home = await world()
  const trace = join(home.cwd, 'trace')
  await home.write({
    '~/.config/capstan/mcp.json': { mcpServers: { a: fixture('echo'), b: traced(trace), c: fixture('paged') } },
  })
  return { ...home, trace }
}

test.concurrent.each([
  ['server.tool', ['call', 'a.echo', 'message=hi'], 'hi\n'],
  ['mcp.server.tool', ['call', 'mcp.a.echo', 'message=hi'], 'hi\n'],
  ['server/tool', ['call', 'a/echo', 'message=hi'], 'hi\n'],
  ['the name that models see', ['call', 'a__echo', 'message=hi'], 'hi\n'],
  ['invoke for call', ['invoke', 'a.echo', 'message=hi'], 'hi\n'],
  ['flags before the verb', ['--timeout', '20', 'call', 'a.echo', 'message=hi'], 'hi\n'],
  ['server:prompt', ['prompt', 'a:greet', 'who=Ada'], '[user]\nSay hello to Ada.\n'],
  ['/server:prompt', ['prompt', '/a:greet', 'who=Ada'], '[user]\nSay hello to Ada.\n'],
])('%s is understood, and no other server is started for it', async (_what, args, expected) => {
  await using home = await twoServers()

  const { stdout, stderr } = await home.capstan(args)

  expect([stdout, stderr, startsIn(home.trace)]).toEqual([expected, '', 0])
})

test.concurrent('a bare name that only one server has is enough', async () => {
  await using home = await twoServers()

  const { code } = await home.capstan(['call', 'tool-3'])

  expect(code).toBe(0)
})

test.concurrent('a bare name that several servers have is refused with all of them', async () => {
  await using home = await twoServers()

  const { code, stderr } = await home.capstan(['call', 'echo', 'message=hi'])

  expect(code).toBe(2)
  expect(stderr).toMatch(/a\.echo, b\.echo\.\n {2}→ Write the full name/)
})

test.concurrent.each([
  ['a tool', ['call', 'a.ecko', 'message=x'], 'Closest: a.echo'],
  ['a prompt', ['prompt', 'a:gret'], 'Closest: a:greet'],
  ['a name to inspect', ['inspect', 'a.ecko'], 'Closest: a.echo'],
  ['a verb', ['insepct', 'a'], 'Did you mean: capstan inspect'],
])('a typing error in %s gets the closest names and exit code 2', async (_what, args, hint) => {
  await using home = await twoServers()

  const { code, stdout, stderr } = await home.capstan(args)

  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(hint)
})

test.concurrent('a resource that two servers have wants a server, and --server names it', async () => {
  await using home = await twoServers()

  const unclear = await home.capstan(['read', 'note://one'])
  const clear = await home.capstan(['read', 'note://one', '--server', 'a'])

  expect(unclear).toMatchObject({ code: 2, stderr: expect.stringContaining('a, b') })
  expect(clear).toMatchObject({ code: 0, stdout: '# One\n' })
})

test.concurrent('a server that is not there is refused by read --server with the closest name', async () => {
  await using home = await twoServers()

  const { code, stderr } = await home.capstan(['read', 'note://one', '--server', 'aa'])

  expect(code).toBe(2)
  expect(stderr).toContain('aa')
})

test.concurrent('--list-prompts lists prompts, as older tools spell it', async () => {
  await using home = await twoServers()

  const [flag, verb] = await Promise.all([
    home.capstan(['--list-prompts', 'a', '--json']),
    home.capstan(['list', '--prompts', 'a', '--json']),
  ])

  const idsIn = (text: string) =>
    (JSON.parse(text) as { prompts: readonly { id: string }[] }).prompts.map(({ id }) => id)
  expect(idsIn(flag.stdout)).toEqual(['a:greet', 'a:plain', 'a:talk'])
  expect(idsIn(flag.stdout)).toEqual(idsIn(verb.stdout))
})
