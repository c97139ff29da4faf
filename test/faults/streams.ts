import assert from 'node:assert/strict'
import { fixture } from '../fixtures/fixture.ts'
import { inlineServer } from '../hub/inline-server.ts'
import { textOf, type Maker } from '../hub/makers.ts'
import { answersMeanwhile, mb, mebibyte, memoryWatch } from './burden.ts'
import type { Fault } from './fault.ts'
import { callText, eventually, failureOf, since, span, stateOf } from './observe.ts'

/** Servers that say too much, or nonsense. */
export const streams: readonly Fault[] = [
  {
    id: 9,
    fault: 'a server floods stderr',
    promise:
      'all of it is read and its end is kept; nothing blocks, no memory is used up, other servers are not disturbed',
    run: stderrFlood,
  },
  {
    id: 10,
    fault:
      'a server prints to stdout what is no message; its lines end in CRLF, begin with a byte order mark, come in pieces',
    promise: 'what is noise goes to the log, what is a message arrives',
    run: noise,
  },
  {
    id: 11,
    fault: 'a server answers with 300 MB in one message',
    promise:
      'it is cut off at 128 MiB with the reason, memory stays bounded, other calls go on, and the server is back for the next call',
    run: hugeResult,
  },
  {
    id: 13,
    fault: 'a server breaks JSON-RPC: wrong, missing, repeated and late ids, batches, cut-off lines',
    promise: 'only that call fails, in time; no answer ever reaches another call',
    run: malformed,
  },
]

async function stderrFlood(open: Maker): Promise<string> {
  const entry = inlineServer(`
    import { writeSync } from 'node:fs'
    const block = ('e'.repeat(199) + '\\n').repeat(5000)
    const run = async () => {
      for (let megabyte = 0; megabyte < 300; megabyte++) {
        await new Promise((resolve) => process.stderr.write(block, resolve))
      }
      await new Promise((resolve) => process.stderr.write('the last line\\n', resolve))
      return 'flooded'
    }
    serveRaw({ name: 'loud', tools: [{ name: 'flood', inputSchema: object, run }] })
  `)
  await using hub = await open({ one: entry, other: fixture('echo') })
  await callText(hub, { server: 'other', tool: 'look' })
  const startedAt = performance.now()
  const memory = memoryWatch()

  const flood = callText(hub, { server: 'one', tool: 'flood' })
  const others = await answersMeanwhile(hub, flood)

  assert.equal(await flood, 'flooded')
  const took = since(startedAt)
  await eventually('the last line', async () => (await hub.logs('one')).some(({ text }) => text === 'the last line'))
  const lines = await hub.logs('one')
  assert.ok(lines.length <= 1000)
  const grown = memory.grownBy()
  assert.ok(grown < 400 * mebibyte, `${grown} bytes`)
  return `300 MB read in ${took}, ${lines.length} lines kept, memory up by ${mb(grown)}; meanwhile another server answered ${others}`
}

async function noise(open: Maker): Promise<string> {
  const entry = inlineServer(`
    process.stdout.write('\\uFEFF')
    const intercept = ({ method }, wire) => {
      if (method === 'tools/call') wire.write('Starting…\\n{ broken json\\n42\\nnull\\n{"level":"info"}\\n\\r\\n')
      return false
    }
    const pieces = async (_args, { id }) => {
      const line = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'größe 📏 \\u2028' }] } }) + '\\r\\n')
      for (const byte of line) await new Promise((resolve) => process.stdout.write(Buffer.from([byte]), resolve))
      return new Promise(() => {})
    }
    serveRaw({ name: 'noisy', tools: [{ name: 'hello', inputSchema: object }, { name: 'pieces', inputSchema: object, run: pieces }], intercept })
  `)
  await using hub = await open({ one: entry })

  const startedAt = performance.now()
  const hello = await callText(hub, { server: 'one', tool: 'hello' })
  const connected = performance.now() - startedAt
  const pieces = await callText(hub, { server: 'one', tool: 'pieces' })
  await hub.control('one', 'restart')

  assert.deepEqual([hello, pieces], ['hello', 'größe 📏 \u2028'])
  // Where the mark hides the first answer, a connection takes a timeout at best.
  assert.ok(connected < 4000, span(connected))
  assert.equal(await callText(hub, { server: 'one', tool: 'hello' }), 'hello')
  const logged = (await hub.logs('one')).filter(({ source }) => source === 'stdout').map(({ text }) => text)
  assert.ok(['Starting…', '{ broken json', '42', 'null', '{"level":"info"}'].every((line) => logged.includes(line)))
  return `all answers whole; ${logged.length} stray lines in the log`
}

async function hugeResult(open: Maker): Promise<string> {
  const entry = inlineServer(`
    const megabyte = 'x'.repeat(1_000_000)
    const huge = async (_args, { id }) => {
      const write = (text) => new Promise((resolve) => process.stdout.write(text, resolve))
      await write('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[{"type":"text","text":"')
      for (let written = 0; written < 300; written++) await write(megabyte)
      await write('"}]}}\\n')
      return new Promise(() => {})
    }
    serveRaw({ name: 'huge', tools: [{ name: 'huge', inputSchema: object, run: huge }, { name: 'hello', inputSchema: object }] })
  `)
  await using hub = await open({ one: entry, other: fixture('echo') })
  await callText(hub, { server: 'other', tool: 'look' })
  await callText(hub, { server: 'one', tool: 'hello' })
  const memory = memoryWatch()

  const huge = callText(hub, { server: 'one', tool: 'huge' })
  const others = await answersMeanwhile(hub, huge)
  const failure = await failureOf(huge)

  assert.equal(failure.code, 'limit_exceeded')
  assert.match(failure.message, /larger than 128 MiB/)
  const grown = memory.grownBy()
  assert.ok(grown < 600 * mebibyte, `${grown} bytes`)
  assert.equal(await callText(hub, { server: 'one', tool: 'hello' }), 'hello')
  return `"${failure.message}" Memory up by ${mb(grown)} at most; meanwhile another server answered ${others}; the next call worked`
}

async function malformed(open: Maker): Promise<string> {
  const kinds = [
    'no-version',
    'wrong-id',
    'no-id',
    'neither',
    'string-result',
    'batch',
    'cut-off',
    'string-error',
    'result-and-error',
  ]
  const liar = inlineServer(`
    const ids = []
    const answer = (id, text) => ({ id, result: { content: [{ type: 'text', text }] } })
    const intercept = ({ id, method, params }, wire) => {
      if (method !== 'tools/call') return false
      const { number } = params.arguments
      ids.push(id)
      // The first is answered too late: after it was given up, together with the answers to all others, twice.
      if (number === 0) return true
      for (const old of ids) if (old !== id) wire.send(answer(old, 'not yours'))
      wire.send(answer('nobody-' + id, 'not yours'))
      wire.send(answer(id, 'yours ' + number))
      wire.send(answer(id, 'not yours'))
      return true
    }
    serveRaw({ name: 'liar', tools: [{ name: 'say', inputSchema: object }], intercept })
  `)
  await using hub = await open({
    broken: { ...fixture('malformed'), timeout: 0.5 },
    liar: { ...liar, timeout: 0.5 },
  })

  const failures = []
  for (const tool of kinds) {
    failures.push(await failureOf(hub.call({ server: 'broken', tool }, {})))
    assert.equal(await callText(hub, { server: 'broken', tool: 'hello' }), 'hello')
  }
  const say = (number: number) => hub.call({ server: 'liar', tool: 'say' }, { number })
  const late = await failureOf(say(0))
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => say(index + 1).then(textOf)))

  assert.equal(late.code, 'timed_out')
  assert.deepEqual(
    answers,
    answers.map((_, index) => `yours ${index + 1}`),
  )
  assert.equal((await stateOf(hub, 'broken'))?.kind, 'ready')
  return `${failures.length} kinds of broken answer failed their own call only; 20 calls amid late and repeated answers each got their own`
}
