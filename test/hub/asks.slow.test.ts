import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import type { Ask, JsonObject, OnAsk } from '../../src/hub/api.ts'
import { fixture } from '../fixtures/fixture.ts'
import { makers, textOf } from './makers.ts'

const call = (tool: string) => ({ server: 'one', tool })
const accept =
  (content?: JsonObject): OnAsk =>
  async () => ({ action: 'accept', ...(content && { content }) })

describe.each(makers)('a hub from %s', (_maker, open) => {
  test('a call that needs a model ends with ask_declined when nobody lends one', async () => {
    await using hub = await open({ one: { ...fixture('asks'), sampling: true } })

    const thinking = hub.call(call('think'), {}, { onAsk: async () => ({ action: 'decline' }) })

    await expect(thinking).rejects.toMatchObject({ code: 'ask_declined', server: 'one' })
  })

  describe.each(['modern', 'legacy'])('with a server of the %s era', (era) => {
    const server = (more: JsonObject = {}) => {
      const { command, args } = fixture('asks')
      return { one: { command, args: era === 'legacy' ? [...args, 'legacy'] : args, ...more } }
    }

    test('hands a form to whoever made the call, and the answer to the server', async () => {
      await using hub = await open(server())
      const asks: Ask[] = []

      const result = await hub.call(
        call('order'),
        {},
        {
          onAsk: async (ask) => {
            asks.push(ask)
            return { action: 'accept', content: { drink: 'tea', cups: 3 } }
          },
        },
      )

      expect(textOf(result)).toBe('3 tea, kept "as is"')
      expect(asks).toMatchObject([
        { kind: 'form', server: 'one', message: 'What may it be?', schema: { required: ['drink'] } },
      ])
      expect((await hub.servers())[0]?.state).toMatchObject({ kind: 'ready', era })
    })

    test('a question has the name that the server gave it, where it gave one', async () => {
      await using hub = await open(server())
      const asks: Ask[] = []
      const onAsk: OnAsk = async (ask) => {
        asks.push(ask)
        return { action: 'decline' }
      }

      await hub.call(call('order'), {}, { onAsk })

      expect(asks.map(({ key }) => key)).toEqual([era === 'modern' ? 'order' : undefined])
    })

    test('fills in the defaults that the server proposed', async () => {
      await using hub = await open(server())

      const result = await hub.call(call('order'), {}, { onAsk: accept({ drink: 'coffee' }) })

      expect(textOf(result)).toContain('2 coffee')
    })

    test.each(['decline', 'cancel'] as const)('tells the server of a "%s"', async (action) => {
      await using hub = await open(server())

      const result = await hub.call(call('order'), {}, { onAsk: async () => ({ action }) })

      expect(textOf(result)).toBe(action)
    })

    test('declines when nobody is there, and says so in the log', async () => {
      await using hub = await open(server())

      const result = await hub.call(call('order'), {})

      expect(textOf(result)).toBe('decline')
      const lines = (await hub.logs('one')).map((line) => line.text)
      expect(lines).toContainEqual(expect.stringContaining('nobody is there to answer'))
    })

    test('an accepted form that does not fit is cancelled, and the log names the field', async () => {
      await using hub = await open(server())

      const result = await hub.call(call('order'), {}, { onAsk: accept({ drink: 'milk', cups: 0 }) })

      expect(textOf(result)).toBe('cancel')
      const lines = (await hub.logs('one')).map((line) => line.text)
      expect(lines).toContainEqual(expect.stringMatching(/"drink": .*tea, coffee.*"cups": .*at least 1/))
    })

    test('an answer that fails is a cancel, not a hang', async () => {
      await using hub = await open(server())

      const result = await hub.call(call('order'), {}, { onAsk: () => Promise.reject(new Error('no pen')) })

      expect(textOf(result)).toBe('cancel')
    })

    test('a person who thinks for longer than the idle limit loses nothing', async () => {
      await using hub = await open(server({ timeout: 0.3 }))
      const think = (resolve: (answer: { action: 'accept'; content: JsonObject }) => void) =>
        setTimeout(resolve, 900, { action: 'accept', content: { drink: 'tea' } })

      const result = await hub.call(call('order'), {}, { onAsk: () => new Promise(think) })

      expect(textOf(result)).toContain('2 tea')
    })

    test('a question that is never answered ends with the call', async () => {
      await using hub = await open(server({ timeout: 0.3, maxTimeout: 1 }))
      const asked = vi.fn<(signal: AbortSignal) => void>()

      const ordering = hub.call(
        call('order'),
        {},
        {
          onAsk: (_ask, { signal }) => {
            asked(signal)
            return new Promise(() => {})
          },
        },
      )

      await expect(ordering).rejects.toMatchObject({ code: 'timed_out' })
      await vi.waitFor(() => expect(asked.mock.calls[0]?.[0].aborted).toBe(true))
    })

    test('shows a page only when it is safe to open', async () => {
      await using hub = await open(server())
      const asks: Ask[] = []
      const onAsk: OnAsk = async (ask) => {
        asks.push(ask)
        return { action: 'accept' }
      }

      const good = await hub.call(call('visit'), { url: 'https://example.org/confirm' }, { onAsk })
      const bad = await hub.call(call('visit'), { url: 'http://example.org/confirm' }, { onAsk })

      expect([textOf(good), textOf(bad)]).toEqual(['accept', 'decline'])
      expect(asks).toEqual([
        {
          kind: 'url',
          server: 'one',
          message: 'Please confirm.',
          url: 'https://example.org/confirm',
          purpose: 'elicitation',
          ...(era === 'modern' ? { key: 'visit' } : {}),
        },
      ])
    })

    test('asks a model only when the entry allows it', async () => {
      const answer = { role: 'assistant', model: 'none', content: { type: 'text', text: 'Because.' } }
      await using allowed = await open(server({ sampling: true }))
      await using forbidden = await open(server())

      const result = await allowed.call(call('think'), {}, { onAsk: accept(answer) })
      const refused = await forbidden
        .call(call('think'), {}, { onAsk: accept(answer) })
        .catch((error: unknown) => error)

      expect(JSON.parse(textOf(result))).toMatchObject(answer)
      expect(JSON.stringify(refused)).not.toContain('Because.')
    })

    test('tells the workspace only when the entry allows it', async () => {
      await using allowed = await open(server({ roots: true }))
      await using forbidden = await open(server())

      const result = await allowed.call(call('where'), {})
      const refused = await forbidden.call(call('where'), {}).catch((error: unknown) => error)

      expect(JSON.parse(textOf(result))).toEqual({
        roots: [{ uri: pathToFileURL(allowed.home).href, name: basename(allowed.home) }],
      })
      expect(JSON.stringify(refused)).not.toContain('file://')
    })
  })
})
