import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Answer, Ask } from '../../src/hub/api.ts'
import { builtinServers } from '../../src/daemon/builtins.ts'
import { loadTrustedConfig } from '../../src/config/load-trusted.ts'
import { openHub } from '../../src/hub/hub.ts'
import { tempFolder } from '../config/temp-folder.ts'
import { world } from '../e2e/cli.ts'
import { fixture } from '../fixtures/fixture.ts'
import { promptOf } from './makers.ts'

async function hubAt(home: string) {
  const config = await loadTrustedConfig({ env: { HOME: home, PATH: process.env['PATH'] }, cwd: home })
  return await openHub(config, { builtins: builtinServers(config, false) })
}

test('every hub has the prompts of the library, two tools, and completion, with no set-up', async () => {
  await using home = await tempFolder()
  await using hub = await hubAt(home.path)

  const { tools, prompts, resources } = await hub.catalogue()
  const rendered = await hub.prompt({ server: 'prompts', prompt: 'fix_bugs' }, { code: 'x = 1' })
  const completed = await hub.complete({ server: 'prompts', prompt: 'code_review' }, { name: 'focus', value: 'sec' })
  const found = await hub.call({ server: 'prompts', tool: 'search_prompts' }, { query: 'outage' })

  expect(tools.map(({ id }) => id)).toEqual(['prompts.get_prompt', 'prompts.search_prompts'])
  expect(prompts.map(({ id }) => id)).toContain('prompts:code_review')
  expect(resources).toEqual([])
  expect(JSON.stringify(rendered.messages)).toContain('x = 1')
  expect(completed.values).toEqual(['security'])
  expect(JSON.stringify(found.structuredContent)).toContain('incident_response')
  expect(await hub.servers()).toMatchObject([
    { name: 'prompts', isBuiltin: true, state: { kind: 'ready', transport: 'memory' } },
  ])
})

test('get_prompt asks whoever called for what is missing', async () => {
  await using home = await tempFolder()
  await using hub = await hubAt(home.path)
  const asked: Ask[] = []
  const answering = (answer: Answer) => ({
    onAsk: async (ask: Ask) => {
      asked.push(ask)
      return answer
    },
  })
  const getPrompt = { server: 'prompts', tool: 'get_prompt' }

  const given = await hub.call(getPrompt, { name: 'fix_bugs' }, answering({ action: 'accept', content: { code: 'y' } }))
  const declined = hub.call(getPrompt, { name: 'fix_bugs' }, answering({ action: 'decline' }))

  await expect(declined).rejects.toMatchObject({
    code: 'arguments_invalid',
    message: expect.stringContaining('"code"'),
  })
  expect(JSON.stringify(given.content)).toContain('y')
  expect(asked).toMatchObject([{ kind: 'form', server: 'prompts', schema: { required: ['code'] } }, {}])
})

test('what is not there is told as for any other server', async () => {
  await using home = await tempFolder()
  await using hub = await hubAt(home.path)

  await expect(hub.prompt({ server: 'prompts', prompt: 'nope' }, {})).rejects.toMatchObject({ code: 'prompt_unknown' })
  await expect(hub.call({ server: 'prompts', tool: 'create_prompt' }, {})).rejects.toMatchObject({
    code: 'tool_unknown',
  })
  await expect(hub.read({ server: 'prompts', uri: 'skill://x/SKILL.md' })).rejects.toMatchObject({
    code: 'server_error',
  })
})

test('a prompt that is written by hand appears while the hub runs', async () => {
  await using home = await tempFolder()
  await home.write({ '.local/share/capstan/prompts/user.jsonl': '' })
  await using hub = await hubAt(home.path)
  await hub.catalogue({ kinds: ['prompts'] })
  const changed = Promise.withResolvers<readonly string[]>()
  using _listening = hub.on((event) => {
    if (event.kind === 'catalogue') changed.resolve(event.difference.added)
  })

  await appendFile(join(home.path, '.local/share/capstan/prompts/user.jsonl'), `${JSON.stringify(promptOf('mine'))}\n`)

  expect(await changed.promise).toEqual(['mine'])
})

test("a project's prompts are there once they are approved", async () => {
  await using home = await world()
  await home.write({ '.git/HEAD': '', '.capstan/prompts/prompts.jsonl': `${JSON.stringify(promptOf('ours'))}\n` })

  const before = await home.capstan(['list', '--prompts'])
  const trusted = await home.capstan(['list', '--prompts', '--trust-project'])

  expect(before.stdout).not.toContain('prompts:ours')
  expect(trusted.stdout).toContain('prompts:ours')
})

test('people see it where they ask for prompts or name it, and else their own servers alone', async () => {
  await using home = await world()
  await home.write({ '~/.config/capstan/mcp.json': { mcpServers: { echo: fixture('echo') } } })

  const tools = await home.capstan(['list'])
  const prompts = await home.capstan(['list', '--prompts'])
  const cached = await home.capstan(['list', '--prompts'])
  const named = await home.capstan(['list', 'prompts'])
  const inspected = await home.capstan(['inspect', 'prompts:code_review'])
  const overview = await home.capstan([])
  const found = await home.capstan(['search', 'prompts'])

  expect(tools.stdout).not.toContain('prompts')
  for (const { stdout } of [prompts, cached])
    expect(stdout).toMatch(/^prompts {2}10 prompts.*\n {2}prompts:code_review/m)
  expect(cached.stdout).toContain('seen')
  expect(named.stdout).toContain('search_prompts')
  expect(inspected.stdout).toContain('code=CODE')
  expect(overview.stdout).not.toMatch(/^\W*prompts /m)
  expect(found.stdout).not.toContain('prompts.')
})

test('an entry of that name takes its place, and disabled turns it off', async () => {
  await using home = await world()
  const write = (entry: unknown) => home.write({ '~/.config/capstan/mcp.json': { mcpServers: { prompts: entry } } })

  await write(fixture('echo'))
  const replaced = await home.capstan(['list', 'prompts', '--json'])
  await write({ disabled: true })
  const off = await home.capstan(['prompt', 'prompts:code_review', 'code=x'])
  await home.capstan(['enable', 'prompts'])
  const on = await home.capstan(['prompt', 'prompts:code_review', 'code=x'])

  expect(replaced.stdout).toContain('"echo"')
  expect(off).toMatchObject({ code: 2, stderr: expect.stringContaining('disabled') })
  expect(on.code).toBe(0)
})

test("Tab completes the library's prompts and their arguments, though nothing runs", async () => {
  await using home = await world()
  const complete = async (line: string) =>
    (await home.capstan(['completion', 'zsh', `--line=capstan ${line}`])).stdout
      .split('\n')
      .map((row) => row.split('\t')[0])

  expect(await complete('prompt prompts:code')).toContain('prompts:code_review')
  expect(await complete('prompt prompts:code_review focus=sec')).toContain('security')
})
