import type { Client } from '@modelcontextprotocol/client'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { world, type RunningCli, type World } from '../e2e/cli.ts'
import { fixture } from '../fixtures/fixture.ts'
import { textOf } from '../hub/makers.ts'
import { openBalancer, type Balancer } from './balancer.ts'
import { connectHttp } from './doors.ts'

test('a modern client is served by both copies in turn, and goes on with the other when one is killed', async () => {
  await using place = await twoCopies()
  await using entered = await connectHttp(place.url, 'modern')
  const before = await pidsOf(entered.client, 6)

  await place.kill(0, 'SIGKILL')
  const after = await pidsOf(entered.client, 6)

  expect(new Set(before).size).toBe(2)
  expect(new Set(after)).toEqual(new Set([before.find((pid) => after.includes(pid))]))
})

test('no call of modern clients fails while a copy that works on some of them is told to end', async () => {
  await using place = await twoCopies()
  await using one = await connectHttp(place.url, 'modern')
  await using two = await connectHttp(place.url, 'modern')
  const underWay = [one, two, one, two].map(({ client }) => slowCall(client))
  await Promise.all(underWay.map(({ isWorking }) => isWorking))

  const ending = place.kill(0, 'SIGTERM')
  const meanwhile = await Promise.all([pidsOf(one.client, 10), pidsOf(two.client, 10)])
  const results = await Promise.all(underWay.map(({ result }) => result))
  await ending
  const after = await pidsOf(one.client, 4)

  expect(results).toEqual(['done', 'done', 'done', 'done'])
  expect(meanwhile.flat()).toHaveLength(20)
  expect(new Set(after).size).toBe(1)
})

test('a legacy session ends with its copy: it is told 404 by the other, where a new session goes on', async () => {
  await using place = await twoCopies()
  await using first = await connectHttp(place.url, 'legacy')
  await using second = await connectHttp(place.url, 'legacy')
  const [[pid], [otherPid]] = await Promise.all([pidsOf(first.client, 3), pidsOf(second.client, 3)])

  await place.kill(0, 'SIGKILL')
  const lost = pidsOf(first.client, 1)
  await expect(lost).rejects.toMatchObject({ data: { status: 404 } })
  await using again = await connectHttp(place.url, 'legacy')

  expect(pid).not.toBe(otherPid)
  expect(await pidsOf(again.client, 2)).toEqual([otherPid, otherPid])
  expect(await pidsOf(second.client, 2)).toEqual([otherPid, otherPid])
})

interface TwoCopies extends AsyncDisposable {
  readonly url: URL
  /** Ends a copy, the one that is first in turn being 0. */
  readonly kill: (copy: 0 | 1, signal: NodeJS.Signals) => Promise<void>
}

/** Two gateways, each with servers of its own, as on two machines, behind one address. */
async function twoCopies(): Promise<TwoCopies> {
  const place = await world()
  await place.write({ '~/.config/capstan/mcp.json': { mcpServers: { one: fixture('echo') } } })
  const copies = [startCopy(place), startCopy(place)] as const
  const balancer: Balancer = await openBalancer(await Promise.all(copies.map(addressOf)))
  const kill = async ({ child, ended }: RunningCli, signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  return {
    url: balancer.url,
    kill: (copy, signal) => kill(copies[copy], signal),
    async [Symbol.asyncDispose]() {
      await balancer[Symbol.asyncDispose]()
      await Promise.all(copies.map((copy) => kill(copy, 'SIGTERM')))
      await place[Symbol.asyncDispose]()
    },
  }
}

function startCopy(place: World): RunningCli {
  return place.start(['serve', '--http', '0', '--own', '--mode', 'all'])
}

async function addressOf({ child }: RunningCli): Promise<URL> {
  if (child.stdout === null) throw new Error('no stdout')
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return new URL(line)
}

/** The processes that answered calls made one after the other: each copy has its own. */
async function pidsOf(client: Client, calls: number): Promise<readonly string[]> {
  const pids: string[] = []
  for (let call = 0; call < calls; call++) {
    const result = await client.callTool({ name: 'one__pid', arguments: {} })
    if (result.isError === true) throw new Error(textOf(result))
    pids.push(textOf(result))
  }
  return pids
}

function slowCall(client: Client): { readonly isWorking: Promise<void>; readonly result: Promise<string> } {
  const working = Promise.withResolvers<void>()
  const call = { name: 'one__slow', arguments: { ms: 1500, steps: 3 } }
  const result = client.callTool(call, { onprogress: () => working.resolve() }).then(textOf)
  return { isWorking: working.promise, result }
}
