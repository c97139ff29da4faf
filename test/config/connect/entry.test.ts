import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { carriedVariables } from '../../../src/config/connect/carried-variables.ts'
import { gatewayEntry, modeFor } from '../../../src/config/connect/gateway-entry.ts'
import { skillFile, skillText } from '../../../src/config/connect/skill.ts'
import { clientIds, type ClientId } from '../../../src/config/import/clients.ts'
import { translateEntry } from '../../../src/config/import/translate.ts'
import { startsCapstan } from '../../../src/config/self.ts'

const program = { kind: 'program', command: '/opt/node', args: ['/opt/x.js', 'serve'], env: { PATH: '/bin' } } as const
const address = { kind: 'address', url: 'https://hub.example/mcp', headers: { Authorization: 'Bearer t' } } as const

describe.each(clientIds)('the entry for %s', (client) => {
  test('means the program with its arguments and variables, and is known for Capstan whatever the program is called', () => {
    const found = translateEntry(client, gatewayEntry(client, program) ?? null)

    expect(found).toMatchObject({
      kind: 'entry',
      entry: { command: '/opt/node', args: ['/opt/x.js', 'serve'], env: { PATH: '/bin', CAPSTAN_CLIENT: client } },
    })
    expect(found.kind === 'entry' && startsCapstan(found.entry)).toBe(true)
  })
})

test.each(clientIds.filter((client) => client !== 'claude-desktop'))(
  'the entry for %s means the address with its headers, and is known for Capstan too',
  (client) => {
    const found = translateEntry(client, gatewayEntry(client, address) ?? null)

    expect(found).toMatchObject({
      kind: 'entry',
      entry: { url: 'https://hub.example/mcp', headers: { Authorization: 'Bearer t', 'X-Capstan-Client': client } },
    })
    expect(found.kind === 'entry' && startsCapstan(found.entry)).toBe(true)
  },
)

test('the file of Claude Desktop takes no address', () => {
  expect(gatewayEntry('claude-desktop', address)).toBeUndefined()
})

test('clients that search tools themselves get all of them', () => {
  expect(clientIds.filter((client) => modeFor(client) === 'all')).toEqual(['claude-code', 'codex', 'pi'])
})

describe('carried variables', () => {
  const entries = [
    { command: 'a', env: { A: '${TOKEN}', B: '${env:REGION:-eu}', C: '${UNSET}', D: '$${LITERAL}' } },
    { url: 'https://x.example/${PLACE}', headers: { X: '${OUTER:-${INNER}}' } },
  ]
  const env = {
    PATH: '/bin',
    TOKEN: 't',
    REGION: 'r',
    LITERAL: 'l',
    PLACE: 'p',
    INNER: 'i',
    OTHER: 'o',
    XDG_DATA_HOME: '/d',
  }

  test('are PATH, places, and those that the entries name and that are set', () => {
    const carried = carriedVariables('cursor', entries, env)

    expect(carried.env).toEqual({ PATH: '/bin', XDG_DATA_HOME: '/d', TOKEN: 't', REGION: 'r', PLACE: 'p', INNER: 'i' })
  })

  test.each<[ClientId, string, boolean]>([
    ['gemini', 'a$b', true],
    ['cursor', 'a$b', false],
    ['cursor', 'a${b}', true],
    ['opencode', 'a{env:b}', true],
    ['opencode', 'a${b}', false],
    ['codex', 'a${b}$c{env:d}', false],
  ])('for %s a value such as %s is left out, because it would be filled in there: %s', (client, TOKEN, isLeftOut) => {
    const carried = carriedVariables(client, entries, { TOKEN })

    expect(carried.changedByClient).toEqual(isLeftOut ? ['TOKEN'] : [])
    expect(carried.env).toEqual(isLeftOut ? {} : { TOKEN })
  })

  test('leave out the folders that npm puts before the PATH of what it runs', () => {
    const PATH = '/home/ada/.npm/_npx/12/node_modules/.bin:/usr/lib/node_modules/npm/node-gyp-bin:/usr/bin'

    expect(carriedVariables('codex', [], { PATH, npm_command: 'exec' }).env).toEqual({ PATH: '/usr/bin' })
    expect(carriedVariables('codex', [], { PATH }).env).toEqual({ PATH })
  })
})

describe('the skill', () => {
  test.each([
    'capstan',
    'npx -y capstan',
    '/home/ada/.nvm/versions/node/v24.1.0/bin/node /home/ada/src/capstan/dist/cli/bin.js',
  ])('has at most 300 tokens, where Capstan is started with %s', (start) => {
    const text = skillText(start)

    expect(encode(text).length).toBeLessThanOrEqual(300)
    for (const verb of ['search', 'inspect', 'call', 'exec']) expect(text).toContain(`capstan ${verb} `)
    expect(text).toMatch(/^---\nname: capstan\ndescription: .{1,1024}\n---\n/)
  })

  test('has a place in every client that reads skills from the disk', () => {
    const at = { env: {}, platform: 'linux', home: '/home/ada', cwd: '/' } as const

    const without = clientIds.filter((client) => skillFile(client, at) === undefined)

    expect(without).toEqual(['claude-desktop'])
    expect(skillFile('codex', at)).toBe('/home/ada/.agents/skills/capstan/SKILL.md')
  })
})
