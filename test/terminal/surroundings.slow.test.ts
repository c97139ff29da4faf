import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { bin, processesWith } from '../e2e/cli.ts'
import { hasShell } from '../e2e/shell.ts'
import { fixture } from '../fixtures/fixture.ts'
import { watch, type Eye } from './eye.ts'
import { keys, sessionPlace, type SessionPlace } from './session-place.ts'

const ready = 'servers 1/1'
const examples = fileURLToPath(new URL('../../examples/mcp.json', import.meta.url))

describe('a session in its surroundings', () => {
  test.skipIf(!has('tmux'))(
    'works in tmux on the example servers: a prompt completed, a call approved, kill -9, resume',
    async () => {
      const call = { id: 'c1', name: 'everything__get-sum', json: '{"a":2,"b":40}' }
      await using place = await sessionPlace({ script: [{ calls: [call] }, { text: 'The sum is **42**.' }] })
      const { eye, capstan } = tmux(place)
      await using _eye = eye

      eye.type(`${capstan} --config ${examples}${keys.enter}`)
      await eye.shows('servers 3/3')
      eye.type('/ev')
      await eye.shows('/everything:args-prompt')
      eye.type(`com${keys.tab}`)
      await eye.shows('/everything:completable-prompt')
      eye.type('department=Eng')
      await eye.shows('› Engineering')
      eye.type(keys.tab)
      await eye.shows('department=Engineering')
      eye.type('name=')
      await eye.shows('Alice')
      eye.type(`Ali${keys.tab}`)
      await eye.shows('name=Alice')
      eye.type(keys.enter)
      await eye.shows('May everything.get-sum run?')
      await eye.shows('Number or Enter answers')
      eye.type('1')
      await eye.shows('The sum is 42.')
      await eye.hides('working')
      eye.type(`/conversations${keys.enter}`)
      await eye.shows(/\d{8}-\d{6}-\w+/)
      const id = /\d{8}-\d{6}-\w+/.exec(eye.window().join('\n'))?.[0] ?? ''
      const [pid = 0] = processesWith(`${bin}\0--config\0${examples}`)
      process.kill(pid, 'SIGKILL')
      await eye.shows('Killed')
      // Nobody was left to set the terminal right, where Enter is not yet the end of a line.
      eye.type(`stty sane; clear; ${capstan} --config ${examples} --resume ${id}\n`)
      await eye.hides('Killed')

      await eye.shows('The sum is 42.')
      await eye.shows('✓ everything.get-sum a=2, b=40')
      eye.type(`/exit${keys.enter}`)
      // With the servers that it was held with.
      await eye.shows(/To go on with this conversation: (?:npx )?capstan --resume \S+\s+--config/)
    },
  )

  test.skipIf(!hasShell('bash'))('is left with Ctrl-Z and come back to with fg', async () => {
    await using place = await sessionPlace()
    await using eye = watch({
      command: ['bash', '--noprofile', '--norc', '-i'],
      cwd: place.home.cwd,
      env: environment(place),
    })
    eye.type(`'${process.execPath}' '${bin}' chat${keys.enter}`)
    await eye.shows(ready)
    eye.type('half a line')
    await eye.shows('half a line')

    eye.type('\u001A')
    await eye.shows('Stopped')
    eye.type(`echo back in the $((40 + 2))th shell${keys.enter}`)
    await eye.shows('back in the 42th shell')
    eye.type(`fg${keys.enter}`)
    await eye.shows(/\nhalf a line\s*\n─/)
    eye.type(' and more')

    await eye.shows('half a line and more')
  })

  test('runs over the daemon, and ends without it', async () => {
    const mark = `capstan-warm-${process.pid}`
    await using place = await sessionPlace({ servers: { echo: fixture('echo', { args: [mark] }) } })
    const env = { CAPSTAN_DAEMON: 'on', CAPSTAN_DAEMON_IDLE: '30' }
    try {
      await using eye = place.open(['chat'], { env })
      await eye.shows('servers are now kept warm')
      await eye.shows(ready)
      eye.type(`/call echo.add a=40 b=2${keys.enter}`)
      await eye.shows('42')
      eye.type(`/exit${keys.enter}`)

      expect(await eye.ended).toBe(0)
      expect(processesWith(mark)).not.toEqual([])
    } finally {
      await place.home.capstan(['stop'], { env })
    }
    // The daemon answers before its servers have ended.
    await vi.waitFor(() => expect(processesWith(mark)).toEqual([]), 5000)
  })

  test('asks for the value that an entry needs, unseen, and keeps it', async () => {
    const entry = { ...fixture('echo'), env: { TOKEN: '${input:token}' } }
    await using place = await sessionPlace({ servers: { echo: entry } })
    {
      await using eye = place.open()
      await eye.shows('needs a value before it can start')
      eye.type('sesame')
      await eye.shows('••••••')
      eye.type(keys.enter)
      await eye.shows(ready)
      eye.type(`/call echo.env name=TOKEN${keys.enter}`)
      await eye.shows('sesame')
      eye.type(`/exit${keys.enter}`)
      await eye.ended
    }

    await using again = place.open()
    await again.shows(ready)
  })

  test('asks what a server wants to know during a call that the person typed', async () => {
    await using place = await sessionPlace({ servers: { asks: fixture('asks') } })
    await using eye = place.open()
    await eye.shows(ready)

    eye.type(`/call asks.order${keys.enter}`)
    await eye.shows('What may it be?')
    await eye.shows('Number or Enter answers')
    eye.type('2')

    await eye.shows('decline')
  })
})

function has(program: string): boolean {
  try {
    execFileSync(program, ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function environment({ home, model }: SessionPlace): Readonly<Record<string, string>> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home.home,
    CAPSTAN_DAEMON: 'off',
    CAPSTAN_MODEL: 'scripted',
    CAPSTAN_MODEL_URL: model.url,
    LC_ALL: 'C.UTF-8',
  }
}

/** A shell in tmux, whose server ends with the terminal that it is shown on. */
function tmux(place: SessionPlace): { readonly eye: Eye; readonly capstan: string } {
  const command = ['tmux', '-L', `capstan-${process.pid}`, '-f', '/dev/null', 'new-session', 'sh'] as const
  const kept = ['set', '-g', 'destroy-unattached', 'on'] as const
  const eye = watch({ command: [...command, ';', ...kept], cwd: place.home.cwd, env: environment(place), rows: 40 })
  return { eye, capstan: `'${process.execPath}' '${bin}'` }
}
