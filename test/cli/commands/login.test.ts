import { describe, expect, test } from 'vitest'
import { command as call } from '../../../src/cli/commands/call.ts'
import { command as login } from '../../../src/cli/commands/login.ts'
import { command as logout } from '../../../src/cli/commands/logout.ts'
import { CapstanError } from '../../../src/errors.ts'
import type { Answer, AskOptions, Hub, ServerStatus } from '../../../src/hub/api.ts'
import { literalHub, ready, toolOf } from '../literal-hub.ts'
import { person } from '../person.ts'
import { record } from '../recorded-context.ts'

const page = 'https://login.example/authorize?state=x'

/** A hub whose servers can be logged in to; it keeps the answers that it got. */
function guardedHub(statuses: readonly ServerStatus[], fails: readonly string[] = []) {
  const answers: (Answer | undefined)[] = []
  const actions: string[] = []
  const hub: Hub = {
    ...literalHub({ statuses }),
    async control(server, action, { onAsk, signal = new AbortController().signal }: AskOptions = {}) {
      actions.push(`${action} ${server}`)
      if (fails.includes(server)) throw new CapstanError('not_allowed', `No login at "${server}".`, { server })
      if (action !== 'login') return
      answers.push(await onAsk?.({ kind: 'url', purpose: 'login', server, message: 'Log in.', url: page }, { signal }))
    },
  }
  return { hub, answers, actions }
}

function needsLogin(name: string): ServerStatus {
  const error = { code: 'login_needed', message: `Server "${name}" wants a login.`, server: name } as const
  return { name, state: { kind: 'needs_login', error } }
}

const noBrowser = { 'no-browser': true }

describe('capstan login', () => {
  test('shows the page, and hands over the address that was pasted', async () => {
    const { hub, answers } = guardedHub([needsLogin('tracker')])
    const { io } = person({ types: 'http://127.0.0.1:1/callback?code=c\n' })

    const { code, out, err } = await record(login, {
      hub,
      io: { stdin: io.stdin as NodeJS.ReadableStream },
      positionals: ['tracker'],
      values: noBrowser,
    })

    expect(answers).toEqual([{ action: 'accept', content: { redirect: 'http://127.0.0.1:1/callback?code=c' } }])
    expect(err).toContain(`say yes at login.example:\n  ${page}\n`)
    expect(out).toBe('Logged in to "tracker".\n')
    expect(code).toBe(0)
  })

  test('waits for the browser when nobody pastes anything', async () => {
    const { hub, answers } = guardedHub([needsLogin('tracker')])
    const { stdin } = person()
    stdin.end()

    await record(login, { hub, io: { stdin }, positionals: ['tracker'], values: noBrowser })

    expect(answers).toEqual([{ action: 'accept' }])
  })

  test('opens the browser without asking for anything', async () => {
    const { hub, answers } = guardedHub([needsLogin('tracker')])

    const { err } = await record(login, {
      hub,
      io: { env: { PATH: process.env['PATH'], BROWSER: 'true' } },
      positionals: ['tracker'],
    })

    expect(answers).toEqual([{ action: 'accept' }])
    expect(err).toContain('opened in your browser')
  })

  test('without a name takes those that need it, and goes on after one that fails', async () => {
    const { hub, actions } = guardedHub([needsLogin('a'), ready('b'), needsLogin('c')], ['a'])

    const { code, out, err } = await record(login, { hub, io: { env: { BROWSER: 'true', PATH: process.env['PATH'] } } })

    expect(actions).toEqual(['login a', 'login c'])
    expect(err).toContain('No login at "a".')
    expect(out).toBe('Logged in to "c".\n')
    expect(code).toBe(5)
  })

  test('says when nobody needs it', async () => {
    const { hub } = guardedHub([ready('b')])

    const { code, out, err } = await record(login, { hub })

    expect({ code, out, err }).toEqual({ code: 0, out: '', err: 'No server needs a login.\n' })
  })

  test('with --json prints one value, and nothing of the page in it', async () => {
    const { hub } = guardedHub([needsLogin('a'), needsLogin('c')], ['a'])

    const { out } = await record(login, {
      hub,
      flags: { json: true },
      io: { env: { BROWSER: 'true', PATH: process.env['PATH'] } },
    })

    expect(JSON.parse(out)).toEqual({
      servers: [
        { server: 'a', state: 'failed', error: { code: 'not_allowed', message: 'No login at "a".', server: 'a' } },
        { server: 'c', state: 'logged_in' },
      ],
    })
    expect(out).not.toContain('login.example')
  })

  test('names a server that is not there', async () => {
    const { hub } = guardedHub([needsLogin('tracker')])

    await expect(record(login, { hub, positionals: ['trackr'] })).rejects.toMatchObject({ code: 'server_unknown' })
  })
})

describe('capstan logout', () => {
  test('forgets the logins that were named', async () => {
    const { hub, actions } = guardedHub([ready('a'), ready('b')])

    const { out } = await record(logout, { hub, positionals: ['b'] })

    expect(actions).toEqual(['logout b'])
    expect(out).toBe('Logged out of "b".\n')
  })

  test('wants to know from which', async () => {
    await expect(record(logout, {})).rejects.toMatchObject({ code: 'usage' })
  })
})

describe('a call that needs a login', () => {
  function refusingHub() {
    const { hub, actions } = guardedHub([ready('tracker')])
    const refused = new CapstanError('login_needed', 'Server "tracker" wants more rights.', { server: 'tracker' })
    const listing = literalHub({ statuses: [ready('tracker')], catalogue: { tools: [toolOf('tracker', 'find')] } })
    const calling: Hub = {
      ...hub,
      catalogue: (options) => listing.catalogue(options),
      async call() {
        actions.push('call')
        if (!actions.includes('login tracker')) throw refused
        return { content: [{ type: 'text', text: 'found' }] }
      },
    }
    return { hub: calling, actions }
  }
  const env = { BROWSER: 'true', PATH: process.env['PATH'] }

  test('offers it on a terminal, and is made again after a yes', async () => {
    const { hub, actions } = refusingHub()
    const { stdin } = person({ types: 'yes\n' })

    const { out, err } = await record(call, {
      hub,
      io: { stdin, env },
      flags: { mayAsk: true },
      positionals: ['tracker.find'],
    })

    expect(actions).toEqual(['call', 'login tracker', 'call'])
    expect(err).toContain('Log in to "tracker" now?')
    expect(out).toBe('found\n')
  })

  test('fails as before after a no', async () => {
    const { hub, actions } = refusingHub()
    const { stdin } = person({ types: 'no\n' })

    const calling = record(call, { hub, io: { stdin, env }, flags: { mayAsk: true }, positionals: ['tracker.find'] })

    await expect(calling).rejects.toMatchObject({ code: 'login_needed' })
    expect(actions).toEqual(['call'])
  })

  test('fails at once where nobody can be asked', async () => {
    const { hub, actions } = refusingHub()

    const calling = record(call, { hub, io: { env }, positionals: ['tracker.find'] })

    await expect(calling).rejects.toMatchObject({ code: 'login_needed' })
    expect(actions).toEqual(['call'])
  })
})
