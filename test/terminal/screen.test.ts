import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/agent/session.ts'
import { openCommands } from '../../src/commands/open-commands.ts'
import { openScreen, type Screen } from '../../src/terminal/open-screen.ts'
import { calling, sessionWorld, type WorldOptions } from '../agent/session-world.ts'
import { fixture } from '../fixtures/fixture.ts'
import { seenTerminal, type SeenTerminal } from './seen-terminal.ts'
import { keys } from './session-place.ts'

interface OpenedScreen extends SeenTerminal, AsyncDisposable {
  readonly screen: Screen
  readonly visited: readonly string[]
  readonly remembered: readonly string[]
}

/** The screen over a real session with real servers and a scripted provider, in this process. */
async function openSeen(
  options: WorldOptions,
  { inputs = [], rows = 30 }: { readonly inputs?: readonly string[]; readonly rows?: number } = {},
): Promise<OpenedScreen> {
  const seen = seenTerminal(80, rows)
  const world = await sessionWorld(options)
  const [visited, remembered]: [string[], string[]] = [[], []]
  const screen = openScreen({
    terminal: seen.terminal,
    env: { NO_COLOR: '1' },
    inputs: { read: async () => inputs, add: async (text) => void remembered.push(text) },
    openPage: async (url) => {
      visited.push(url)
      return false
    },
  })
  let session: Session
  const commands = openCommands({
    hub: world.hub,
    session: () => session,
    conversations: {
      ...world.store,
      list: (words) => world.store.list(words === undefined ? {} : { words }),
      export: async () => '',
    },
    models: { list: async () => [], use: async () => {} },
    folder: world.hub.home,
  })
  const over = async (id?: string) => {
    const conversation = id === undefined ? world.store.create('/project') : await world.store.open(id)
    return world.again({ conversation, prepare: screen.prepareWith(commands) })
  }
  session = await over()
  screen.attach({
    commands,
    session: () => session,
    conversations: () => world.store.list(),
    async switchTo(id) {
      await session[Symbol.asyncDispose]()
      session = await over(id)
    },
  })
  return {
    ...seen,
    screen,
    visited,
    remembered,
    async [Symbol.asyncDispose]() {
      await screen[Symbol.asyncDispose]()
      commands[Symbol.dispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

const answer = 'Number or Enter answers'

describe('the screen over a real session', () => {
  test('shows a call from its question to its result, and the answer', async () => {
    await using seen = await openSeen({
      script: [{ calls: [calling('echo__add', { a: 1, b: 2 })] }, { text: 'It is **three**.' }],
    })
    await seen.shows('3 prompts')

    seen.type(`add${keys.enter}`)
    await seen.shows('May echo.add run?')
    await seen.shows(answer)
    seen.type(keys.down + keys.up + keys.enter)
    await seen.shows('It is three.')

    expect(seen.window()).toMatch(/✓ echo\.add a=1, b=2 {2}[\d.]+ s\n {2}3\n/)
    expect(seen.remembered).toEqual(['add'])
  })

  test('asks for what a prompt lacks, shows it first when asked to, and sends it', async () => {
    await using seen = await openSeen({ script: [{ text: 'Greeted.' }] })
    await seen.shows('3 prompts')

    seen.type('/greet')
    await seen.shows('› /echo:greet')
    seen.type(keys.tab)
    await seen.shows('who (needed)')
    seen.type(keys.ctrlP)
    await seen.shows(/1 of 2[\s\S]*\nEnter goes on · Esc gives the line back/)
    seen.type(`bob${keys.enter}`)
    await seen.shows('2 of 2')
    seen.type('\u001B[Z')
    await seen.shows('1 of 2')
    seen.type(keys.enter)
    await seen.shows('2 of 2')
    seen.type(keys.enter)
    await seen.shows('Nothing has been sent')
    await seen.shows('you │ Say hello to bob.')
    await seen.shows(/\n\/echo:greet who=bob\s*\n─/)
    seen.type(keys.enter)

    await seen.shows('Greeted.')
  })

  test('shows a question that is larger than the window in pages, and leaves no copies of it behind', async () => {
    const message = Array.from({ length: 30 }, (_, index) => `line ${index + 1}.`).join('\n')
    await using seen = await openSeen(
      { script: [{ calls: [calling('echo__echo', { message })] }, { text: 'Said.' }] },
      { rows: 22 },
    )
    await seen.shows('echo  ready')

    seen.type(`say it${keys.enter}`)
    await seen.shows(answer)
    await seen.shows(/line 8\.\n.* 22 more lines, Ctrl-O shows them/)
    for (const page of ['1 to 8', '9 to 16', '17 to 24', '25 to 30']) {
      seen.type(keys.ctrlO)
      await seen.shows(`lines ${page} of 30`)
    }
    await seen.shows(/May echo\.echo run\?[\s\S]*line 30\.\n.* folds them/)
    await seen.shows(/working [1-9]/)

    expect(seen.everything().match(/May echo\.echo run/g)).toHaveLength(1)
    seen.type('1')
    await seen.shows('Said.')
    expect(seen.everything()).not.toContain('May echo.echo run')
  })

  test('shows how a call ended, also when its line had scrolled away', async () => {
    const calls = Array.from({ length: 8 }, (_, index) => calling('echo__add', { a: index, b: 1 }, `c${index}`))
    await using seen = await openSeen({ script: [{ calls }, { text: 'All added.' }] }, { rows: 22 })
    await seen.shows('echo  ready')

    seen.type(`add them${keys.enter}`)
    await seen.shows(/7 more questions wait[\s\S]*Number or Enter answers/)
    seen.type('2')
    await seen.shows('All added.')

    expect(
      seen
        .everything()
        .match(/✓ echo\.add a=\d/g)
        ?.toSorted(),
    ).toEqual(calls.map((_, index) => `✓ echo.add a=${index}`))
  })

  test('refuses with a reason, and can go back from giving one', async () => {
    await using seen = await openSeen({ script: [{ calls: [calling('echo__erase')] }, { text: 'Kept.' }] })
    await seen.shows('3 prompts')

    seen.type(`erase${keys.enter}`)
    await seen.shows(answer)
    seen.type('5')
    await seen.shows('What should the model know?')
    seen.type(keys.escape)
    await seen.shows('no, and say why')
    seen.type('5')
    await seen.shows('What should the model know?')
    seen.type(`not today${keys.enter}`)

    await seen.shows('Kept.')
    expect(seen.window()).toContain('not today')
  })

  test('clears the field of a question on Ctrl-C, and never the line that was begun before it', async () => {
    await using seen = await openSeen({ script: [{ calls: [calling('echo__erase')] }, { text: 'Kept.' }] })
    await seen.shows('3 prompts')

    seen.type(`erase${keys.enter}a draft`)
    await seen.shows(answer)
    seen.type(keys.ctrlC)
    await seen.shows('Ctrl-C again leaves')
    seen.type('5')
    await seen.shows('What should the model know?')
    seen.type('reason')
    await seen.shows('reason')
    seen.type(keys.ctrlC)
    await seen.shows(/know\? \(optional\)\n─+\n *\n─/)
    seen.type(keys.enter)

    await seen.shows(/Kept\.[\s\S]*\na draft\s*\n─/)
    expect(seen.window()).not.toContain('They say')
  })

  test('goes on with another conversation, and begins a new one', async () => {
    await using seen = await openSeen({ script: [{ text: 'About boats.' }] })
    await seen.shows('3 prompts')
    seen.type(`boats${keys.enter}`)
    await seen.shows('About boats.')

    seen.type(`/clear${keys.enter}`)
    await seen.shows('A new conversation.')
    seen.type(`/resume${keys.enter}`)
    await seen.shows('Which conversation?')
    seen.type('zzz')
    seen.type(keys.enter)
    await seen.shows('Take one from the list.')
    seen.type(`\u007F\u007F\u007Fboats`)
    await seen.shows(/› \d{8}/)
    seen.type(keys.enter)

    await seen.shows(/Conversation \d{8}[\s\S]*› boats[\s\S]*About boats\./)
  })

  test('unfolds the last result of a conversation that is gone on with', async () => {
    const message = Array.from({ length: 9 }, (_, index) => `line ${index + 1}.`).join('\n')
    await using seen = await openSeen({ script: [{ calls: [calling('echo__echo', { message })] }, { text: 'Said.' }] })
    await seen.shows('3 prompts')
    seen.type(`say it${keys.enter}`)
    await seen.shows(answer)
    seen.type('1')
    await seen.shows('Said.')
    seen.type(`/resume${keys.enter}`)
    await seen.shows('There are no other conversations')
    seen.type(`/clear${keys.enter}`)
    await seen.shows('A new conversation.')
    seen.type(`/resume${keys.enter}`)
    await seen.shows(/Which conversation[\s\S]*› \d{8}.* say it/)

    seen.type(keys.enter)
    await seen.shows(/Conversation \d{8}[\s\S]*✓ echo\.echo[\s\S]*6 more lines, Ctrl-O shows them/)
    seen.type(keys.ctrlO)

    await seen.shows(/Conversation \d{8}[\s\S]*✓ echo\.echo[\s\S]*line 9\./)
  })

  test('says that a turn was stopped, also when nothing had come of it', async () => {
    await using seen = await openSeen({ script: [{ stallsAfter: 0 }] })
    await seen.shows('3 prompts')
    seen.type(`hello${keys.enter}`)
    await seen.shows('working')

    seen.type(keys.escape)

    await seen.shows(/› hello\n· Stopped\./)
  })

  test('says which server a message waits for', async () => {
    const servers = { echo: fixture('echo'), mute: fixture('never-answers') }
    await using seen = await openSeen({ servers, script: [] })
    await seen.shows('3 prompts')

    seen.type(`hello${keys.enter}`)

    await seen.shows(/waiting for mute 1\.\d s, Esc stops/)
  })

  test('says when there is nothing to sum up yet', async () => {
    await using seen = await openSeen({ script: [] })
    await seen.shows('3 prompts')

    seen.type(`/compact${keys.enter}`)

    await seen.shows(/› \/compact\n· Nothing has been said yet\./)
  })

  test('takes back what a model thought in a reply that broke off', async () => {
    await using seen = await openSeen({
      script: [
        { thinking: 'A first idea.', text: 'It may be so', errorAfter: 5 },
        { thinking: 'A second idea.', text: 'It is so.' },
      ],
    })
    await seen.shows('3 prompts')

    seen.type(`hello${keys.enter}`)
    await seen.shows('It is so.')

    expect(seen.window()).toContain('∴ A second idea.')
    expect(seen.window().match(/∴/g)).toHaveLength(1)
  })

  test('shows where a page is before it is visited, and what to do where no browser opens', async () => {
    await using seen = await openSeen({
      servers: { asks: fixture('asks') },
      script: [],
    })
    await seen.shows('servers 1/1')

    seen.type(`/call asks.visit url=https://example.org/form${keys.enter}`)
    await seen.shows('wants you to visit a page at example.org')
    await seen.shows(answer)
    seen.type('1')

    await seen.shows('Open it yourself: https://example.org/form')
    expect(seen.visited).toEqual(['https://example.org/form'])
  })

  test('fills in the form of a server: checks, choices, a change of mind, and what is sent', async () => {
    await using seen = await openSeen({ servers: { asks: fixture('asks') }, script: [] })
    await seen.shows('servers 1/1')

    seen.type(`/call asks.order${keys.enter}`)
    await seen.shows(answer)
    seen.type('1')
    await seen.shows('drink (one of these, needed)')
    seen.type(keys.enter)
    await seen.shows('drink is needed.')
    seen.type(`cof${keys.enter}`)
    await seen.shows('cups (a whole number, optional)')
    seen.type(keys.enter)
    await seen.shows('Send this to asks?')
    seen.type('2')
    await seen.shows('1 of 2')
    seen.type(keys.enter)
    await seen.shows('2 of 2')
    seen.type(keys.enter)
    await seen.shows('drink = "coffee"')
    seen.type('1')

    await seen.shows('2 coffee')
  })

  test('lists and takes back what is queued, and stops on Esc', async () => {
    await using seen = await openSeen({ script: [{ text: 'I begin', stallsAfter: 2 }] })
    await seen.shows('3 prompts')
    seen.type(`one${keys.enter}`)
    await seen.shows('I beg')

    seen.type(`two${keys.enter}`)
    await seen.shows('1. two')
    seen.type(keys.up)
    await seen.shows(/\ntwo\s*\n─/)
    seen.type(keys.enter)
    await seen.shows('1. two')
    seen.type(keys.escape)

    await seen.shows('Held: Enter goes on')
  })

  test('asks for a value of an entry unseen, and says when the question was left', async () => {
    await using seen = await openSeen({ script: [] })
    await seen.shows('3 prompts')

    const asked = seen.screen.onInput({ id: 'token', server: 'echo', file: 'mcp.json' })
    await seen.shows('echo needs a value')
    seen.type('secret')
    await seen.shows('••••••')
    seen.type(keys.enter)
    const left = seen.screen.onInput({ id: 'token', server: 'echo', file: 'mcp.json' })
    const outcome = expect(left).rejects.toMatchObject({ code: 'cancelled' })
    await expect(asked).resolves.toBe('secret')
    await seen.shows('until you pause')
    await seen.shows('Esc leaves the server out')
    seen.type(keys.escape)

    await outcome
    expect(seen.remembered).toEqual([])
  })

  test('leaves when Ctrl-C comes twice, and not when it comes once', async () => {
    await using seen = await openSeen({ script: [] }, { inputs: ['typed before'] })
    await seen.shows('3 prompts')
    seen.type(keys.up)
    await seen.shows('typed before')

    seen.type(keys.ctrlC)
    await seen.shows('Ctrl-C again leaves')
    seen.type(`x${keys.ctrlC}`)
    await seen.shows('Ctrl-C again leaves')
    seen.type(keys.ctrlC)

    await expect(seen.screen.left).resolves.toBeUndefined()
  })
})
