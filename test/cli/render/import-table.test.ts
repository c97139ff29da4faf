import { expect, test } from 'vitest'
import { renderImportTable } from '../../../src/cli/render/import-table.ts'
import { styleFor } from '../../../src/cli/render/style.ts'
import { displayWidth } from '../../../src/cli/render/width.ts'
import { clientIds } from '../../../src/config/import/clients.ts'
import { findImportable } from '../../../src/config/import/find-importable.ts'
import { fixtureHome } from '../../config/import/fixture-home.ts'

const style = styleFor({ env: {}, stdoutIsTerminal: false, stderrIsTerminal: false })

test.each([40, 60, 80, 120])('the table fits %i columns', async (columns) => {
  await using home = await fixtureHome(clientIds)

  const lines = renderImportTable(await findImportable(home), { columns, style }).split('\n')

  expect(lines.filter((line) => displayWidth(line) > columns)).toEqual([])
})

test('a pipe gets every command whole', async () => {
  await using home = await fixtureHome(['claude-desktop'])

  const text = renderImportTable(await findImportable(home), { columns: Number.POSITIVE_INFINITY, style })

  expect(text).toContain('npx -y @modelcontextprotocol/server-filesystem /home/ada/notes')
})

test('each row names all clients, with the other names the server has there', async () => {
  await using home = await fixtureHome(['claude-code', 'claude-desktop', 'zed'])

  const text = renderImportTable(await findImportable(home), { columns: Number.POSITIVE_INFINITY, style })

  expect(text).toMatch(/^filesystem .* {2}Claude Code, Claude Desktop, Zed \(as local-files\)$/m)
  expect(text).toContain('only for /home/ada/code/shop there, for every folder here')
})
