import { expect, test } from 'vitest'
import { importNews } from '../../../src/cli/chat/import-news.ts'
import { findImportable } from '../../../src/config/import/find-importable.ts'
import { fixtureHome } from '../../config/import/fixture-home.ts'

test('a session without servers names what other clients have, and the command that copies it', async () => {
  await using home = await fixtureHome(['cursor', 'pi'])
  const table = await findImportable(home)

  const news = importNews(table)

  expect(news?.text).toMatch(/^Other clients here \(Cursor, pi\) have \d+ servers: /)
  for (const { name } of table.rows) expect(news?.text).toContain(name)
  expect(news?.next).toContain('capstan import')
})

test('where no client has a server, nothing is said', () => {
  expect(importNews({ rows: [] })).toBeUndefined()
})
