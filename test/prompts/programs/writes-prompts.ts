// Puts prompts until it is killed, or as many as it is told to, and says of each one that was answered: name, revision, text.
import { writeSync } from 'node:fs'
import { openPromptStore } from '../../../src/prompts/open-store.ts'
import { promptOf } from '../makers.ts'

const [file = '', writer = '', count = 'Infinity'] = process.argv.slice(2)
await using store = openPromptStore({ layers: [{ name: 'user', kind: 'user', file }] })

for (let number = 0; number < Number(count); number += 1) {
  const name = `shared_${Math.floor(Math.random() * 10)}`
  // Long now and then, so that a write takes more than a moment.
  const text = `${writer}:${process.pid}:${number}${' long'.repeat(number % 20 === 0 ? 20_000 : 0)}`
  const { revision } = await store.put(promptOf(name, text), { by: writer })
  writeSync(1, `${JSON.stringify({ name, text: text.slice(0, 40), revision })}\n`)
}
