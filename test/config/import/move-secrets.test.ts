import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { moveSecrets } from '../../../src/config/import/move-secrets.ts'
import { moveSecretsInto } from '../../../src/config/import/secrets-file.ts'

const token = 'Kd93jfLq02mZx81Vb7Rt5Yw6Nh4Pc2Ts'
const none = { known: new Map<string, string>(), env: {} }

test('each literal becomes ${NAME}, named after its variable, header, flag or URL part', () => {
  const moved = moveSecrets(
    [
      {
        name: 'my-hub',
        entry: {
          command: 'x',
          args: ['--api-key', `${token}1`, 'postgres://me:pw12@db/x'],
          env: { GITHUB_TOKEN: `ghp_${token}`, MODE: 'fast' },
        },
      },
      {
        name: 'web',
        entry: { url: `https://e.com/mcp?key=${token}2`, headers: { Authorization: `Bearer ${token}3` } },
      },
    ],
    none,
  )

  expect(moved.servers.map((server) => server.entry)).toEqual([
    {
      command: 'x',
      args: ['--api-key', '${MY_HUB_API_KEY}', 'postgres://me:${MY_HUB_PASSWORD}@db/x'],
      env: { GITHUB_TOKEN: '${GITHUB_TOKEN}', MODE: 'fast' },
    },
    { url: 'https://e.com/mcp?key=${WEB_KEY}', headers: { Authorization: 'Bearer ${WEB_TOKEN}' } },
  ])
  expect(Object.fromEntries(moved.variables)).toEqual({
    MY_HUB_API_KEY: `${token}1`,
    MY_HUB_PASSWORD: 'pw12',
    GITHUB_TOKEN: `ghp_${token}`,
    WEB_KEY: `${token}2`,
    WEB_TOKEN: `${token}3`,
  })
})

test('a name that means another value, in the file, the environment or another server, is not used again', () => {
  const server = (name: string, value: string) => ({ name, entry: { command: 'x', env: { API_KEY: value } } })
  const moved = moveSecrets([server('a', `${token}1`), server('b', `${token}2`), server('c', `${token}1`)], {
    known: new Map([['API_KEY', `${token}0`]]),
    env: { A_API_KEY: 'taken' },
  })

  expect(Object.fromEntries(moved.variables)).toEqual({
    A_API_KEY_2: `${token}1`,
    B_API_KEY: `${token}2`,
    C_API_KEY: `${token}1`,
  })
})

test('a secret where no variable would be filled in stays, and is named', () => {
  const entry = { url: 'https://e.com', oauth: { clientSecret: token } }

  expect(moveSecrets([{ name: 'a', entry }], none)).toEqual({
    servers: [{ name: 'a', entry }],
    variables: new Map(),
    left: [{ server: 'a', label: 'clientSecret' }],
  })
})

test('a shell that loads the file gets every value back, and only its owner can read it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-secrets-'))
  const file = join(folder, 'secrets.env')
  const awkward = `it's "$HOME" \`x\` \\ #${token}\nline two`
  await writeFile(file, "OLD='kept'")
  await chmod(file, 0o644)

  await moveSecretsInto(file, [{ name: 'a', entry: { command: 'x', env: { DB_PASSWORD: awkward } } }], {})
  await moveSecretsInto(file, [{ name: 'a', entry: { command: 'x', env: { DB_PASSWORD: awkward } } }], {})
  const shell = spawnSync('sh', ['-c', `. ${file}; printf '%s|%s' "$OLD" "$DB_PASSWORD"`], { encoding: 'utf8' })
  const lines = (await readFile(file, 'utf8')).match(/DB_PASSWORD=/g)
  const { mode } = await stat(file)
  await rm(folder, { recursive: true })

  expect(shell.stdout).toBe(`kept|${awkward}`)
  expect(lines).toHaveLength(1)
  expect(mode & 0o777).toBe(0o600)
})
