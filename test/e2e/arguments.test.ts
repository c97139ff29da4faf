import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { world, type World } from './cli.ts'

let home: World

beforeAll(async () => {
  home = await world()
  await home.write({
    '~/.config/capstan/mcp.json': { mcpServers: { one: fixture('echo') } },
    'note.txt': 'two words\nand a line\n',
    'args.json': '{"message": "from a file"}',
    'numbers.json': '[1, 2]',
  })
})
afterAll(() => home[Symbol.asyncDispose]())

describe.concurrent('an argument', () => {
  test.each([
    ['with spaces', ['message=hello  world'], 'hello  world'],
    ['with quotes of both kinds', [`message="a" 'b'`], `"a" 'b'`],
    ['with an equals sign in it', ['message=a=b=c'], 'a=b=c'],
    ['that looks like a number stays text where text is wanted', ['message=007'], '007'],
    ['that looks like JSON stays text where text is wanted', ['message={"a":1}'], '{"a":1}'],
    ['that starts with a dash', ['message=--json'], '--json'],
    ['that is no ASCII', ['message=größe 📏'], 'größe 📏'],
    ['from a file, as it is', ['message=@note.txt'], 'two words\nand a line\n'],
    ['that begins with an at sign', ['message=@@home'], '@home'],
    ['from --args', ['--args', '{"message": "in JSON"}'], 'in JSON'],
    ['from a file of --args', ['--args', '@args.json'], 'from a file'],
    ['that stands beside --args and wins', ['--args', '{"message": "weak"}', 'message=strong'], 'strong'],
  ])('%s arrives as it was meant', async (_what, words, expected) => {
    const { code, stdout, stderr } = await home.capstan(['call', 'one.echo', ...words])

    expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: expected.replace(/\n?$/, '\n') })
  })

  test.each([
    ['for one key', ['message=-'], 'from a pipe\n'],
    ['for all of them', ['--args', '-'], '{"message": "from a pipe\\n"}'],
  ])('comes from standard input %s', async (_what, words, input) => {
    const { stdout } = await home.capstan(['call', 'one.echo', ...words], { input })

    expect(stdout).toBe('from a pipe\n')
  })

  test('of 5 MB comes whole from standard input', async () => {
    const { stdout } = await home.capstan(['call', 'one.echo', 'message=-'], { input: 'x'.repeat(5 * 2 ** 20) })

    expect(stdout.length).toBe(5 * 2 ** 20 + 1)
  })

  test.each([
    ['numbers and defaults', ['call', 'one.add', 'a=2.5', 'b=-1'], '1.5\n'],
    [
      'choices, switches and whole numbers',
      ['call', 'one.choose', 'colour=red', 'bright=true', 'times=3'],
      { colour: 'red', bright: true, times: 3 },
    ],
    [
      'objects, lists by repetition, lists from a file and null',
      ['call', 'one.order', 'customer={"name":"Ada"}', 'items=a b', 'items=c', 'amounts=@numbers.json', 'note=null'],
      { customer: { name: 'Ada' }, items: ['a b', 'c'], amounts: [1, 2], note: null },
    ],
    [
      'anything where nothing is declared',
      ['call', 'one.anything', 'n=1', 's=x', 'o={"a":[]}'],
      { n: 1, s: 'x', o: { a: [] } },
    ],
  ])('is typed by the schema: %s', async (_what, args, expected) => {
    const { stdout, stderr } = await home.capstan(args)

    expect(stderr).toBe('')
    expect(typeof expected === 'string' ? stdout : JSON.parse(stdout)).toEqual(expected)
  })

  test.each([
    ['a word without a key', ['call', 'one.echo', 'hello'], 'key=value'],
    ['a file that is not there', ['call', 'one.echo', 'message=@nope.txt'], 'nope.txt'],
    ['--args that is no object', ['call', 'one.echo', '--args', '[1]'], '--args wants one JSON object'],
    ['--args that is no JSON', ['call', 'one.echo', '--args', '{message: 1}'], '--args wants one JSON object'],
    ['standard input for two keys', ['call', 'one.echo', 'message=-', 'other=-'], 'only once'],
    ['standard input for a key and --args', ['call', 'one.echo', 'message=-', '--args', '-'], 'only once'],
    ['a key given twice that takes one value', ['call', 'one.echo', 'message=a', 'message=b'], 'takes one value'],
    ['a wrong choice', ['call', 'one.choose', 'colour=pink'], 'colour'],
    ['a missing part of an object', ['call', 'one.order', 'customer={}', 'items=a'], 'customer'],
    ['an unknown key of a closed schema', ['call', 'one.choose', 'colour=red', 'size=1'], 'size'],
  ])('is refused with the reason and exit code 2: %s', async (_what, args, reason) => {
    const { code, stdout, stderr } = await home.capstan(args)

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(reason)
  })

  test('that is misspelt is named with the closest one, but sent, because the schema allows it', async () => {
    const { code, stderr } = await home.capstan(['call', 'one.echo', 'message=x', 'mesage=y'])

    expect(code).toBe(0)
    expect(stderr).toContain('did you mean "message"?')
  })

  test('of a prompt is always text', async () => {
    const { stdout } = await home.capstan(['prompt', 'one:greet', 'who=007', '--args', '{"city": 12}'])

    expect(stdout).toBe('[user]\nSay hello to 007 in 12.\n')
  })
})

describe.concurrent('--save', () => {
  test('keeps the files of a result, prints their names in place, and never writes over one that is there', async () => {
    await mkdir(join(home.cwd, 'kept'))
    await writeFile(join(home.cwd, 'kept', 'mixed-2.png'), 'mine')

    const { stdout, stderr } = await home.capstan(['call', 'one.mixed', '--save', 'kept'])

    const file = join(home.cwd, 'kept', 'mixed-2-2.png')
    expect([stdout, stderr]).toEqual([`first\n${file}\nlast\n`, ''])
    expect((await readFile(file)).subarray(1, 4).toString()).toBe('PNG')
    expect(await readFile(join(home.cwd, 'kept', 'mixed-2.png'), 'utf8')).toBe('mine')
  })

  test('makes the folder, and keeps audio and binary resources too', async () => {
    await home.capstan(['call', 'one.audio', '--save', 'new/sounds'])
    await home.capstan(['call', 'one.embedded', '--save', 'new/sounds'])
    await home.capstan(['read', 'data://bytes', '--save', 'new/sounds'])

    expect((await readdir(join(home.cwd, 'new/sounds'))).sort()).toEqual([
      'audio-1.wav',
      'embedded-2.png',
      'resource-1.bin',
    ])
  })

  test('that cannot be done is an error with exit code 2', async () => {
    const { code, stderr } = await home.capstan(['call', 'one.image', '--save', 'note.txt'])

    expect(code).toBe(2)
    expect(stderr).toContain('note.txt')
  })

  test('is hinted at on stderr when a file would be lost', async () => {
    const { stdout, stderr } = await home.capstan(['call', 'one.mixed'])

    expect(stdout).toBe('first\nlast\n')
    expect(stderr).toMatch(/^\[image\/png, \d+ bytes; pass --save DIR to keep it\]\n$/)
  })
})
