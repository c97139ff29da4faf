import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { world, type World } from './cli.ts'
import { linesOn, onTerminal } from './terminal.ts'

const [ctrlC, ctrlD] = ['\u0003', '\u0004']
const order = ['call', 'one.order']
const warm = { env: { CAPSTAN_DAEMON: 'on' } }
const patience = { timeout: 20_000 }

/** Somebody whose server `one` asks before it answers. */
async function somebody(more: Readonly<Record<string, unknown>> = {}): Promise<World> {
  const home = await world()
  await home.write({ '~/.config/capstan/mcp.json': { mcpServers: { one: { ...fixture('asks'), ...more } } } })
  return {
    ...home,
    async [Symbol.asyncDispose]() {
      await home.capstan(['stop'], warm)
      await home[Symbol.asyncDispose]()
    },
  }
}

const everyKind = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name', description: 'As on the door', minLength: 2 },
    mail: { type: 'string', format: 'email' },
    cups: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
    hot: { type: 'boolean', default: true },
    size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] },
    year: { type: 'string', enum: ['2025', '2026'] },
    with: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'm', title: 'Milk' },
          { const: 's', title: 'Sugar' },
        ],
      },
    },
  },
  required: ['name', 'size'],
}
const fill = (schema: unknown, message = 'Tell us \u001B[2J\nServer "two" asks:') => [
  'call',
  'one.fill',
  '--args',
  JSON.stringify({ message, schema: JSON.stringify(schema) }),
]

describe('a form on a terminal', () => {
  test('asks for every kind of field, again where an answer does not fit, and sends what was agreed on', async () => {
    await using home = await somebody()
    await using terminal = onTerminal(home, fill(everyKind), { columns: 200 })

    await terminal.shows('Server "one" asks:')
    await terminal.shows('Ctrl-D declines')
    await terminal.shows('Your name: As on the door')
    await terminal.shows('Your name (at least 2 characters long): ')
    terminal.type('\r')
    await terminal.shows('Your name is needed.')
    terminal.type('A\r')
    await terminal.shows('Your name must be at least 2 characters long.')
    await terminal.shows('Your name (at least 2 characters long): ')
    terminal.type('Ada\r')
    await terminal.shows('mail (an email address, optional): ')
    terminal.type('-\r')
    await terminal.shows('cups (a whole number, at least 1, at most 9, optional) [2]: ')
    terminal.type('10\r')
    await terminal.shows('cups must be at most 9.')
    await terminal.shows('[2]: ')
    terminal.type('\r')
    await terminal.shows('hot (yes or no, optional) [yes]: ')
    terminal.type('n\r')
    await terminal.shows('  1  Small (s)')
    await terminal.shows('  2  Large (l)')
    await terminal.shows('size (1-2): ')
    terminal.type('2\r')
    await terminal.shows('  -  2025')
    await terminal.shows('year (one of these, optional): ')
    terminal.type('2026\r')
    await terminal.shows('  2  Sugar (s)')
    await terminal.shows('with (some of 1-2, as in 1,2, optional): ')
    terminal.type('1, 2\r')
    await terminal.shows('Send this to "one"? [yes/change/no] (yes) ')
    terminal.type('\r')

    expect(await terminal.ended).toBe(0)
    const content = { cups: 2, name: 'Ada', hot: false, size: 'l', year: '2026', with: ['m', 's'] }
    expect(JSON.parse(linesOn(terminal).at(-2) ?? '')).toMatchObject({ action: 'accept', content })
    // The words of the server are set in, so that none of them passes for ours, and drive no terminal.
    expect(linesOn(terminal)).toContain('  Server "two" asks:')
    expect(terminal.bytes()).not.toContain('\u001B[2J')
  })

  test('can be changed before it is sent, and keeps what stands in it', async () => {
    await using home = await somebody()
    await using terminal = onTerminal(home, order)

    await terminal.shows('drink (1-2): ')
    terminal.type('1\r')
    await terminal.shows('[2]: ')
    terminal.type('4\r')
    await terminal.shows('Send this')
    terminal.type('change\r')
    await terminal.shows('drink (1-2) [tea]: ')
    terminal.type('coffee\r')
    await terminal.shows('[4]: ')
    terminal.type('\r')
    await terminal.shows('Send this')
    terminal.type('yes\r')
    await terminal.shows('4 coffee')

    expect(await terminal.ended).toBe(0)
  })

  test.each([
    ['"no"', ['1\r', '\r', 'no\r']],
    ['Ctrl-D', [ctrlD]],
  ])('is declined by %s', async (_how, keys) => {
    await using home = await somebody()
    await using terminal = onTerminal(home, order)

    for (const [at, key] of keys.entries()) {
      await terminal.shows(['drink (', 'cups (', 'Send this'][at] ?? '')
      await terminal.shows(': '.slice(at === 2 ? 1 : 0))
      terminal.type(key)
    }
    await terminal.shows('decline')

    expect(await terminal.ended).toBe(0)
  })

  test('is left by Ctrl-C, and the call goes on', async () => {
    await using home = await somebody()
    await using terminal = onTerminal(home, order)

    await terminal.shows('drink (1-2): ')
    terminal.type(ctrlC)
    await terminal.shows('Ctrl-C again cancels the call')
    await terminal.shows('cancel')

    expect(await terminal.ended).toBe(0)
  })

  test('is left together with its call by a second Ctrl-C', async () => {
    await using home = await somebody()
    await using terminal = onTerminal(home, ['call', 'one.insist'])

    await terminal.shows('drink (1-2): ')
    terminal.type(ctrlC)
    await terminal.shows('drink (1-2): ')
    terminal.type(ctrlC)

    expect(await terminal.ended).toBe(130)
  })

  test('without fields asks for a word of consent', async () => {
    await using home = await somebody()
    await using terminal = onTerminal(home, fill({ type: 'object', properties: {} }, 'Delete everything?'))

    await terminal.shows('Delete everything?')
    await terminal.shows('Agree? [yes/no] ')
    terminal.type('yes\r')
    await terminal.shows('{"action":"accept","content":{}}')

    expect(await terminal.ended).toBe(0)
  })

  test('is not disturbed by progress', async () => {
    await using home = await somebody({ args: [...fixture('asks').args, 'legacy'] })
    await using terminal = onTerminal(home, ['call', 'one.steps'])

    await terminal.shows('/1000')
    await terminal.shows('drink (1-2): ')
    const before = terminal.bytes()
    terminal.type('1')
    await terminal.shows('1')
    terminal.type('\r')
    await terminal.shows('[2]: ')
    terminal.type('\r')
    await terminal.shows('Send this')
    const meanwhile = terminal.bytes().slice(before.length)
    terminal.type('\r')
    await terminal.shows('made tea')

    expect(await terminal.ended).toBe(0)
    expect(meanwhile).not.toContain('/1000')
  })

  test('asks only for what --answer leaves open', async () => {
    await using home = await somebody()
    await using terminal = onTerminal(home, [...order, '--answer', 'cups=0'])

    await terminal.shows('drink (1-2): ')
    terminal.type('tea\r')
    await terminal.shows('cups (')
    await terminal.shows('[2]: ')
    terminal.type('5\r')
    await terminal.shows('Send this')
    terminal.type('\r')
    await terminal.shows('5 tea')

    expect(await terminal.ended).toBe(0)
  })

  test('is there in exec, through the daemon too', async () => {
    await using home = await somebody()
    await using terminal = onTerminal(home, ['exec', '-e', 'await tools.one.order()'], warm)

    await terminal.shows('drink (1-2): ')
    terminal.type('2\r')
    await terminal.shows('[2]: ')
    terminal.type('\r')
    await terminal.shows('Send this')
    terminal.type('\r')
    await terminal.shows('2 coffee')

    expect(await terminal.ended).toBe(0)
  })
})

describe('a page that a server wants visited', () => {
  test('is opened only after its host was shown and the person said yes', async () => {
    await using home = await somebody()
    const visits = join(home.home, 'visits')
    const browser = join(home.home, 'browser')
    await writeFile(browser, `#!/bin/sh\necho "$1" >> ${visits}\n`)
    await chmod(browser, 0o755)
    const visit = ['call', 'one.visit', 'url=https://example.org/confirm?a=1']
    const look = { env: { BROWSER: browser } }

    await using refused = onTerminal(home, visit, look)
    await refused.shows('a page at example.org:')
    await refused.shows('Open it? [yes/no] ')
    refused.type('no\r')
    await refused.shows('decline')
    await expect(readFile(visits, 'utf8')).rejects.toThrow()
    await using agreed = onTerminal(home, visit, look)
    await agreed.shows('Open it? [yes/no] ')
    agreed.type('yes\r')
    await agreed.shows('accept')

    expect(await readFile(visits, 'utf8')).toBe('https://example.org/confirm?a=1\n')
  })
})

describe('a question in a script', () => {
  test.each([
    ['is answered by --answer', ['--answer', 'drink=tea', '--answer', 'cups=3'], '3 tea', ''],
    ['gets the defaults of the server', ['--answer', 'drink=tea'], '2 tea', ''],
    ['is declined where an answer is missing', ['--answer', 'cups=3'], 'decline', 'drink is needed.'],
    ['is declined where an answer does not fit', ['--answer', 'drink=milk'], 'decline', 'tea, coffee'],
    ['is declined by --no-input', ['--no-input'], 'decline', 'Answer with --answer FIELD=VALUE: drink, cups.'],
    ['is declined where nobody can answer', [], 'decline', 'Server "one" asks: "What may it be?" It was declined.'],
  ])('%s', async (_what, flags, result, said) => {
    await using home = await somebody()

    const { code, stdout, stderr } = await home.capstan([...order, ...flags])

    expect([code, stdout]).toEqual([0, expect.stringContaining(result)])
    expect(stderr).toContain(said)
    if (said === '') expect(stderr).toBe('')
  })

  test('names an answer that nothing asked for, and refuses one that is none', async () => {
    await using home = await somebody()

    const unused = await home.capstan([...order, '--answer', 'drink=tea', '--answer', 'sugar=1'])
    const wrong = await home.capstan([...order, '--answer', 'tea'])

    expect(unused).toMatchObject({ code: 0, stderr: 'warning: no question had a field "sugar"\n' })
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--answer wants FIELD=VALUE') })
  })

  test('for a page or a model is declined with the reason', async () => {
    await using home = await somebody({ sampling: true })

    const page = await home.capstan(['call', 'one.visit', 'url=https://example.org/x', '--no-input'])
    const model = await home.capstan(['call', 'one.think', '--no-input'])

    expect(page).toMatchObject({ stdout: 'decline\n', stderr: expect.stringContaining('example.org') })
    expect(model.stderr).toContain('no model')
  })
})

describe('behind the daemon a question that its command cannot show', () => {
  test('waits in review, is listed there, and answered there', async () => {
    await using home = await somebody()
    const calling = home.start(order, warm)
    const asks = async () =>
      (JSON.parse((await home.capstan(['review', '--json'], warm)).stdout) as { asks: readonly unknown[] }).asks
    await vi.waitFor(
      async () => expect(await asks()).toMatchObject([{ id: 'ask:1', server: 'one', kind: 'form' }]),
      patience,
    )

    const listed = await home.capstan(['review'], warm)
    const wrong = await home.capstan(['review', '--answer', 'drink=milk'], warm)
    const answered = await home.capstan(['review', 'ask:1', '--answer', 'drink=tea', '--answer', 'cups=7'], warm)
    const { code, stdout, stderr } = await calling.ended

    expect(listed).toMatchObject({
      code: 5,
      stdout: expect.stringMatching(/ask:1 {2}Server "one" asks: .*drink, cups/s),
    })
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('tea, coffee') })
    expect(answered).toMatchObject({ code: 0, stdout: 'Answered: ask:1.\n' })
    expect([code, stdout]).toEqual([0, '7 tea, kept "as is"\n'])
    expect(stderr.match(/waits as ask:1 for your answer.*capstan review/g)).toHaveLength(1)
    expect(await home.capstan(['review'], warm)).toMatchObject({ code: 0 })
  })

  test('is answered in review with the same form', async () => {
    await using home = await somebody()
    const calling = home.start(order, warm)
    await vi.waitFor(async () => expect((await home.capstan(['review'], warm)).stdout).toContain('ask:1'), patience)
    await using terminal = onTerminal(home, ['review'], warm)

    await terminal.shows('drink (1-2): ')
    terminal.type('2\r')
    await terminal.shows('[2]: ')
    terminal.type('\r')
    await terminal.shows('Send this')
    terminal.type('\r')
    await terminal.shows('Answered: ask:1.')

    expect(await terminal.ended).toBe(0)
    expect((await calling.ended).stdout).toContain('2 coffee')
  })

  test('can be declined there', async () => {
    await using home = await somebody()
    const calling = home.start(order, warm)
    await vi.waitFor(async () => expect((await home.capstan(['review'], warm)).stdout).toContain('ask:1'), patience)

    expect(await home.capstan(['review', '--decline'], warm)).toMatchObject({ code: 0 })
    expect(await calling.ended).toMatchObject({ code: 0, stdout: 'decline\n' })
  })

  test('waits no longer than its call may take', async () => {
    await using home = await somebody({ timeout: 1, maxTimeout: 2 })

    expect(await home.capstan(order, warm)).toMatchObject({ code: 4, stderr: expect.stringContaining('ask:1') })
    expect(await home.capstan(['review', 'ask:1', '--decline'], warm)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('its call is over'),
    })
    expect(JSON.parse((await home.capstan(['review', '--json'], warm)).stdout)).toMatchObject({ asks: [] })
  })

  test('goes away with the command that waits for it', async () => {
    await using home = await somebody()
    const calling = home.start(order, warm)
    await vi.waitFor(async () => expect((await home.capstan(['review'], warm)).stdout).toContain('ask:1'), patience)

    calling.child.kill('SIGINT')

    expect(await calling.ended).toMatchObject({ code: 130 })
    await vi.waitFor(async () => expect((await home.capstan(['review'], warm)).stdout).not.toContain('ask:1'), patience)
  })

  test('does not wait after --no-input', async () => {
    await using home = await somebody()

    expect(await home.capstan([...order, '--no-input'], warm)).toMatchObject({ code: 0, stdout: 'decline\n' })
  })
})
