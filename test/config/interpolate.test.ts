import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseEntry } from '../../src/config/entry.ts'
import { resolveServer, type ResolveOptions } from '../../src/config/interpolate.ts'
import type { Layer, RawEntry, Surroundings } from '../../src/config/types.ts'
import { CapstanError } from '../../src/errors.ts'

const surroundings: Surroundings = {
  env: { USER: 'ada', EMPTY: '', TRICKY: '${USER} $${x} ~ ${cmd:evil}', 'ODD.NAME(x)': 'odd', workspaceFolder: 'no' },
  homeFolder: '/home/ada',
  workspaceFolder: '/proj/ship',
  currentFolder: '/proj/ship/src',
}
const file = '/home/ada/.config/capstan/mcp.json'

interface Variation extends ResolveOptions {
  readonly layer?: Layer
  readonly file?: string | undefined
  readonly around?: Partial<Surroundings>
}

async function resolveEntry(entry: RawEntry, variation: Variation = {}) {
  const { layer = 'user', around, ...options } = variation
  const where = {
    name: 'x',
    layer,
    ...('file' in variation ? {} : { file }),
    ...(variation.file ? { file: variation.file } : {}),
  }
  const { server } = parseEntry(entry, where)
  return resolveServer(server, where, { ...surroundings, ...around }, options)
}

async function fill(text: string, variation: Variation = {}): Promise<string> {
  const server = await resolveEntry({ command: 'c', env: { KEY: text } }, variation)
  return server.transport === 'stdio' ? (server.env['KEY'] ?? '') : ''
}

async function failureOf(work: Promise<unknown>): Promise<CapstanError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof CapstanError) return error
  throw new Error('it did not fail as expected', { cause: error })
}

test.each([
  ['plain', 'plain'],
  ['${USER}', 'ada'],
  ['${env:USER}', 'ada'],
  ['${env:ODD.NAME(x)}', 'odd'],
  ['a${USER}b${USER}c', 'aadabadac'],
  ['${EMPTY}', ''],
  ['${USER:-bob}', 'ada'],
  ['${NONE:-bob}', 'bob'],
  ['${EMPTY:-bob}', 'bob'],
  ['${NONE:-}', ''],
  ['${env:NONE:-bob}', 'bob'],
  ['${NONE:-${USER}}', 'ada'],
  ['${NONE:-<${NOR:-${env:USER}}>}', '<ada>'],
  ['${NONE:-a:-b}', 'a:-b'],
  ['${NONE:-$${USER}', '${USER'],
  ['${workspaceFolder}/x', '/proj/ship/x'],
  ['${workspaceFolderBasename}', 'ship'],
  ['${userHome}', '/home/ada'],
  ['a${/}b${pathSeparator}', 'a/b/'],
  ['$${USER}', '${USER}'],
  ['$$${USER}', '$${USER}'],
  ['$USER $ {USER} } {', '$USER $ {USER} } {'],
  ['~/x', '~/x'],
  ['${TRICKY}', '${USER} $${x} ~ ${cmd:evil}'],
  ['${NONE:-${TRICKY}}', '${USER} $${x} ~ ${cmd:evil}'],
])('%j becomes %j', async (text, expected) => {
  expect(await fill(text)).toBe(expected)
})

test.each([
  ['${NONE}', /x\.env\.KEY needs the environment variable NONE, which is not set/, /\$\{NONE:-value\}/],
  ['${USER:-${NONE}}${NONE}', /variable NONE/, /NONE/],
  ['${NONE:-${NOR}}', /variable NOR,/, /NOR/],
  ['${', /never closed/, /\$\$\{/],
  ['a ${USER', /"\$\{USER" opens/, /Correct/],
  ['${NONE:-x', /never closed/, /Correct/],
  ['${${USER}}', /never closed/, /Correct/],
  ['${}', /"\$\{\}" is not something/, /Correct/],
  ['${config:editor.x}', /"\$\{config:editor\.x\}" is not something Capstan can fill in/, /Correct/],
  ['${x%%y}', /is not something/, /\$\$\{/],
  ['${workspaceFolder:-x}', /only a variable can have a default/, /Correct/],
  ['${cmd:}', /names no program/, /Correct/],
  ['${cmd:echo ${USER}}', /nothing is filled in inside/, /Correct/],
  [`\${cmd:echo it's}`, /never closed/, /Correct/],
])('%j is refused, naming server, file and the next step', async (text, message, next) => {
  const error = await failureOf(fill(text))

  expect(error.code).toBe('config_invalid')
  expect(error.server).toBe('x')
  expect(error.message).toMatch(message)
  expect(error.message).toContain('Server "x"')
  expect(error.message).toContain(file)
  expect(error.next).toMatch(next)
})

describe('properties', () => {
  test('a text without "${" comes out as it went in', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        fc.pre(!text.includes('${') && !text.includes('\0'))
        expect(await fill(text)).toBe(text)
      }),
    )
  })

  test('any text with "${" escaped as "$${" comes out as it was', async () => {
    const pieces = fc.constantFrom('$', '{', '}', '${', '$${', ':-', 'USER', 'cmd:', '"', ' ')
    await fc.assert(
      fc.asyncProperty(fc.array(pieces), async (parts) => {
        const text = parts.join('')
        expect(await fill(text.replaceAll('${', () => '$${'))).toBe(text)
      }),
    )
  })

  test('the value of a variable is never looked at again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.constantFrom('${V}', '${env:V}', '${NONE:-${V}}'), async (value, form) => {
        fc.pre(value !== '')
        expect(await fill(`<${form}>`, { around: { env: { V: value } } })).toBe(`<${value}>`)
      }),
    )
  })

  test('any text at all is either filled in or refused with config_invalid', async () => {
    const pieces = fc.constantFrom('$', '{', '}', '${', '$${', ':-', 'USER', 'env:', 'input:', '"', "'", ' ', '/')
    await fc.assert(
      fc.asyncProperty(fc.array(pieces), async (parts) => {
        const outcome = await fill(parts.join(''), { inputs: async () => 'i' }).catch((error: unknown) => error)
        if (typeof outcome !== 'string') expect(outcome).toMatchObject({ code: 'config_invalid' })
      }),
    )
  })

  test('a hundred thousand nested or unclosed braces end in an error, not in a crash', async () => {
    for (const text of ['${A:-'.repeat(100_000), '${'.repeat(100_000), '${A:-'.repeat(60) + '}'.repeat(60)]) {
      expect((await failureOf(fill(text))).message).toMatch(/never closed/)
    }
  })
})

describe('where things are filled in', () => {
  test('in command, args, env values and cwd of a program, but not in names of variables', async () => {
    const entry = { command: '${USER}', args: ['-u', '${USER}'], env: { '${USER}': '${USER}' }, cwd: '/${USER}' }

    expect(await resolveEntry(entry)).toMatchObject({
      command: 'ada',
      args: ['-u', 'ada'],
      env: { '${USER}': 'ada' },
      cwd: '/ada',
    })
  })

  test('in url and header values of a remote server', async () => {
    const entry = { url: 'https://${USER}.example/mcp', headers: { Authorization: 'Bearer ${USER}' } }

    expect(await resolveEntry(entry)).toMatchObject({
      url: 'https://ada.example/mcp',
      headers: { Authorization: 'Bearer ada' },
    })
  })

  test('in the texts of oauth', async () => {
    const oauth = { clientId: '${USER}', clientSecret: '${USER}-secret', scopes: ['${USER}:read'], callbackPort: 7777 }

    expect(await resolveEntry({ url: 'https://x.example', oauth })).toMatchObject({
      oauth: { grant: 'code', clientId: 'ada', clientSecret: 'ada-secret', scopes: ['ada:read'], callbackPort: 7777 },
    })
  })

  test('a leading ~ means home in command, args and cwd, and only there', async () => {
    const entry = { command: '~/bin/x', args: ['~', '~/a', '~bob/a', '--dir=~/a', 'a~'], cwd: '~/w', env: { A: '~/a' } }

    expect(await resolveEntry(entry)).toMatchObject({
      command: '/home/ada/bin/x',
      args: ['/home/ada', '/home/ada/a', '~bob/a', '--dir=~/a', 'a~'],
      cwd: '/home/ada/w',
      env: { A: '~/a' },
    })
  })

  test('a home folder with "${" in its name is not looked at again', async () => {
    const server = await resolveEntry({ command: '~/x' }, { around: { homeFolder: '/h/${USER}' } })

    expect(server).toMatchObject({ command: '/h/${USER}/x' })
  })

  test('a url that is no address once filled in is refused', async () => {
    const error = await failureOf(resolveEntry({ url: '${USER}' }))

    expect(error.message).toMatch(/x\.url is not an address/)
  })

  test('a header value with a line break in it is refused', async () => {
    const entry = { url: 'https://a.example', headers: { A: '${V}' } }

    const error = await failureOf(resolveEntry(entry, { around: { env: { V: 'a\r\nB: c' } } }))

    expect(error.message).toMatch(/x\.headers\.A holds a line break/)
  })
})

test.each<[string, RawEntry, Variation, string]>([
  ['a user entry runs in the current folder', {}, {}, '/proj/ship/src'],
  ['a project entry runs in the project root', {}, { layer: 'project' }, '/proj/ship'],
  ['a relative cwd counts from the file', { cwd: '../data' }, {}, '/home/ada/.config/data'],
  ['"." is the folder of the file', { cwd: '.' }, { layer: 'project', file: '/proj/ship/.mcp.json' }, '/proj/ship'],
  ['an absolute cwd stays', { cwd: '/srv' }, {}, '/srv'],
  [
    'without a file a relative cwd counts from the current folder',
    { cwd: 'a' },
    { file: undefined },
    '/proj/ship/src/a',
  ],
])('%s', async (_, entry, variation, cwd) => {
  expect(await resolveEntry({ command: 'node', ...entry }, variation)).toMatchObject({ command: 'node', cwd })
})

test.each([
  ['./server', '/srv/server'],
  ['../bin/server', '/bin/server'],
  ['bin/server', '/srv/bin/server'],
  ['/opt/server', '/opt/server'],
  ['server', 'server'],
])('the command %j in /srv is %j', async (command, expected) => {
  expect(await resolveEntry({ command, cwd: '/srv' })).toMatchObject({ command: expected })
})

describe('${cmd:…}', () => {
  const runCommand = async (text: string) => ({ kind: 'printed' as const, text: `<${text}>` })

  test.each([
    ['a${cmd:op read x}b', 'a<op read x>b'],
    [`\${cmd:jq '.a | {b}' "}" {c}}!`, `<jq '.a | {b}' "}" {c}>!`],
    ['${NONE:-${cmd:x}}', '<x>'],
    ['${USER:-${cmd:x}}', 'ada'],
  ])('%j gives %j', async (text, expected) => {
    expect(await fill(text, { runCommand })).toBe(expected)
  })

  test('is refused in a project file without being run', async () => {
    const ran: string[] = []
    const spy = (text: string) => (ran.push(text), runCommand(text))

    const error = await failureOf(fill('${cmd:touch x}', { layer: 'project', runCommand: spy }))

    expect(error.message).toMatch(/x\.env\.KEY uses "\$\{cmd:…\}", which is not allowed in a project's file/)
    expect(ran).toEqual([])
  })

  test('its output is not looked at again', async () => {
    const tricky = async () => ({ kind: 'printed' as const, text: '${USER} $${' })

    expect(await fill('${cmd:x}', { runCommand: tricky })).toBe('${USER} $${')
  })

  test('its failure names server, file, command and reason', async () => {
    const failing = async () => ({ kind: 'failed' as const, reason: 'it ended with code 1: not signed in' })

    const error = await failureOf(fill('${cmd:op read x}', { runCommand: failing }))

    expect(error.message).toBe(
      `Server "x": the command "op read x" of x.env.KEY failed: it ended with code 1: not signed in (${file}).`,
    )
  })

  test('without a runner handed in, the program is really run', async () => {
    const around = { homeFolder: process.cwd(), env: { PATH: process.env['PATH'] } }

    expect(await fill(`\${cmd:node -p "'a' + 'b'"}`, { around })).toBe('ab')
  })
})

describe('${input:…}', () => {
  test('is answered by the function handed in, which learns id, server and file', async () => {
    const inputs = async (request: unknown) => JSON.stringify(request)

    expect(JSON.parse(await fill('${input:api-key}', { inputs }))).toEqual({ id: 'api-key', server: 'x', file })
  })

  test('is answered by its environment variable first', async () => {
    const around = { env: { CAPSTAN_INPUT_API_KEY: 'k' } }

    expect(await fill('${input:api-key}', { around, inputs: async () => 'other' })).toBe('k')
  })

  test('without an answer, the error says how to give one', async () => {
    const error = await failureOf(fill('${input:api-key}', { inputs: async () => undefined }))

    expect(error.message).toMatch(/x\.env\.KEY needs the input "api-key", which has not been given yet/)
    expect(error.next).toMatch(/on a terminal.*CAPSTAN_INPUT_API_KEY/)
  })
})
