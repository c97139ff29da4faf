import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { shells } from '../../src/cli/complete/split-line.ts'
import { fixture } from '../fixtures/fixture.ts'
import { completionPlace as place } from './completion-place.ts'
import { oddValues } from './odd-names-server.ts'
import { hasShell, openShell } from './shell.ts'

const odd = { command: process.execPath, args: [fileURLToPath(new URL('odd-names-server.ts', import.meta.url))] }

describe.each(shells.map((shell) => ({ shell })))('in $shell', ({ shell }) => {
  const there = test.skipIf(!hasShell(shell))

  there('Tab completes verbs, flags, servers, tools, arguments and values', async () => {
    await using home = await place({ one: fixture('echo'), sleeping: { command: 'x', disabled: true } })
    await using terminal = openShell(shell, home)
    const completed = async (line: string) => (await terminal.wordsAfter(`${line}\t`)).slice(1).join(' ')

    expect(await completed('capstan docto')).toBe('doctor')
    expect(await completed('capstan list --tok')).toBe('list --tokens')
    expect(await completed('capstan enable ')).toBe('enable sleeping')
    expect(await completed('capstan call one.ch')).toBe('call one.choose')
    expect(await completed('capstan call one.choose col')).toBe('call one.choose colour=')
    expect(await completed('capstan call one.choose colour=g')).toBe('call one.choose colour=green')
    expect(await completed('capstan call one.choose "colour=g')).toBe('call one.choose colour=green')
    expect(await completed('capstan call one.choose colour=red bri')).toBe('call one.choose colour=red bright=')
    expect(await completed('capstan prompt one:gr')).toBe('prompt one:greet')
    expect(await completed('capstan prompt one:greet wh')).toBe('prompt one:greet who=')
    expect(await completed('capstan read not')).toBe('read note://one')
    expect(await completed('capstan list --conf')).toBe('list --config')
    expect(await completed('capstan nonsense o')).toBe('nonsense o')
  })

  there('Tab completes names of files behind @, behind flags that take one, and behind --', async () => {
    await using home = await place()
    await using terminal = openShell(shell, home)
    const last = async (line: string) => (await terminal.wordsAfter(`${line}\t`)).at(-1)

    expect(await last('capstan call one.echo message=@READ')).toBe('message=@README.md')
    expect(await last('capstan call one.echo message=@my')).toBe('message=@my notes.txt')
    expect(await last('capstan call one.echo message=@docs/')).toBe('message=@docs/a.md')
    expect(await last('capstan list --config READ')).toBe('README.md')
    expect(await last('capstan list --config=READ')).toBe('--config=README.md')
    expect(await last('capstan add x -- READ')).toBe('README.md')
  })

  there('a value with blanks, quotes or commands in it arrives as it is, and runs nothing', async () => {
    await using home = await place({ odd })
    await using terminal = openShell(shell, home)
    const typed = (value: string) => (value.startsWith('@') ? '@@' : value.slice(0, 1))

    for (const quote of ['', "'", '"']) {
      for (const value of oddValues) {
        const words = await terminal.wordsAfter(`capstan call odd.pick value=${quote}${typed(value)}\t`)
        expect(words.at(-1)).toBe(`value=${value.startsWith('@') ? '@' : ''}${value}`)
      }
    }
    const name = await terminal.wordsAfter('capstan call odd.two\t')
    expect(name.at(-1)).toBe('odd.two words: $(touch owned)')
    expect(existsSync(join(home.cwd, 'owned'))).toBe(false)
  })

  there('Tab shows what there is to choose from, outside bash with what each is', { timeout: 30_000 }, async () => {
    await using home = await place()
    await using values = openShell(shell, home)
    await using verbs = openShell(shell, home)

    await values.screenAfter('capstan call one.choose colour=\t\t', ['blue', 'green', 'red'])
    await verbs.screenAfter('capstan d\t\t', ['disable', 'doctor', ...(shell === 'bash' ? [] : ['how to mend it'])])
  })
})

describe('in bash', () => {
  test('words are completed whatever readline takes for the end of a word', async () => {
    await using home = await place()
    await using terminal = openShell('bash', home)
    const last = async (line: string) => (await terminal.wordsAfter(`${line}\t`)).at(-1)
    terminal.run("COMP_WORDBREAKS=$' \\t\\n'")

    expect(await last('capstan call one.choose colour=g')).toBe('colour=green')
    expect(await last('capstan prompt one:gr')).toBe('one:greet')
    expect(await last('capstan call one.echo message=x --args=@READ')).toBe('--args=@READ')
    expect(await last('capstan call one.echo --args @READ')).toBe('@README.md')
  })

  test('the word under the cursor is completed, also in the middle of a line and behind a pipe', async () => {
    await using home = await place()
    await using terminal = openShell('bash', home)
    const back = '\u001B[D'

    expect(await terminal.wordsAfter(`capstan call one.ch message=x${back.repeat(10)}\t`)).toEqual([
      'capstan',
      'call',
      'one.choose',
      'message=x',
    ])
    const screen = await terminal.screenAfter('echo x | capstan call one.str\t', ['one.structured'])
    expect(screen).toContain('one.structured')
  })
})
