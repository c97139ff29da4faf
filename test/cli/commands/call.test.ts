import { describe, expect, test } from 'vitest'
import { command as call } from '../../../src/cli/commands/call.ts'
import type { CallOptions, JsonObject, ToolResult } from '../../../src/hub/api.ts'
import type { ConfiguredServer } from '../../../src/config/types.ts'
import { literalHub, ready, toolOf } from '../literal-hub.ts'
import { configOf, record, type Setting } from '../recorded-context.ts'

const echo = toolOf('one', 'echo', {
  inputSchema: { type: 'object', properties: { message: { type: 'string' }, times: { type: 'integer' } } },
})
const one: ConfiguredServer = {
  name: 'one',
  entry: {},
  origin: { layer: 'user' },
  standing: { kind: 'untrusted', change: 'new' },
}

interface Made {
  readonly args: JsonObject
  readonly options: CallOptions
}

/** Runs the verb over a hub that answers every call with this result, and keeps what it was called with. */
async function callWith(result: ToolResult, setting: Partial<Setting> = {}) {
  const calls: Made[] = []
  const hub = {
    ...literalHub({ statuses: [ready('one')], catalogue: { tools: [echo] } }),
    call: async (_tool: unknown, args: JsonObject, options: CallOptions = {}) => {
      calls.push({ args, options })
      options.onProgress?.({ progress: 1, total: 2 })
      return result
    },
  }
  const recorded = await record(call, { hub, config: configOf([one]), positionals: ['one.echo'], ...setting })
  return { ...recorded, calls }
}

const text = (value: string): ToolResult => ({ content: [{ type: 'text', text: value }] })

describe('call', () => {
  test('prints text with one line end, whether the tool ended its line or not', async () => {
    expect((await callWith(text('hello'))).out).toBe('hello\n')
    expect((await callWith(text('hello\n'))).out).toBe('hello\n')
  })

  test('types the arguments, hands on the timeout as the idle limit, and shows progress', async () => {
    const { calls, err } = await callWith(text('x'), {
      positionals: ['one.echo', 'message=1', 'times=2'],
      flags: { timeoutSeconds: 7 },
    })

    expect(calls).toMatchObject([{ args: { message: '1', times: 2 }, options: { idleSeconds: 7 } }])
    expect(err).toBe('1/2\n')
  })

  test('leaves the limits to the server when no timeout is given', async () => {
    const { calls } = await callWith(text('x'))

    expect(calls[0]?.options).not.toHaveProperty('idleSeconds')
  })

  test('prints structured content when there is nothing else', async () => {
    expect((await callWith({ content: [], structuredContent: { celsius: 3 } })).out).toBe('{"celsius":3}\n')
  })

  test('prints nothing for a result without content', async () => {
    expect(await callWith({ content: [] })).toMatchObject({ code: 0, out: '' })
  })

  test('tells a tool’s error on stderr with exit code 1, plain and never empty', async () => {
    const failed = await callWith({ ...text('\u001B[31mno\u001B[0m'), isError: true })
    const silent = await callWith({ content: [], isError: true })

    expect(failed).toMatchObject({ code: 1, out: '', err: '1/2\nno\n' })
    expect(silent).toMatchObject({ code: 1, out: '', err: '1/2\none.echo reported an error without a message.\n' })
  })

  test('warns on stderr about output that does not fit and arguments that are not declared', async () => {
    const { out, err } = await callWith(
      { ...text('x'), warnings: ['odd output'] },
      { positionals: ['one.echo', 'mesage=x'] },
    )

    expect(out).toBe('x\n')
    expect(err).toContain('warning: odd output\n')
    expect(err).toContain('did you mean "message"?')
  })

  test('prints the whole result as JSON, as it came', async () => {
    const result = { ...text('\u001B[31mred'), structuredContent: { a: 1 } }

    const { code, out } = await callWith(result, { flags: { json: true } })

    expect([code, JSON.parse(out)]).toEqual([0, result])
  })

  test('without a name says how it is used', async () => {
    await expect(callWith(text('x'), { positionals: [] })).rejects.toMatchObject({
      code: 'usage',
      next: 'Run: capstan list',
    })
  })
})
