import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editServerFile, readServerFile, type ServerEdit } from '../../src/config/edit.ts'
import { tempFolder } from './temp-folder.ts'

const put = (name: string): ServerEdit => ({ kind: 'put', name, entry: { command: name } })
const remove = (name: string): ServerEdit => ({ kind: 'remove', name })
const disable = (name: string): ServerEdit => ({ kind: 'set', name, field: 'disabled', value: true })
const enable = (name: string): ServerEdit => ({ kind: 'set', name, field: 'disabled', value: undefined })

async function edited(text: string, ...edits: readonly ServerEdit[]): Promise<string> {
  await using folder = await tempFolder()
  const file = join(folder.path, 'mcp.json')
  await writeFile(file, text)
  await editServerFile(file, edits)
  return await readFile(file, 'utf8')
}

const commented = `{
  // Our team's servers.
  "mcpServers": {
    "one": { "command": "one" }, // the first
    // The second is for work.
    "two": {
      "command": "two", // two
      "args": ["a", "b"]
    } /* ends two */
    // nothing below
  },
  "other": [1,2,  3]
}
`

test('a new server goes behind the last one and every comment keeps its place', async () => {
  expect(await edited(commented, put('three'))).toBe(
    commented.replace(
      `    } /* ends two */
    // nothing below
`,
      `    }, /* ends two */
    // nothing below
    "three": {
      "command": "three"
    }
`,
    ),
  )
})

test('removing the first server takes its own line comment and leaves the one above the next', async () => {
  expect(await edited(commented, remove('one'))).toBe(
    commented.replace('    "one": { "command": "one" }, // the first\n', ''),
  )
})

test('removing the last server leaves the comments around it and no dangling comma', async () => {
  expect(await edited(commented, remove('two'))).toBe(`{
  // Our team's servers.
  "mcpServers": {
    "one": { "command": "one" } // the first
    // The second is for work.
    // nothing below
  },
  "other": [1,2,  3]
}
`)
})

test('a field is set inside a one-line entry without unfolding it', async () => {
  expect(await edited(commented, disable('one'))).toBe(
    commented.replace('{ "command": "one" }', '{ "command": "one", "disabled": true }'),
  )
})

test('setting a field and taking it away again gives back the same bytes', async () => {
  expect(await edited(commented, disable('one'), enable('one'))).toBe(commented)
  expect(await edited(commented, disable('two'), enable('two'))).toBe(commented)
})

test('replacing a server changes only its own entry', async () => {
  const changed = await edited(commented, { kind: 'put', name: 'one', entry: { url: 'https://a.example/mcp' } })

  expect(changed).toBe(commented.replace('{ "command": "one" }', '{\n      "url": "https://a.example/mcp"\n    }'))
})

test.each([
  [
    'tabs',
    '{\n\t"mcpServers": {\n\t\t"a": {}\n\t}\n}\n',
    '{\n\t"mcpServers": {\n\t\t"a": {},\n\t\t"b": {\n\t\t\t"command": "b"\n\t\t}\n\t}\n}\n',
  ],
  [
    'four spaces',
    '{\n    "mcpServers": {}\n}',
    '{\n    "mcpServers": {\n        "b": {\n            "command": "b"\n        }\n    }\n}',
  ],
  [
    'Windows line ends',
    '{\r\n  "mcpServers": {}\r\n}\r\n',
    '{\r\n  "mcpServers": {\r\n    "b": {\r\n      "command": "b"\r\n    }\r\n  }\r\n}\r\n',
  ],
  ['a byte order mark', '\uFEFF{"mcpServers": {"a": {}}}', '\uFEFF{"mcpServers": {"a": {}, "b": {"command":"b"}}}'],
  [
    'trailing commas',
    '{\n  "mcpServers": {\n    "a": {},\n  },\n}\n',
    '{\n  "mcpServers": {\n    "a": {},\n    "b": {\n      "command": "b"\n    },\n  },\n}\n',
  ],
  ['the name VS Code uses', '{"servers": {"a": {}}}', '{"servers": {"a": {}, "b": {"command":"b"}}}'],
  [
    'no servers object yet',
    '{\n  "theme": "dark"\n}\n',
    '{\n  "theme": "dark",\n  "mcpServers": {\n    "b": {\n      "command": "b"\n    }\n  }\n}\n',
  ],
  ['nothing at all', '', '{\n  "mcpServers": {\n    "b": {\n      "command": "b"\n    }\n  }\n}\n'],
])('a file with %s stays in its own style', async (_what, before, after) => {
  expect(await edited(before, put('b'))).toBe(after)
})

test('removing the only server leaves an empty object', async () => {
  expect(await edited('{\n  "mcpServers": {\n    "a": {}\n  }\n}\n', remove('a'))).toBe('{\n  "mcpServers": {}\n}\n')
})

test('a missing file is made with its folders, for its owner alone', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'config', 'capstan', 'mcp.json')

  await editServerFile(file, [put('a')])

  expect(await readServerFile(file)).toEqual(new Map([['a', { command: 'a' }]]))
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(join(folder.path, 'config'))).mode & 0o777).toBe(0o700)
})

test('a file that does not parse is refused with line and column and left as it is', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'mcp.json')
  const broken = '{\n  "mcpServers": {\n    "a": {} "b": {}\n  }\n}\n'
  await writeFile(file, broken)

  await expect(editServerFile(file, [put('c')])).rejects.toMatchObject({
    code: 'config_invalid',
    message: `${file}:3:13: comma expected.`,
  })
  expect(await readFile(file, 'utf8')).toBe(broken)
})

test.each(['[]', '"text"', '{"mcpServers": []}'])(
  'a file that holds %s instead of servers is refused',
  async (text) => {
    await expect(edited(text, put('a'))).rejects.toMatchObject({ code: 'config_invalid' })
  },
)

test('a name that stands twice is refused instead of editing the one that does not count', async () => {
  const text = '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}'

  await expect(edited(text, disable('a'))).rejects.toMatchObject({ code: 'config_invalid' })
})

test('when one of several edits cannot be done, none is', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'mcp.json')
  await writeFile(file, commented)

  await expect(editServerFile(file, [put('new'), remove('absent')])).rejects.toMatchObject({ code: 'server_unknown' })
  expect(await readFile(file, 'utf8')).toBe(commented)
})

test('a symbolic link stays one and its target keeps its permissions', async () => {
  await using folder = await tempFolder()
  await mkdir(join(folder.path, 'dotfiles'))
  const target = join(folder.path, 'dotfiles', 'mcp.json')
  const link = join(folder.path, 'mcp.json')
  await writeFile(target, commented)
  await chmod(target, 0o640)
  await symlink('dotfiles/mcp.json', link)

  await editServerFile(link, [put('three')])

  expect(await readlink(link)).toBe('dotfiles/mcp.json')
  expect((await readServerFile(target)).has('three')).toBe(true)
  expect((await stat(target)).mode & 0o777).toBe(0o640)
})

test('edits made at the same time all arrive, and nothing else is left in the folder', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'mcp.json')
  const names = Array.from({ length: 20 }, (_, index) => `server-${index}`)

  await Promise.all(names.map((name) => editServerFile(file, [put(name)])))

  expect([...(await readServerFile(file)).keys()].sort()).toEqual(names.sort())
  expect(await readdir(folder.path)).toEqual(['mcp.json'])
})

test('any sequence of edits leaves exactly the servers that a map would hold', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'mcp.json')
  const name = fc.constantFrom('a', 'b', 'c', 'd')
  const edit = fc.oneof(
    fc.record({
      kind: fc.constant('put' as const),
      name,
      entry: fc.dictionary(fc.constantFrom('command', 'args', 'env'), fc.jsonValue().map(jsonOf)),
    }),
    fc.record({ kind: fc.constant('remove' as const), name }),
    fc.record({
      kind: fc.constant('set' as const),
      name,
      field: fc.constantFrom('disabled', 'env'),
      value: fc.option(fc.boolean(), { nil: undefined }),
    }),
  )
  const layout = fc.constantFrom(
    '',
    commented,
    '{"mcpServers":{}}',
    '{"mcpServers":{"a":{"env":{}},},}',
    '{ // c\n"mcpServers"\n:\n{/* x */}\n}',
  )

  await fc.assert(
    fc.asyncProperty(layout, fc.array(edit, { maxLength: 8 }), async (text, edits) => {
      await writeFile(file, text)
      const model = new Map(await readServerFile(file))
      for (const step of edits) {
        const known = model.get(step.name)
        if (step.kind === 'put') model.set(step.name, step.entry)
        else if (known === undefined) continue
        else if (step.kind === 'remove') model.delete(step.name)
        else {
          const { [step.field]: _old, ...others } = known
          model.set(step.name, step.value === undefined ? others : { ...known, [step.field]: step.value })
        }
        await editServerFile(file, [step])
      }

      expect(Object.fromEntries(await readServerFile(file))).toEqual(Object.fromEntries(model))
      const comments = text.match(/\/\/ (?:Our|The|nothing|c$).*/gm) ?? []
      const after = await readFile(file, 'utf8')
      expect(comments.every((comment) => after.includes(comment))).toBe(true)
    }),
    { numRuns: 150 },
  )
})

// JSON has no -0.
function jsonOf(value: unknown) {
  return JSON.parse(JSON.stringify(value))
}
