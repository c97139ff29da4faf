import { describe, expect, test } from 'vitest'
import { inlineServer } from '../hub/inline-server.ts'
import { keys, sessionPlace } from './session-place.ts'

const ready = 'servers 1/1'

describe('the editor of a session', () => {
  test('completes a name, an argument and a value of the server, with keys that come in one piece', async () => {
    await using place = await sessionPlace({ script: [{ text: 'Hello from the model.' }] })
    await using eye = place.open()
    await eye.shows(ready)
    await eye.shows('3 prompts')

    eye.type(`/gree${keys.tab}`)
    await eye.shows(/\/echo:greet\s/)
    await eye.shows('who (needed)')
    eye.type('who=ali')
    await eye.shows('› alice')
    eye.type(keys.tab)
    await eye.shows('who=alice')
    eye.type('city=bo')
    await eye.shows('› Bonn')
    eye.type(keys.enter)
    await eye.shows('city=Bonn')
    eye.type(keys.enter)

    await eye.shows('Say hello to alice in Bonn.')
    await eye.shows('Hello from the model.')
    expect(place.model.requests[0]?.text).toContain('Say hello to alice in Bonn.')
  })

  test('loses no key of a line that is typed faster than its suggestions come, Tab and Enter among them', async () => {
    await using place = await sessionPlace({ script: [{ text: 'Done.' }] })
    await using eye = place.open()
    await eye.shows('3 prompts')

    eye.type(`/echo:gre${keys.tab}who=Ada city="the old town"${keys.enter}`)

    await eye.shows('Say hello to Ada in the old town.')
    await eye.shows('Done.')
  })

  test('keeps what is typed before any server or session is there, and sends it in order', async () => {
    await using place = await sessionPlace({ script: [{ text: 'The first answer.' }, { text: 'The second answer.' }] })
    await using eye = place.open()
    await eye.shows('starting')

    eye.type(`one${keys.enter}two${keys.enter}`)

    await eye.shows('The second answer.')
    const screen = eye.window().join('\n')
    expect(screen).toMatch(/› one[\s\S]*The first answer\.[\s\S]*› two[\s\S]*The second answer\./)
  })

  test('understands what was typed before the program had the terminal', async () => {
    await using place = await sessionPlace({ script: [{ text: 'An early answer.' }] })
    await using eye = place.open()

    eye.type(`early bird${keys.enter}`)

    await eye.shows('An early answer.')
    expect(place.model.requests[0]?.text).toContain('"early bird"')
  })

  test('takes a paste of many lines as one, also when it is large, and Enter sends it whole', async () => {
    await using place = await sessionPlace({ script: [{ text: 'I have read it.' }] })
    await using eye = place.open()
    await eye.shows(ready)
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`)

    eye.type(`\u001B[200~${lines.join('\r')}\u001B[201~`)
    await eye.shows('[paste #1 +40 lines]')
    eye.type(keys.enter)

    await eye.shows('I have read it.')
    expect(place.model.requests[0]?.text).toContain(lines.join('\\n'))
  })

  test('asks for what is missing, one field at a time with values of the server, and gives the line back on Esc', async () => {
    await using place = await sessionPlace({ script: [{ text: 'Greeted.' }] })
    await using eye = place.open()
    await eye.shows('3 prompts')

    eye.type(`/echo:greet${keys.enter}`)
    await eye.shows('1 of 2')
    eye.type(keys.escape)
    await eye.hides('1 of 2')
    await eye.shows(/\n\/echo:greet\s*\n─/)
    eye.type(keys.enter)
    await eye.shows('1 of 2')
    eye.type('bo')
    await eye.shows('› bob')
    eye.type(keys.enter)
    await eye.shows('2 of 2')
    await eye.shows('Berlin')
    eye.type(keys.enter)

    await eye.shows('Say hello to bob.')
    await eye.shows('Greeted.')
  })

  test('keeps the selected item in its menu while a server changes its prompts', async () => {
    const changing = inlineServer(`
      const prompts = [{ name: 'first' }, { name: 'second' }]
      const later = (call) => { prompts.unshift({ name: 'brand-new' }); call.wire.send({ method: 'notifications/prompts/list_changed' }) }
      const run = (_args, call) => { setTimeout(later, 1500, call); return 'soon' }
      serveRaw({ name: 'changing', listChanged: true, prompts, tools: [{ name: 'grow', inputSchema: object, run }] })`)
    await using place = await sessionPlace({ servers: { changing } })
    await using eye = place.open()
    await eye.shows('2 prompts')

    eye.type(`/call changing.grow${keys.enter}`)
    await eye.shows('soon')
    eye.type('/changing:')
    await eye.shows('› /changing:first')
    eye.type(keys.down)
    await eye.shows('› /changing:second')

    await eye.shows('/changing:brand-new')
    expect(eye.window().join('\n')).toContain('› /changing:second')
  })

  test('shows what a prompt says before it is sent', async () => {
    await using place = await sessionPlace()
    await using eye = place.open()
    await eye.shows('3 prompts')

    eye.type(`/echo:talk`)
    await eye.shows('Has two roles')
    eye.type(keys.ctrlP)

    await eye.shows('Nothing has been sent')
    await eye.shows('assistant │ I will look.')
    expect(place.model.requests).toEqual([])
    expect(eye.window().join('\n')).toMatch(/\n\/echo:talk\s*\n─/)
  })

  test('runs the commands of its own while the model works, and offers what was typed in earlier sessions', async () => {
    await using place = await sessionPlace({ script: [{ text: 'I am thinking', stallsAfter: 2 }] })
    {
      await using eye = place.open()
      await eye.shows(ready)
      eye.type(`a question${keys.enter}`)
      await eye.shows('working')
      eye.type(`/call echo.add a=2 b=40${keys.enter}`)
      await eye.shows('42')
      eye.type(`/exit${keys.enter}`)
      expect(await eye.ended).toBe(0)
    }
    await using again = place.open()
    await again.shows(ready)

    again.type(keys.up)
    await again.shows('/exit')
    again.type(keys.up)

    await again.shows('/call echo.add a=2 b=40')
  })

  test('does not answer a question with a key that was meant for the line', async () => {
    const call = { id: 'c1', name: 'echo__add', json: '{"a":1,"b":2}' }
    await using place = await sessionPlace({ script: [{ calls: [call] }, { text: 'Three.' }] })
    await using eye = place.open()
    await eye.shows(ready)

    eye.type(`add them${keys.enter}111`)
    await eye.shows('May echo.add run?')
    await eye.shows('Number or Enter answers')

    expect(eye.window().join('\n')).toContain('waits for you')
    eye.type('1')
    await eye.shows('Three.')
    await eye.shows(/\n111\s*\n─/)
  })
})
