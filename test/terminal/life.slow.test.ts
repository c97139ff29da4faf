import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isRunning, processesWith } from '../e2e/cli.ts'
import { fixture } from '../fixtures/fixture.ts'
import { keys, sessionPlace } from './session-place.ts'

const ready = 'servers 1/1'
const call = { id: 'c1', name: 'echo__add', json: '{"a":1,"b":2}' }
const talk = [{ calls: [call] }, { text: 'It is **three**.' }]

describe('the life of a session', () => {
  test.each(['chat', 'anthropic'] as const)(
    'goes on after kill -9, over the wire protocol %s: prompt, approved call, answer, resume, history',
    async (dialect) => {
      await using place = await sessionPlace({ dialect, script: [...talk, { text: 'As I said: three.' }] })
      {
        await using eye = place.open()
        await eye.shows('3 prompts')
        eye.type(`/echo:greet who=Ada${keys.enter}`)
        await eye.shows('May echo.add run?')
        await eye.shows('Number or Enter answers')
        eye.type('1')
        await eye.shows('It is three.')
        await eye.hides('working')
        eye.kill()
        await eye.ended
      }
      const [file = ''] = await readdir(join(place.home.home, '.local/state/capstan/conversations'))

      await using again = place.open(['--resume', file.slice(0, 18)])
      await again.shows('Say hello to Ada.')
      await again.shows('✓ echo.add a=1, b=2')
      await again.shows('It is three.')
      await again.shows(ready)
      again.type(`what was it?${keys.enter}`)
      await again.shows('As I said: three.')
      again.type(`/history${keys.enter}`)

      await again.shows('/echo:greet')
      await again.shows('done')
      const last = place.model.requests.at(-1)?.text ?? ''
      expect(last).toContain('Say hello to Ada.')
      expect(last).toContain('It is **three**.')
    },
  )

  test('has its servers again after the daemon behind it was killed', async () => {
    const env = { CAPSTAN_DAEMON: 'on' }
    await using place = await sessionPlace({})
    await using eye = place.open(['chat'], { env })
    await eye.shows(ready)
    const { daemon } = JSON.parse((await place.home.capstan(['status', '--json'], { env })).stdout) as {
      readonly daemon: { readonly pid: number }
    }

    process.kill(daemon.pid, 'SIGKILL')
    await eye.shows('The servers are there again.')
    eye.type(`/call echo.echo message=hello${keys.enter}`)

    await eye.shows(/message=hello\n+hello\n/)
    await place.home.capstan(['stop'], { env })
  })

  test('says of a call that was cut off by kill -9 that nobody knows how it ended, and the conversation goes on', async () => {
    const slow = { id: 'c1', name: 'echo__slow', json: '{"ms":60000}' }
    await using place = await sessionPlace({
      servers: { echo: { ...fixture('echo'), alwaysAllow: ['slow'] } },
      script: [{ calls: [slow] }, { text: 'I do not know.' }],
    })
    {
      await using eye = place.open()
      await eye.shows(ready)
      eye.type(`wait${keys.enter}`)
      await eye.shows('● echo.slow')
      eye.kill()
      await eye.ended
    }

    await using again = place.open(['--continue'])
    await again.shows('interrupted')
    await again.shows(ready)
    again.type(`did it work?${keys.enter}`)

    await again.shows('I do not know.')
    expect(place.model.requests[1]?.text).toContain('nterrupted')
  })

  test('offers the conversations to choose from, and begins a new one on /clear', async () => {
    await using place = await sessionPlace({ script: [{ text: 'About boats.' }, { text: 'About trains.' }] })
    await using eye = place.open()
    await eye.shows(ready)
    eye.type(`boats please${keys.enter}`)
    await eye.shows('About boats.')
    eye.type(`/clear${keys.enter}`)
    await eye.shows('A new conversation.')
    eye.type(`trains please${keys.enter}`)
    await eye.shows('About trains.')
    eye.type(`/exit${keys.enter}`)
    expect(await eye.ended).toBe(0)

    await using again = place.open(['--resume'])
    await again.shows('Which conversation?')
    await again.shows('boats please')
    again.type('boats')
    await again.hides('trains please')
    again.type(keys.enter)

    await again.shows('About boats.')
    expect(again.window().join('\n')).not.toContain('About trains.')
  })

  test('leaves nothing running, and the terminal as it was', async () => {
    const mark = `capstan-session-${process.pid}`
    await using place = await sessionPlace({ servers: { echo: fixture('echo', { args: [mark] }) } })
    await using eye = place.open()
    await eye.shows(ready)
    expect(processesWith(mark)).not.toEqual([])

    eye.type(keys.ctrlC)
    await eye.shows('Ctrl-C again leaves')
    eye.type(keys.ctrlC)

    expect(await eye.ended).toBe(0)
    expect(processesWith(mark)).toEqual([])
    expect(isRunning(eye.pid)).toBe(false)
    expect(eye.bytes()).toContain('\u001B[?2004l')
    expect(eye.bytes().lastIndexOf('\u001B[?25h')).toBeGreaterThan(eye.bytes().lastIndexOf('\u001B[?25l'))
    expect(eye.window().join('\n')).not.toContain('servers')
  })

  test('leaves when it is told to by a signal, with its servers', async () => {
    const mark = `capstan-signal-${process.pid}`
    await using place = await sessionPlace({ servers: { echo: fixture('echo', { args: [mark] }) } })
    await using eye = place.open()
    await eye.shows(ready)

    process.kill(eye.pid, 'SIGTERM')

    expect(await eye.ended).toBe(130)
    expect(processesWith(mark)).toEqual([])
  })

  test('opens on the overview when capstan is typed alone, and with what needs the person', async () => {
    await using place = await sessionPlace({
      servers: { echo: fixture('echo'), broken: { command: 'not-there-at-all' } },
    })
    await using eye = place.open([])

    await eye.shows('Needs you')
    await eye.shows('capstan doctor broken')
    await eye.shows('servers 1/2')
  })

  test('begins with a prompt that the command line names', async () => {
    await using place = await sessionPlace({ script: [{ text: 'Hello, Ada.' }] })
    await using eye = place.open(['--interactive-prompt', 'echo:greet', 'who=Ada Lovelace'])

    await eye.shows('Say hello to Ada Lovelace.')
    await eye.shows('Hello, Ada.')
  })

  test('is not held in a pipe, nor where CI is set, and that is said with what to do', async () => {
    await using place = await sessionPlace()

    const piped = await place.home.capstan(['chat'])
    await using eye = place.open(['chat'], { env: { CI: '1' } })
    await using bare = place.open([], { env: { CI: '1' } })

    expect(await bare.ended).toBe(0)
    expect(bare.window().join('\n')).toMatch(/no session, because CI is set[\s\S]*Servers\n {2}echo/)
    expect(piped).toMatchObject({ code: 2, stdout: '' })
    expect(piped.stderr).toContain('no terminal')
    expect(piped.stderr).toContain('capstan ask')
    expect(await eye.ended).toBe(2)
    expect(eye.window().join('\n')).toContain('CI is set')
  })
})
