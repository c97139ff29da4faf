import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findSecretsIn } from '../../../../src/cli/commands/library/find-secrets.ts'
import { promptOf } from '../../../prompts/makers.ts'
import { shelf } from './shelf.ts'

test('the built-in prompts have no mistakes', async () => {
  await using own = await shelf()

  expect(await own.library(['validate'])).toMatchObject({
    code: 0,
    printed: '10 prompts checked: 0 errors, 0 warnings.\n',
  })
})

test('validate names blocks that do not match, missing inclusions and unreadable lines, and exits with 1', async () => {
  await using own = await shelf()
  const line = (name: string, text: string) =>
    `${JSON.stringify({ name, description: 'x', template: 'plus', messages: [{ role: 'user', content: text }] })}\n`
  await own.library(['add', 'fine', '--text', 'x', '--description', 'x'])
  await appendFile(
    join(own.path, 'home/.local/share/capstan/prompts/user.jsonl'),
    `${line('includes', '{{> nobody}}')}not json\n${line('broken', '{{#if x}}')}`,
  )

  const { code, printed } = await own.library(['validate', '--layer', 'user'])

  expect(code).toBe(1)
  expect(printed).toContain('error includes {{> nobody}}: there is no such prompt')
  expect(printed).toMatch(/error broken messages\[0\]: Template, line 1/)
  expect(printed).toMatch(/^error .*user\.jsonl:3: /m)
  expect(printed).toContain('3 prompts checked: 3 errors')
  expect((await own.library(['list'])).said).toContain(
    '1 line of the library cannot be read. Run: capstan library validate',
  )
})

test('tags count what is below them', async () => {
  await using own = await shelf()
  await own.library(['add', 'a', '--text', 'x', '--tag', 'language/go', '--tag', 'language/rust'])
  await own.library(['add', 'b', '--text', 'x', '--tag', 'language/go'])

  expect(await own.json(['tags', '--layer', 'user'])).toEqual({
    tags: [
      { tag: 'language', prompts: 2 },
      { tag: 'language/go', prompts: 2 },
      { tag: 'language/rust', prompts: 1 },
    ],
  })
  expect((await own.library(['tags', '--layer', 'user'])).printed).toMatch(/^language +2\n {2}language\/go +2\n/)
})

test('stats say how much there is and where', async () => {
  await using own = await shelf()
  await own.library(['add', 'a', '--text', 'x'])

  expect(await own.json(['stats'])).toMatchObject({
    prompts: 11,
    layers: [
      { name: 'builtin', prompts: 10 },
      { name: 'user', prompts: 1, place: expect.stringMatching(/user\.jsonl$/) },
      { name: 'project' },
    ],
  })
  expect((await own.library(['stats'])).printed).toMatch(/^user +1 prompt +/m)
})

test.each([
  ['a token by its form', `Use ghp_${'a1B2'.repeat(9)}`, 1],
  ['a key by the name before it', 'api_key: 4f9a8b7c6d5e4f3a2b1c', 1],
  ['a password in an address', 'postgres://ada:s3cretpassw0rd@db.example.com/x', 1],
  ['a placeholder', 'api_key: {{key}} and token=YOUR_TOKEN_HERE1', 0],
  ['a name in place of a key', 'Authorization: Bearer <API_KEY> or f"Bearer {API_KEY}" or Bearer YOUR_KEY', 0],
  ['an explanation', 'password: the one that you chose, token: a word', 0],
])('secrets: %s', (_, text, found) => {
  expect(findSecretsIn(promptOf('x', text))).toHaveLength(found)
})
