import { describe, expect, test } from 'vitest'
import type { GatewayOptions } from '../../src/gateway/gateway.ts'
import { fixture } from '../fixtures/fixture.ts'
import { textOf, type Servers } from '../hub/makers.ts'
import {
  connect,
  connectHttp,
  eras,
  everyone,
  openBench,
  openHttpBench,
  type Bench,
  type Connected,
  type ConnectWishes,
  type EraName,
} from './doors.ts'

interface Door extends Bench {
  readonly enter: (era: EraName, wishes?: ConnectWishes) => Promise<Connected>
}

const doors: readonly (readonly [string, (servers: Servers, options?: Partial<GatewayOptions>) => Promise<Door>])[] = [
  [
    'stdio',
    async (servers, options) => {
      const bench = await openBench(servers, options)
      return { ...bench, enter: (era, wishes) => connect(bench.gateway, era, wishes) }
    },
  ],
  [
    'HTTP',
    async (servers, options) => {
      let caller = everyone
      const bench = await openHttpBench(servers, { ...options, http: { identify: () => caller } })
      return {
        ...bench,
        enter: (era, wishes) => {
          caller = wishes?.caller ?? everyone
          return connectHttp(bench.url, era, wishes)
        },
      }
    },
  ],
]

describe.each(doors)('over %s', (_name, openDoor) => {
  describe.each(eras)('a %s client', (era) => {
    test('sees the tools of all servers under their own names, in a fixed order, and calls them', async () => {
      await using door = await openDoor({ one: fixture('echo'), two: fixture('modern') })
      await using entered = await door.enter(era)

      const { tools } = await entered.client.listTools()
      const result = await entered.client.callTool({ name: 'two__echo', arguments: { message: 'hello' } })

      const names = tools.map((tool) => tool.name)
      expect(names).toEqual(names.toSorted())
      expect(names).toContain('one__echo')
      expect(result).toMatchObject({
        content: [{ type: 'text', text: 'hello' }],
        structuredContent: { message: 'hello' },
      })
    })

    test.each(['legacy', 'modern'])('answers a form of a %s server', async (server) => {
      await using door = await openDoor({ one: fixture('asks', { args: server === 'legacy' ? ['legacy'] : [] }) })
      await using entered = await door.enter(era, answering({ drink: 'tea' }))

      const result = await entered.client.callTool({ name: 'one__order', arguments: {} })

      expect(textOf(result)).toBe('2 tea, kept "as is"')
    })
  })
})

function answering(content: Record<string, string>): ConnectWishes {
  return {
    options: { capabilities: { elicitation: { form: {} } } },
    prepare: (client) => client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content })),
  }
}
