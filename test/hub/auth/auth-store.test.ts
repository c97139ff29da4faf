import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { authStore, type Login } from '../../../src/hub/auth/auth-store.ts'
import { scratchFolder } from '../scratch-folder.ts'

const login: Login = {
  issuer: 'https://login.example',
  authorizationServerUrl: 'https://login.example',
  clientId: 'capstan',
  tokens: { access_token: 'a', token_type: 'Bearer' },
}
const url = 'https://server.example/mcp'

test('a login is kept for the address of its server alone', async () => {
  const store = authStore({ folder: await scratchFolder() })

  await store.change(url, (saved) => ({ ...saved, login }))

  expect(await store.read(url)).toEqual({ login })
  expect(await store.read(`${url}#fragment`)).toEqual({ login })
  expect(await store.read('https://server.example/other')).toEqual({})
  expect(await store.read('https://server.example:8443/mcp')).toEqual({})
})

test('nobody else can read the file, even when somebody has opened it', async () => {
  const folder = join(await scratchFolder(), 'state', 'capstan')
  const store = authStore({ folder })
  const mode = async () => (await stat(join(folder, 'logins.json'))).mode & 0o777

  await store.change(url, () => ({ login }))
  expect(await mode()).toBe(0o600)
  await chmod(join(folder, 'logins.json'), 0o666)
  await store.change(url, () => ({ login }))

  expect(await mode()).toBe(0o600)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
})

test('changes made at once are all kept', async () => {
  const folder = await scratchFolder()
  const urls = Array.from({ length: 20 }, (_, n) => `${url}/${n}`)

  await Promise.all(urls.map((one) => authStore({ folder }).change(one, () => ({ login }))))

  const kept = await Promise.all(urls.map((one) => authStore({ folder }).read(one)))
  expect(kept.filter((saved) => saved.login !== undefined)).toHaveLength(20)
})

test.each(['', '{"version":1', '[]', 'null', '{"version":2,"servers":{}}', '{"version":1,"servers":[]}', '\u0000'])(
  'a file with %j in it knows no login, and is put aside with a reason when there is a new one',
  async (text) => {
    const folder = await scratchFolder()
    await writeFile(join(folder, 'logins.json'), text)
    const log: string[] = []
    const store = authStore({ folder, onLog: (line) => log.push(line) })

    expect(await store.read(url)).toEqual({})
    await store.change(url, () => ({ login }))

    expect(await store.read(url)).toEqual({ login })
    const aside = (await readdir(folder)).find((name) => name.startsWith('logins.json.unreadable-')) ?? ''
    expect(await readFile(join(folder, aside), 'utf8')).toBe(text)
    expect(log).toEqual([expect.stringContaining('could not be read and was put aside')])
  },
)

test('a damaged part does not take the others with it', async () => {
  const folder = await scratchFolder()
  const servers = {
    [url]: { login: { issuer: 5 }, client: 'x', challenge: { scope: 'read' } },
    'https://b.example/': { login },
  }
  await writeFile(join(folder, 'logins.json'), JSON.stringify({ version: 1, servers }))
  const store = authStore({ folder })

  expect(await store.read(url)).toEqual({ challenge: { scope: 'read' } })
  expect(await store.read('https://b.example/')).toEqual({ login })
})

test('a file that cannot be read or written is told, and is no reason to fail where nothing must be kept', async () => {
  const folder = await scratchFolder()
  await mkdir(join(folder, 'logins.json'))
  const log: string[] = []
  const store = authStore({ folder, onLog: (line) => log.push(line) })

  expect(await store.read(url)).toEqual({})
  expect(log).toEqual([expect.stringContaining('cannot be read')])
  await expect(store.change(url, () => ({ login }))).rejects.toMatchObject({
    code: 'not_allowed',
    message: /logins\.json/,
  })
})
