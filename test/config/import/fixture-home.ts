import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { clientFiles, type ClientId, type ImportSurroundings } from '../../../src/config/import/clients.ts'

const fixtures = join(import.meta.dirname, '..', '..', 'fixtures', 'clients')

export const fixtureOf: Readonly<Record<ClientId, string>> = {
  'claude-code': 'claude-code.json',
  'claude-desktop': 'claude-desktop.json',
  cursor: 'cursor.json',
  vscode: 'vscode.json',
  cline: 'cline.json',
  windsurf: 'windsurf.json',
  codex: 'codex.toml',
  gemini: 'gemini.json',
  opencode: 'opencode.jsonc',
  zed: 'zed.json',
  pi: 'pi.json',
}

export interface FixtureHome extends ImportSurroundings, AsyncDisposable {
  readonly root: string
}

/** An empty home and project in a temporary folder, with the fixtures of the given clients where these keep their files. */
export async function fixtureHome(installed: readonly ClientId[] = []): Promise<FixtureHome> {
  const root = await mkdtemp(join(tmpdir(), 'capstan-import-'))
  const home = join(root, 'home')
  const cwd = join(home, 'project')
  await mkdir(cwd, { recursive: true })
  const surroundings = { env: { HOME: home }, platform: 'linux' as const, home, cwd }
  for (const client of installed) await install(surroundings, client)
  return { ...surroundings, root, [Symbol.asyncDispose]: async () => await rm(root, { recursive: true }) }
}

/** Puts a client's fixture at the first of its places. */
async function install(surroundings: ImportSurroundings, client: ClientId): Promise<void> {
  const files = clientFiles(client, surroundings)
  const extension = fixtureOf[client].slice(fixtureOf[client].lastIndexOf('.'))
  const file = files.find(({ path }) => path.endsWith(extension)) ?? files[0]
  if (file === undefined) throw new Error(`${client} has no place`)
  await placeFixture(fixtureOf[client], file.path)
}

export async function placeFixture(name: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await copyFile(join(fixtures, name), path)
}
