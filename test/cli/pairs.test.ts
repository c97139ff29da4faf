import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Io } from '../../src/cli/command.ts'
import { readArguments } from '../../src/cli/pairs.ts'
import { CapstanError } from '../../src/errors.ts'
import { tempFolder } from '../config/temp-folder.ts'
import { person } from './person.ts'

const never = new AbortController().signal

function standing(cwd = '/', rest: Partial<Io> = {}): Io {
  return { ...person({ cwd }).io, ...rest }
}

test.each([
  ['a=b', { key: 'a', value: 'b' }],
  ['a=', { key: 'a', value: '' }],
  ['a=b=c', { key: 'a', value: 'b=c' }],
  ['a.b[0]=x', { key: 'a.b[0]', value: 'x' }],
  ['a=@@b', { key: 'a', value: '@b' }],
  ['a=@@@b', { key: 'a', value: '@@b' }],
  ['__proto__=x', { key: '__proto__', value: 'x' }],
])('%s is read as key and value', async (word, expected) => {
  const { pairs, base } = await readArguments({ words: [word], flag: undefined }, { io: standing(), signal: never })

  expect(pairs).toEqual([expected])
  expect(base).toEqual({})
})

test.each(['word', '=value', ''])('"%s" is no argument', async (word) => {
  const reading = readArguments({ words: [word], flag: undefined }, { io: standing(), signal: never })

  await expect(reading).rejects.toMatchObject({ code: 'usage', next: expect.stringContaining('key=') })
})

test('files are looked for from the caller’s folder, for keys and for --args alike', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'deep/text.txt': 'héllo\n', 'deep/args.json': '{"n": 1}' })
  const io = standing(join(folder.path, 'deep'))

  const read = await readArguments(
    { words: ['a=@text.txt', 'b=@../deep/text.txt'], flag: '@args.json' },
    { io, signal: never },
  )

  expect(read).toEqual({
    pairs: [
      { key: 'a', value: 'héllo\n' },
      { key: 'b', value: 'héllo\n' },
    ],
    base: { n: 1 },
  })
})

test('a file that cannot be read is named, with the way to pass the text itself', async () => {
  const reading = readArguments({ words: ['to=@ada'], flag: undefined }, { io: standing('/nowhere'), signal: never })

  await expect(reading).rejects.toMatchObject({
    message: expect.stringContaining('/nowhere/ada'),
    next: 'To pass the text @ada itself, write @@ada.',
  })
})

test.each(['[]', 'null', '1', '"text"', '{', ''])('--args %s is no object and is refused', async (flag) => {
  const reading = readArguments({ words: [], flag }, { io: standing(), signal: never })

  await expect(reading).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('--args') })
})

test('an interruption ends the wait for standard input', async () => {
  const io = standing('/', { readStdin: () => new Promise(() => {}) })
  const stop = new AbortController()
  const reading = readArguments({ words: ['a=-'], flag: undefined }, { io, signal: stop.signal })

  stop.abort(new CapstanError('cancelled', 'Interrupted.'))

  await expect(reading).rejects.toMatchObject({ code: 'cancelled' })
})

test('a timeout ends the wait for standard input', async () => {
  const io = standing('/', { readStdin: () => new Promise(() => {}) })

  const reading = readArguments({ words: [], flag: '-' }, { io, signal: AbortSignal.timeout(1) })

  await expect(reading).rejects.toMatchObject({ code: 'timed_out', message: expect.stringContaining('standard input') })
})
