import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { testLibrary, textsOf } from './library.ts'
import { promptOf } from './makers.ts'

test('a file cut at any byte loads, keeps every whole line, and takes new prompts', async () => {
  await using library = await testLibrary()
  const names = ['a', 'b', 'c']
  const writer = library.open({ now: () => new Date(0) })
  for (const name of names) await writer.put(promptOf(name, `Größe 🙂 ${name}\n"quoted"\u2028`))
  const whole = await readFile(library.file)
  const ends = names.map((_, index) => nthNewline(whole, index + 1))

  for (let length = 0; length <= whole.length; length += 1) {
    await writeFile(library.file, whole.subarray(0, length))
    const store = library.open()
    const kept = names.filter((_, index) => length >= (ends[index] ?? 0))

    expect(Object.keys(await textsOf(store))).toEqual(kept)
    const isTorn = length > 0 && whole[length - 1] !== 0x0a && !ends.includes(length)
    expect((await store.problems()).map(({ line }) => line)).toEqual(isTorn ? [kept.length + 1] : [])
    if (length % 7 === 0 || isNear(length, ends)) {
      await store.put(promptOf('new'))
      expect(Object.keys(await textsOf(library.open()))).toEqual([...kept, 'new'])
    }
  }
})

/** Where the line of that number is complete, which it is without its newline too. */
function nthNewline(bytes: Buffer, count: number): number {
  let at = -1
  for (let found = 0; found < count; found += 1) at = bytes.indexOf(0x0a, at + 1)
  return at
}

function isNear(length: number, ends: readonly number[]): boolean {
  return ends.some((end) => Math.abs(end - length) <= 2)
}
