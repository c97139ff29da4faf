import { expect, test } from 'vitest'
import { promptLines } from '../../src/commands/prompt-lines.ts'
import { fixture } from '../fixtures/fixture.ts'
import { openTestHub } from '../hub/makers.ts'

async function greeting() {
  const hub = await openTestHub({ demo: fixture('modern') })
  const [prompt] = (await hub.catalogue({ kinds: ['prompts'] })).prompts
  if (prompt === undefined) throw new Error('the fixture has a prompt')
  const lines = promptLines(hub, { debounceMs: 0, limitMs: 5000 })
  return { lines, prompt, [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose]() }
}

test.each([
  ['Bob', 'Bob'],
  ['who=Bob', 'Bob'],
  ['who="Bob Brown"', 'Bob Brown'],
  ['Bob Brown', 'Bob Brown'],
  ['--args {"who": "Bob"}', 'Bob'],
])('what is typed behind the name, such as %s, fills in the arguments', async (typed, who) => {
  await using place = await greeting()

  const outcome = await place.lines.render(place.prompt, typed)

  expect(outcome).toMatchObject({
    kind: 'prompt',
    messages: [{ role: 'user', parts: [{ kind: 'text', text: `Say hello to ${who}.` }] }],
  })
})

test('what is missing is a form, and its values render the prompt', async () => {
  await using place = await greeting()

  const asked = await place.lines.render(place.prompt, '')
  const form = asked.kind === 'form' ? asked.form : undefined
  const outcome = form && (await place.lines.submit(place.prompt, form, { values: { who: 'Alice' } }))

  expect(form?.missing).toEqual(['who'])
  expect(outcome).toMatchObject({ kind: 'prompt', messages: [{ parts: [{ text: 'Say hello to Alice.' }] }] })
})

test('a text that makes no sense is an error, not a rejection', async () => {
  await using place = await greeting()

  expect(await place.lines.render(place.prompt, '--args {')).toMatchObject({ kind: 'error', error: { code: 'usage' } })
})

test('a suggestion is the whole text behind the name once it is taken', async () => {
  await using place = await greeting()

  const plain = await place.lines.suggest(place.prompt, 'al')
  const named = await place.lines.suggest(place.prompt, 'who=al')

  expect(plain.map(({ text, label }) => [text, label])).toEqual([
    ['alice', 'alice'],
    ['albert', 'albert'],
  ])
  expect(named.map(({ text }) => text)).toEqual(['who=alice', 'who=albert'])
})
