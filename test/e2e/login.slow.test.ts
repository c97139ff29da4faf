import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startAuthServer } from '../fixtures/auth-server.ts'
import { redirectOf } from '../hub/auth/auth-bench.ts'
import { world, type World } from './cli.ts'
import { onTerminal } from './terminal.ts'

/** A browser that goes where it is sent. */
async function browserIn({ home }: World): Promise<string> {
  const program = join(home, 'browser.mjs')
  await writeFile(program, `#!${process.execPath}\nawait (await fetch(process.argv[2])).text()\n`)
  await chmod(program, 0o755)
  return program
}

test('a login in the browser, a call, a renewal and a logout, with no secret in anything but the one file', async () => {
  await using guarded = await startAuthServer()
  await using here = await guardedWorld(guarded.url)
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
  await using here = await guardedWorld(guarded.url)
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

describe('on a terminal', () => {
  const echo = ['call', 'guarded.echo', 'message=hi']

  test('a call offers to log in, and runs after a yes', async () => {
    await using guarded = await startAuthServer()
    await using here = await guardedWorld(guarded.url)
    await using terminal = onTerminal(here, echo, { env: { BROWSER: await browserIn(here) } })

    await terminal.shows('Log in to "guarded" now? [yes/no] (yes)')
    terminal.type('\r')
    await terminal.shows('say yes at 127.0.0.1')
    await terminal.shows('hi')

    expect(await terminal.ended).toBe(0)
    expect(guarded.grants('authorization_code')).toBe(1)
  })

  test('the address of a browser elsewhere is pasted', async () => {
    await using guarded = await startAuthServer()
    await using here = await guardedWorld(guarded.url)
    await using terminal = onTerminal(here, ['login', 'guarded', '--no-browser'], { columns: 2000 })

    await terminal.shows('Address:')
    const [, page = ''] = /^ {2}(http\S+)\r?$/m.exec(terminal.bytes()) ?? []
    terminal.type(`${await redirectOf(page)}\r`)
    await terminal.shows('Logged in to "guarded".')

    expect(await terminal.ended).toBe(0)
  })

  test.each([
    ['the paste', ['--no-browser'], 'Address:'],
    ['the browser', [], 'Waiting for it to come back'],
  ])('Ctrl-C ends the wait for %s with exit code 130', async (_title, flags, shown) => {
    await using guarded = await startAuthServer()
    await using here = await guardedWorld(guarded.url)
    await using terminal = onTerminal(here, ['login', 'guarded', ...flags], { env: { BROWSER: 'true' } })

    await terminal.shows(shown)
    terminal.type('\u0003')

    expect(await terminal.ended).toBe(130)
  })
})

test('a login through the daemon serves the next command', async () => {
  await using guarded = await startAuthServer()
  await using here = await guardedWorld(guarded.url)
  const env = { CAPSTAN_DAEMON: 'on', BROWSER: await browserIn(here) }
  try {
    expect(await here.capstan(['login', 'guarded'], { env })).toMatchObject({
      code: 0,
      stdout: 'Logged in to "guarded".\n',
    })
    expect(await here.capstan(['call', 'guarded.echo', 'message=warm'], { env })).toMatchObject({
      code: 0,
      stdout: 'warm\n',
    })
    expect(await here.capstan(['logout', 'guarded'], { env })).toMatchObject({ code: 0 })
    expect(await here.capstan(['call', 'guarded.echo', 'message=cold'], { env })).toMatchObject({ code: 3 })
  } finally {
    await here.capstan(['stop'], { env })
  }
})

async function guardedWorld(url: string): Promise<World> {
  const here = await world()
  await here.write({ '~/.config/capstan/mcp.json': { mcpServers: { guarded: { url } } } })
  return here
}
