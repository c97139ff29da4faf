import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startAuthServer } from '../fixtures/auth-server.ts'
import { redirectOf } from '../hub/auth/auth-bench.ts'
import { world, type World } from './cli.ts'

/** A browser that goes where it is sent. */
async function browserIn({ home }: World): Promise<string> {
  const program = join(home, 'browser.mjs')
  await writeFile(program, `#!${process.execPath}\nawait (await fetch(process.argv[2])).text()\n`)
  await chmod(program, 0o755)
  return program
}

test('a login in the browser, a call, a renewal and a logout, with no secret in anything but the one file', async () => {
  await using guarded = await startAuthServer()
  await using here = await world()
  await here.write({ '~/.config/capstan/mcp.json': { mcpServers: { guarded: { url: guarded.url } } } })
  const env = { BROWSER: await browserIn(here) }
  const outputs: string[] = []
  const run = async (...args: string[]) => {
    const outcome = await here.capstan(args, { env })
    outputs.push(outcome.stdout, outcome.stderr)
    return outcome
  }
  const echo = ['call', 'guarded.echo', 'message=hi']

  expect(await run(...echo, '--json')).toMatchObject({ code: 3, stdout: expect.stringContaining('"login_needed"') })
  expect(await run('login')).toMatchObject({ code: 0, stdout: 'Logged in to "guarded".\n' })
  expect(await run(...echo)).toMatchObject({ code: 0, stdout: 'hi\n' })
  guarded.expireAccess()
  expect(await run(...echo, '--debug')).toMatchObject({ code: 0, stdout: 'hi\n' })
  expect(await run('login', 'guarded', '--json')).toMatchObject({ code: 0 })
  for (const look of [
    ['doctor', '--json'],
    ['config', '--json'],
    ['list', '--fresh', '--json'],
    ['calls', '--json'],
  ])
    await run(...look)
  guarded.expireAccess()
  guarded.behaviour.tokenStatus = 500
  expect(await run(...echo, '--debug')).toMatchObject({ code: 3, stderr: expect.stringContaining('out of order') })
  guarded.behaviour.tokenStatus = undefined
  expect(await run('logout', 'guarded')).toMatchObject({ code: 0, stdout: 'Logged out of "guarded".\n' })
  expect(await run(...echo)).toMatchObject({ code: 3, stderr: expect.stringContaining('capstan login guarded') })

  const files = await readdir(here.home, { recursive: true, withFileTypes: true })
  for (const file of files) {
    if (file.isFile()) outputs.push(await readFile(join(file.parentPath, file.name), 'utf8'))
  }
  const seen = outputs.join('\n')
  expect(guarded.secrets().length).toBeGreaterThan(6)
  expect(guarded.secrets().filter((secret) => seen.includes(secret))).toEqual([])
})

test('with --no-browser the page is printed, and a browser that comes back by itself ends the login', async () => {
  await using guarded = await startAuthServer()
  await using here = await world()
  await here.write({ '~/.config/capstan/mcp.json': { mcpServers: { guarded: { url: guarded.url } } } })
  const { child, ended } = here.start(['login', 'guarded', '--no-browser'])
  let said = ''
  const page = await new Promise<string>((resolve) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const [, url] = /^ {2}(http\S+)$/m.exec(said) ?? []
      if (url !== undefined) resolve(url)
    })
  })

  await fetch(await redirectOf(page))

  expect(await ended).toMatchObject({ code: 0, stdout: 'Logged in to "guarded".\n' })
})
