import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { CapstanError } from '../../../src/errors.ts'
import { serverCopy, type OpenConnection, type ServerCopy } from '../../../src/hub/servers/server-copy.ts'
import { inlineServer } from '../inline-server.ts'
import { openTestHub } from '../makers.ts'
import { scratchFolder } from '../scratch-folder.ts'

const failing: OpenConnection = () => Promise.reject(new CapstanError('connection_refused', 'Nothing listens there.'))

function copyOf(open: OpenConnection): ServerCopy {
  const nothing = () => {}
  return serverCopy({
    name: 'one',
    startMs: 1000,
    open,
    isWanted: () => true,
    assertOpen: nothing,
    onChange: nothing,
    onLog: nothing,
    onListChanged: nothing,
    stderrTail: () => [],
  })
}

test('while a server backs off, who has no time is answered at once, with the time of the next try', async () => {
  const copy = copyOf(failing)
  await copy.use({ patienceMs: 0 }).catch(() => undefined)

  const answer = copy.use({ patienceMs: 0 })

  await expect(answer).rejects.toMatchObject({
    code: 'connection_refused',
    message: expect.stringMatching(/^Nothing listens there\. It is tried again (within a second|in \d s)\.$/),
    next: expect.any(String),
  })
  await copy.close()
})

test('while a server backs off, sixteen may wait and the others are answered at once', async () => {
  const copy = copyOf(failing)
  await copy.use({ patienceMs: 0 }).catch(() => undefined)
  const stop = new AbortController()
  const use = () => copy.use({ patienceMs: 60_000, signal: stop.signal }).catch((error: unknown) => error)

  const answers = Array.from({ length: 20 }, use)
  const refused = await Promise.all(answers.slice(16))
  stop.abort()

  expect(refused).toEqual(Array.from({ length: 4 }, () => expect.objectContaining({ code: 'connection_refused' })))
  expect(await Promise.all(answers.slice(0, 16))).toEqual(
    Array.from({ length: 16 }, () => expect.objectContaining({ code: 'cancelled' })),
  )
  await copy.close()
})

test('a program that waits for the next try does not end before it', async () => {
  const entry = inlineServer(`
    import { existsSync, writeFileSync } from 'node:fs'
    // The first try starts it twice, with and without the probe.
    const isThirdStart = existsSync('second')
    writeFileSync(existsSync('first') ? 'second' : 'first', '')
    if (!isThirdStart) process.exit(3)
    serveRaw({ name: 'late', tools: [{ name: 'hello', inputSchema: object }] })
  `)
  const program = `
    import { openHub } from ${JSON.stringify(new URL('../../../src/hub/hub.ts', import.meta.url).href)}
    await using hub = await openHub({ mcpServers: { one: ${JSON.stringify(entry)} } })
    await hub.catalogue()
    const result = await hub.call({ server: 'one', tool: 'hello' }, {})
    console.log(result.content[0].text)
  `
  const home = await scratchFolder()

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module-typescript', '--eval', program],
    { env: { PATH: process.env['PATH'], HOME: home }, cwd: home, timeout: 20_000 },
  )

  expect(stdout).toBe('hello\n')
})

test('a server that is closed while it backs off is not tried again', async () => {
  await using hub = await openTestHub({ one: { command: process.execPath, args: ['-e', 'process.exit(1)'] } })
  await hub.catalogue()
  const states: string[] = []
  hub.on((event) => event.kind === 'state' && states.push(event.state.kind))

  await hub.control('one', 'disable')

  expect(states.at(-1)).toBe('disabled')
  expect(states).not.toContain('connecting')
})
