import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { command as add } from '../../../src/cli/commands/add.ts'
import { command as config } from '../../../src/cli/commands/config.ts'
import { command as review } from '../../../src/cli/commands/review.ts'
import { parseEntry } from '../../../src/config/entry.ts'
import type { Config } from '../../../src/config/types.ts'
import { CapstanError } from '../../../src/errors.ts'
import { workbench } from '../workbench.ts'

const token = `ghp_${'a1B2'.repeat(9)}`
const user = { layer: 'user', file: '/home/.config/capstan/mcp.json' } as const
const project = { layer: 'project', file: '/project/.mcp.json' } as const
const usable = parseEntry({ command: 'npx' }, { name: 'usable' }).server

const merged: Config = {
  servers: [
    {
      name: 'both',
      entry: { command: 'theirs' },
      origin: project,
      standing: { kind: 'untrusted', change: 'changed' },
      shadows: [{ entry: { command: 'mine', env: { API_TOKEN: token } }, origin: user }],
    },
    {
      name: 'broken',
      entry: {},
      origin: user,
      standing: { kind: 'invalid', error: new CapstanError('config_missing_field', 'broken has no command.') },
    },
    {
      name: 'github',
      entry: { command: 'npx', args: ['-y', 'gh'], env: { GITHUB_TOKEN: token, HOST: '${HOST}' } },
      origin: user,
      standing: { kind: 'usable', server: usable },
    },
    {
      name: 'off',
      entry: { url: 'https://off.example/mcp', disabled: true },
      origin: user,
      standing: { kind: 'disabled' },
    },
  ],
  settings: { catalogueSeconds: 10 },
  surroundings: { env: {}, homeFolder: '/home', workspaceFolder: '/project', currentFolder: '/project' },
  files: [
    { path: user.file, layer: 'user' },
    { path: project.file, layer: 'project' },
  ],
  warnings: ['github: "comand" is not a field; did you mean "command"?'],
}

test('shows every server, where it comes from, what it replaces, how it stands, the files and the warnings', async () => {
  await using bench = await workbench()

  const { code, printed } = await bench.run(config, [], { config: merged })

  expect(code).toBe(0)
  expect(printed).toBe(`both  has changed and waits for your approval: capstan review
  theirs
  from /project/.mcp.json (project)
  replaces mine from /home/.config/capstan/mcp.json (user)

broken  cannot be used: broken has no command.
  neither command nor url
  from /home/.config/capstan/mcp.json (user)

github  in use
  npx -y gh
  env.GITHUB_TOKEN: ghp_****
  env.HOST: \${HOST}
  from /home/.config/capstan/mcp.json (user)

off  disabled
  https://off.example/mcp
  disabled: true
  from /home/.config/capstan/mcp.json (user)

Files read; where two have the same name, the later one counts
  user     /home/.config/capstan/mcp.json
  project  /project/.mcp.json

Warnings
  github: "comand" is not a field; did you mean "command"?
`)
})

test('--json holds the same for programs and masks secrets, those of replaced entries too', async () => {
  await using bench = await workbench()

  const { printed } = await bench.run(config, [], { config: merged, flags: { json: true } })

  const shown = JSON.parse(printed)
  expect(shown.servers[0]).toEqual({
    name: 'both',
    layer: 'project',
    file: '/project/.mcp.json',
    standing: 'untrusted',
    change: 'changed',
    entry: { command: 'theirs' },
    replaces: [{ layer: 'user', file: user.file, entry: { command: 'mine', env: { API_TOKEN: 'ghp_****' } } }],
  })
  expect(shown.servers[1].error).toMatchObject({ code: 'config_missing_field' })
  expect(shown).toMatchObject({ files: merged.files, warnings: merged.warnings, settings: merged.settings })
  expect(printed).not.toContain(token)
})

test("follows the files: a project entry replaces the user's and waits until it is reviewed", async () => {
  await using bench = await workbench()
  await bench.run(add, ['x', '--', 'mine'])
  await writeFile(bench.projectFile, '{"mcpServers": {"x": {"command": "theirs"}}}')

  const before = await bench.run(config, [])
  await bench.run(review, ['x'])
  const after = await bench.run(config, [])

  expect(before.printed).toMatch(/^x {2}waits for your approval: capstan review\n {2}theirs\n/)
  expect(before.printed).toContain(`replaces mine from ${bench.userFile} (user)`)
  expect(after.printed).toMatch(/^x {2}in use\n {2}theirs\n/)
})

test('with no servers it says how to add one', async () => {
  await using bench = await workbench()

  const { printed } = await bench.run(config, [], { config: { ...merged, servers: [], files: [], warnings: [] } })

  expect(printed).toMatch(/^No servers are configured\. Add one: capstan add /)
})

test('"config path" prints the places without reading anything', async () => {
  await using bench = await workbench()

  const { printed } = await bench.run(config, ['path'], { flags: { json: true } })

  expect(JSON.parse(printed)).toMatchObject({
    servers: bench.userFile,
    project: bench.projectFile,
    state: `${bench.path}/home/.local/state/capstan`,
  })
  expect((await bench.run(config, ['path'])).printed).toContain(`servers   ${bench.userFile}\n`)
})

test('another word behind "config" is refused', async () => {
  await using bench = await workbench()

  await expect(bench.run(config, ['paths'])).rejects.toMatchObject({ code: 'usage' })
})
