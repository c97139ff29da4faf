import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadTrustedConfig } from '../../src/config/load-trusted.ts'
import { decideTrust, trustRequests } from '../../src/config/trust-requests.ts'
import { tempFolder, type TempFolder } from './temp-folder.ts'

const entry = (command: string) => ({ command })
const file = (mcpServers: object) => JSON.stringify({ mcpServers })

async function place(files: Readonly<Record<string, string>>) {
  const folder = await tempFolder()
  await folder.write({ 'home/': '', 'project/.git/': '', ...files })
  return folder
}

function load({ path }: TempFolder, options: { readonly cwd?: string; readonly env?: object } = {}) {
  const env = { HOME: join(path, 'home'), ...options.env }
  return loadTrustedConfig({ env, cwd: join(path, options.cwd ?? 'project'), clients: ['pi'] })
}

test('the servers of a client stand beside ours, and before ours of the same name', async () => {
  await using folder = await place({
    'home/.config/capstan/mcp.json': file({ ours: entry('a'), both: entry('a') }),
    'home/.pi/agent/mcp.json': file({ theirs: entry('b'), both: entry('b') }),
  })

  const { servers } = await load(folder)

  expect(servers.map(({ name, entry: { command } }) => [name, command])).toEqual([
    ['both', 'b'],
    ['ours', 'a'],
    ['theirs', 'b'],
  ])
})

test('a server of a client’s project file waits for a person, who can approve it', async () => {
  await using folder = await place({
    'project/.pi/mcp.json': file({ found: { command: 'run', args: ['x'], env: { A: '\u202Eb' } } }),
  })

  const before = await load(folder)
  const requests = await trustRequests(before)
  await decideTrust(requests, 'trusted', before.surroundings.env)
  const after = await load(folder)

  expect(before.servers[0]?.standing).toMatchObject({ kind: 'untrusted', change: 'new' })
  expect(requests).toMatchObject([{ name: 'found', projectFile: join(folder.path, 'project/.pi/mcp.json') }])
  expect(requests[0]?.lines).toEqual(['command: run', 'args: ["x"]', 'env.A: \\u{202e}b'])
  expect(after.servers[0]?.standing.kind).toBe('usable')
  expect(await trustRequests(after)).toEqual([])
})

test('a changed entry is described by its difference', async () => {
  await using folder = await place({ 'project/.pi/mcp.json': file({ found: entry('old') }) })
  const first = await load(folder)
  await decideTrust(await trustRequests(first), 'trusted', first.surroundings.env)
  await folder.write({ 'project/.pi/mcp.json': file({ found: entry('new') }) })

  const [request] = await trustRequests(await load(folder))

  expect(request?.lines).toEqual(['command: old → new'])
})

test('a project’s file is found from a folder below, and one that stands there comes before it', async () => {
  await using folder = await place({
    'project/.pi/mcp.json': file({ root: entry('a'), both: entry('a') }),
    'project/part/.pi/mcp.json': file({ part: entry('b'), both: entry('b') }),
  })

  const { servers } = await load(folder, { cwd: 'project/part' })

  expect(servers.map(({ name, entry: { command } }) => `${name} ${JSON.stringify(command)}`)).toEqual([
    'both "b"',
    'part "b"',
    'root "a"',
  ])
})

test('a project can switch a server of the person’s off, and change nothing else about it', async () => {
  await using folder = await place({
    'home/.pi/agent/mcp.json': file({ one: entry('a'), two: entry('a') }),
    'project/.pi/mcp.json': file({ one: { enabled: false }, two: { exposure: 'direct' } }),
  })

  const { servers } = await load(folder)

  expect(servers.map(({ name, standing }) => `${name} ${standing.kind}`)).toEqual(['one disabled', 'two usable'])
})

test('an entry that would start Capstan is left out, and names that do not fit become ones that do', async () => {
  await using folder = await place({
    'home/.pi/agent/mcp.json': file({
      hub: { command: 'npx', args: ['capstan', 'serve'] },
      'my files': entry('a'),
    }),
  })

  const { servers } = await load(folder)

  expect(servers.map(({ name }) => name)).toEqual(['my-files'])
})

test('a broken file of a client is a warning that names it, and hides nothing', async () => {
  await using folder = await place({
    'home/.config/capstan/mcp.json': file({ ours: entry('a') }),
    'home/.pi/agent/mcp.json': '{ "mcpServers": {',
  })

  const { servers, warnings } = await load(folder)

  expect(servers.map(({ name }) => name)).toEqual(['ours'])
  expect(warnings).toEqual([expect.stringContaining(join(folder.path, 'home/.pi/agent/mcp.json'))])
})

test('files that the person names replace those of clients too', async () => {
  await using folder = await place({
    'named.json': file({ named: entry('a') }),
    'home/.pi/agent/mcp.json': file({ theirs: entry('b') }),
  })

  const { servers } = await load(folder, { env: { CAPSTAN_CONFIG: join(folder.path, 'named.json') } })

  expect(servers.map(({ name }) => name)).toEqual(['named'])
})
