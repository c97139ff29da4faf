import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder } from '../config/temp-folder.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('writes-out.ts', import.meta.url))
const words = (sizes: readonly number[]) => sizes.map(String)
const written = (sizes: readonly number[]) => sizes.map((size, index) => String(index).repeat(size)).join('')

const cases = [[], [5], [5, 16_000, 5], [16_384, 1], [20, 3_000_000, 20], [0, 200_000]].map((sizes) => [sizes] as const)

test.each(cases)('all of %j arrives in its order, in a pipe and in a file', async (sizes) => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'out')
  const script = '"$0" "$@" > "$OUT"; "$0" "$@" | cat'
  const options = { maxBuffer: 2 ** 23, env: { ...process.env, OUT: file } }

  const { stdout } = await run('sh', ['-c', script, process.execPath, program, ...words(sizes)], options)

  expect(stdout === written(sizes)).toBe(true)
  expect((await readFile(file, 'utf8')) === written(sizes)).toBe(true)
})

test.each(cases)('all of %j arrives in its order at a program that started ours', async (sizes) => {
  const { stdout } = await run(process.execPath, [program, ...words(sizes)], { maxBuffer: 2 ** 23 })

  expect(stdout === written(sizes)).toBe(true)
})

test('a reader that first takes a little and then the rest gets all of it', async () => {
  const sizes = [10, 500_000, 10]
  const slow = 'dd bs=1000 count=1 2>/dev/null; cat'

  const { stdout } = await run('sh', ['-c', `"$0" "$@" | { ${slow}; }`, process.execPath, program, ...words(sizes)], {
    maxBuffer: 2 ** 23,
  })

  expect(stdout === written(sizes)).toBe(true)
})

test.each([[[10]], [[500_000, 10]]])('a reader that has gone away is no failure: %j', async (sizes) => {
  const script = '{ "$0" "$@"; echo "code $?" >&2; } | true'

  const { stderr } = await run('sh', ['-c', script, process.execPath, program, ...words(sizes)])

  expect(stderr).toBe('code 0\n')
})

test('text for nobody is no failure', async () => {
  const { stderr } = await run('sh', [
    '-c',
    '"$0" "$@" > /dev/null; echo "code $?" >&2',
    process.execPath,
    program,
    '9',
  ])

  expect(stderr).toBe('code 0\n')
})
