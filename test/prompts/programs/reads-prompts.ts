// Reads the library until it is killed, and ends with code 3 when it sees something that no writer has written.
import { writeSync } from 'node:fs'
import { openPromptStore } from '../../../src/prompts/open-store.ts'
import { textOf } from '../library.ts'

const [file = ''] = process.argv.slice(2)
await using store = openPromptStore({ layers: [{ name: 'user', kind: 'user', file }] })
const seen = new Map<string, number>()

for (;;) {
  for (const { prompt, revision } of await store.list()) {
    const isWhole = /^w\d+:\d+:\d+( long)*$/.test(textOf(prompt))
    if (isWhole && revision >= (seen.get(prompt.name) ?? 0)) seen.set(prompt.name, revision)
    else {
      writeSync(
        2,
        `${prompt.name} at revision ${revision} after ${seen.get(prompt.name)}: ${textOf(prompt).slice(0, 60)}\n`,
      )
      process.exit(3)
    }
  }
  writeSync(1, 'read\n')
}
