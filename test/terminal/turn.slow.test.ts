import { describe, expect, test } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { keys, sessionPlace } from './session-place.ts'

const ready = 'servers 1/1'
const call = (name: string, args: object, id = 'c1') => ({ id, name, json: JSON.stringify(args) })
const asked = 'Number or Enter answers'

describe('a turn on the screen', () => {
  test('asks before a call, shows its result folded and whole, and draws the answer as Markdown', async () => {
    const message = Array.from({ length: 9 }, (_, index) => `row ${index}`).join('\n')
    await using place = await sessionPlace({
      script: [
        { text: 'Let me look.', calls: [call('echo__echo', { message })] },
        { text: '# Found\n\nIt has **nine** rows.' },
      ],
    })
    await using eye = place.open()
    await eye.shows(ready)

    eye.type(`look${keys.enter}`)
    await eye.shows('May echo.echo run?')
    await eye.shows('message = row 0')
    await eye.shows(asked)
    eye.type('1')
    await eye.shows('It has nine rows.')

    await eye.shows('more lines, Ctrl-O shows them')
    expect(eye.window().join('\n')).toMatch(/✓ echo\.echo message=.* s\n {2}row 0/)
    eye.type(keys.ctrlO)
    await eye.shows('row 8')
    eye.type(keys.ctrlO)
    await eye.hides('row 8')
  })

  test('asks no more in this project, in later sessions too, for a tool that is allowed for good', async () => {
    const add = (id: string) => ({ calls: [call('echo__add', { a: 1, b: 2 }, id)] })
    await using place = await sessionPlace({
      script: [add('c1'), add('c2'), { text: 'First.' }, add('c3'), { text: 'Second.' }],
    })
    {
      await using eye = place.open()
      await eye.shows(ready)
      eye.type(`go${keys.enter}`)
      await eye.shows(asked)
      eye.type(`${keys.down}${keys.down}${keys.enter}`)
      await eye.shows('First.')
      eye.type(keys.ctrlC + keys.ctrlC)
      expect(await eye.ended).toBe(0)
    }
    await using later = place.open()
    await later.shows(ready)
    later.type(`go again${keys.enter}`)

    await later.shows('Second.')
    later.type(`/permissions${keys.enter}`)
    await later.shows('in this project')
  })

  test('takes back what it had shown of a reply that broke off, and shows the whole one', async () => {
    const lost = 'This half is lost, because the wire is cut in the middle of it.'
    await using place = await sessionPlace({ script: [{ text: lost, cutAt: 0.6 }, { text: 'And this is whole.' }] })
    await using eye = place.open()
    await eye.shows(ready)

    eye.type(`go${keys.enter}`)
    await eye.shows(/next\s+try in/)
    await eye.shows('And this is whole.')

    expect(eye.window().join('\n')).not.toContain('This half')
  })

  test('tells the model why a call was refused, and goes on', async () => {
    await using place = await sessionPlace({
      script: [{ calls: [call('echo__erase', {})] }, { text: 'Then I will not.' }],
    })
    await using eye = place.open()
    await eye.shows(ready)

    eye.type(`erase it${keys.enter}`)
    await eye.shows('may delete or overwrite')
    await eye.shows(asked)
    eye.type('5')
    await eye.shows('What should the model know?')
    eye.type(`keep the file${keys.enter}`)

    await eye.shows('Then I will not.')
    expect(place.model.requests[1]?.text).toContain('keep the file')
    expect(eye.window().join('\n')).toContain('✗ echo.erase')
  })

  test('shows how far a call is, and stops it at its server with Esc, after which the conversation goes on', async () => {
    await using place = await sessionPlace({
      script: [{ calls: [call('echo__slow', { ms: 60_000, steps: 600 })] }, { text: 'Still here.' }],
    })
    await using eye = place.open()
    await eye.shows(ready)
    eye.type(`wait${keys.enter}`)
    await eye.shows(asked)
    eye.type('1')
    await eye.shows(/● echo\.slow.*░ \d+%/)

    eye.type(keys.escape)
    await eye.shows('interrupted')
    await eye.hides('working')
    eye.type(`and now?${keys.enter}`)

    await eye.shows('Still here.')
  })

  test('queues what is typed meanwhile, lets it be edited, holds it after Esc, and goes on with Enter', async () => {
    await using place = await sessionPlace({
      script: [{ text: 'I begin', stallsAfter: 2 }, { text: 'The second.' }, { text: 'The third.' }],
    })
    await using eye = place.open()
    await eye.shows(ready)
    eye.type(`first${keys.enter}`)
    await place.model.received(1)

    eye.type(`second${keys.enter}`)
    await eye.shows('1. second')
    eye.type(`thrid${keys.enter}`)
    await eye.shows('2. thrid')
    eye.type(keys.up)
    await eye.hides('2. thrid')
    eye.type(`${'\u007F'.repeat(5)}third${keys.enter}`)
    await eye.shows('2. third')
    eye.type(keys.escape)
    await eye.shows('Held: Enter goes on')
    expect(place.model.requests).toHaveLength(1)
    eye.type(keys.enter)

    await eye.shows('The third.')
    expect(eye.window().join('\n')).toMatch(/› second[\s\S]*The second\.[\s\S]*› third[\s\S]*The third\./)
  })

  test('puts the form of a server in the same place, and sends nothing before the person has seen it', async () => {
    await using place = await sessionPlace({
      servers: { asks: { ...fixture('asks'), alwaysAllow: ['*'] } },
      script: [{ calls: [call('asks__order', {})] }, { text: 'Enjoy.' }],
    })
    await using eye = place.open()
    await eye.shows(ready)

    eye.type(`a drink${keys.enter}`)
    await eye.shows('What may it be?')
    await eye.shows(asked)
    eye.type('1')
    await eye.shows('drink (one of these, needed)')
    eye.type(`milk${keys.enter}`)
    await eye.shows('drink must be one of')
    eye.type(`${'\u007F'.repeat(4)}te`)
    await eye.shows('› tea')
    eye.type(keys.enter)
    await eye.shows('cups (a whole number, optional)')
    eye.type(`\u007F3${keys.enter}`)
    await eye.shows('Send this to asks?')
    await eye.shows('cups = 3')
    eye.type('1')

    await eye.shows('Enjoy.')
    expect(place.model.requests[1]?.text).toContain('3 tea')
  })

  test('says in one line how to set a model where there is none, and everything else works', async () => {
    await using place = await sessionPlace()
    await using eye = place.open(['chat'], { env: { CAPSTAN_MODEL: '', CAPSTAN_MODEL_URL: '' } })
    await eye.shows('No model is set')
    await eye.shows('no model · servers 1/1')

    eye.type(`/call echo.add a=20 b=22${keys.enter}`)
    await eye.shows('42')
    eye.type(`/read note://one${keys.enter}`)
    await eye.shows('# One')
    eye.type(`hello${keys.enter}`)

    await eye.shows('nobody answers')
  })

  test('says what is wrong with a line, and gives it back', async () => {
    await using place = await sessionPlace()
    await using eye = place.open()
    await eye.shows(ready)

    eye.type(`/call echo.nothing${keys.enter}`)

    await eye.shows('✗')
    await eye.shows(/\n\/call echo\.nothing\s*\n─/)
  })
})
