import { Client, type StandardSchemaV1, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { openHub } from '../src/hub/hub.ts'
import { startProcess } from '../src/hub/wire/server-process.ts'
import { stdioTransport } from '../src/hub/wire/stdio-transport.ts'
import { fixture, type FixtureEntry } from '../test/fixtures/fixture.ts'
import { compare, median, ratioOf, type Contestant } from './measure.ts'
import type { Row } from './table.ts'

const maxLineBytes = 128 * 2 ** 20
const grace = { beforeTermMs: 500, beforeKillMs: 500 }

type Call = (tool: string, args: Record<string, string | number>) => Promise<unknown>

/** Calls from within a program: `hub.call` beside the SDK's own client, on the same small server. */
export async function benchCalls(rounds: number, callsPerRound: number): Promise<readonly Row[]> {
  const entry = fixture('echo')
  await using hub = await openHub({ mcpServers: { one: entry } })
  await using own = await sdkClient(ownTransport(entry))
  await using sdk = await sdkClient(sdkTransport(entry))
  const samples = await compare(
    [
      batch('hub', (tool, args) => hub.call({ server: 'one', tool }, args), callsPerRound),
      batch('request', own.request, callsPerRound),
      batch('own', own.call, callsPerRound),
      batch('sdk', sdk.call, callsPerRound),
    ],
    rounds,
  )
  const row = (floor: string, beside: string, target?: number): Row => ({
    work: 'in-process call',
    floor: beside,
    unit: 'ms',
    ...(target === undefined ? {} : { target }),
    ...ratioOf(samples, { floor, ours: 'hub' }, 'ms'),
  })
  return [
    row('sdk', 'SDK `callTool`, SDK stdio transport', 1.1),
    row('own', 'SDK `callTool`, our transport', 1.1),
    // `callTool` checks results with zod and the hub does not, so only this row shows what the hub itself costs.
    row('request', 'SDK `request` without result check, our transport'),
  ]
}

/** One result of 40 MB, which arrives as one line. */
export async function benchBigResult(rounds: number): Promise<readonly Row[]> {
  const entry = fixture('huge-line')
  await using hub = await openHub({ mcpServers: { one: entry } })
  await using sdk = await sdkClient(sdkTransport(entry))
  const contestants = [once('hub', (tool, args) => hub.call({ server: 'one', tool }, args)), once('sdk', sdk.call)]
  const samples = await compare(contestants, rounds)
  const comparison = ratioOf(samples, { floor: 'sdk', ours: 'hub' }, 'ms')
  return [
    { work: 'a result of 40 MB', floor: 'SDK `callTool`, SDK stdio transport', unit: 'ms', target: 0.2, ...comparison },
  ]
}

function batch(name: string, call: Call, count: number): Contestant {
  return {
    name,
    run: async () => {
      const times: number[] = []
      for (let n = 0; n < count; n++) times.push(await timed(() => call('echo', { message: 'hello' })))
      return { ms: median(times) }
    },
  }
}

function once(name: string, call: Call): Contestant {
  return { name, run: async () => ({ ms: await timed(() => call('huge', { megabytes: 40 })) }) }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now()
  await work()
  return performance.now() - startedAtMs
}

async function sdkClient(
  transport: Transport,
): Promise<AsyncDisposable & { readonly call: Call; readonly request: Call }> {
  const client = new Client({ name: 'bench', version: '0' })
  await client.connect(transport)
  return {
    call: (name, args) => client.callTool({ name, arguments: args }, { timeout: 300_000 }),
    request: (name, args) => client.request({ method: 'tools/call', params: { name, arguments: args } }, anything),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

const anything: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) },
}

function sdkTransport({ command, args }: FixtureEntry): Transport {
  return new StdioClientTransport({ command, args: [...args], stderr: 'ignore', maxBufferSize: maxLineBytes })
}

function ownTransport({ command, args }: FixtureEntry): Transport {
  const nothing = (): void => undefined
  const env = { PATH: process.env['PATH'] ?? '' }
  const child = startProcess({
    server: 'bench',
    command,
    args,
    env,
    cwd: process.cwd(),
    onStderr: nothing,
    onStart: nothing,
  })
  return stdioTransport(child, { server: 'bench', maxLineBytes, grace, onNoise: nothing, onFailure: nothing })
}
