import { describe, expect, test } from 'vitest'
import type { ConversationEntry, Message } from '../../src/agent/record.ts'
import { interruptedText, openCalls, repairHistory, visibleMessages } from '../../src/agent/repair-history.ts'

describe('repairing a history', () => {
  test.each<[string, readonly Message[], readonly Message[]]>([
    [
      'leaves a whole one alone',
      [user('hi'), reply('', 'a'), result('a'), reply('done')],
      [user('hi'), reply('', 'a'), result('a'), reply('done')],
    ],
    ['leaves an empty one alone', [], []],
    [
      'says of an open call that its outcome is unknown',
      [user('hi'), reply('', 'a')],
      [user('hi'), reply('', 'a'), interrupted('a')],
    ],
    [
      'keeps the results that are there',
      [reply('', 'a', 'b'), result('b')],
      [reply('', 'a', 'b'), interrupted('a'), result('b')],
    ],
    [
      'puts results in the order of the calls',
      [reply('', 'a', 'b'), result('b'), result('a')],
      [reply('', 'a', 'b'), result('a'), result('b')],
    ],
    [
      'brings results before what was said meanwhile',
      [reply('', 'a'), user('stop'), result('a')],
      [reply('', 'a'), result('a'), user('stop')],
    ],
    ['leaves out results without a call', [user('hi'), result('x'), reply('yes')], [user('hi'), reply('yes')]],
    [
      'takes the first of two results',
      [reply('', 'a'), result('a', 'one'), result('a', 'two')],
      [reply('', 'a'), result('a', 'one')],
    ],
    [
      'leaves out replies that say nothing',
      [user('hi'), reply(''), reply('  \n'), reply('yes')],
      [user('hi'), reply('yes')],
    ],
    [
      'gives each of two calls with the same id its own result',
      [reply('', 'a'), result('a', 'one'), reply('', 'a'), result('a', 'two')],
      [reply('', 'a'), result('a', 'one'), reply('', 'a'), result('a', 'two')],
    ],
    [
      'does not lend a result to an earlier call with the same id',
      [reply('', 'a'), reply('', 'a'), result('a')],
      [reply('', 'a'), interrupted('a'), reply('', 'a'), result('a')],
    ],
  ])('%s', (_, broken, whole) => {
    expect(repairHistory(broken)).toEqual(whole)
    expect(repairHistory(whole)).toEqual(whole)
  })
})

describe('open calls', () => {
  test('are those of the last reply that have no result', () => {
    expect(openCalls([reply('', 'a', 'b'), result('a')]).map(({ callId }) => callId)).toEqual(['b'])
    expect(openCalls([reply('', 'a'), result('a'), reply('done')])).toEqual([])
    expect(openCalls([user('hi')])).toEqual([])
  })
})

describe('what a model sees', () => {
  test('is everything, without titles', () => {
    const entries: readonly ConversationEntry[] = [user('hi'), { kind: 'title', atMs: 0, title: 'x' }, reply('yes')]

    expect(visibleMessages(entries)).toEqual([user('hi'), reply('yes')])
  })

  test('begins with the last summary', () => {
    const summary = (text: string): ConversationEntry => ({ kind: 'summary', atMs: 0, text })

    const seen = visibleMessages([user('a'), summary('one'), user('b'), summary('two'), user('c')])

    expect(seen).toEqual([user('What was said before, in short:\n\ntwo'), user('c')])
  })
})

function user(text: string): Message {
  return { kind: 'user', atMs: 0, parts: [{ kind: 'text', text }] }
}

function reply(text: string, ...calls: readonly string[]): Message {
  const said = text === '' ? [] : [{ kind: 'text', text } as const]
  const called = calls.map(
    (callId) => ({ kind: 'call', callId, name: 's__t', input: { kind: 'json', value: {} } }) as const,
  )
  return { kind: 'reply', atMs: 0, parts: [...said, ...called], end: calls.length > 0 ? 'calls' : 'complete' }
}

function result(callId: string, text = 'ok'): Message {
  return { kind: 'result', atMs: 0, callId, name: 's__t', end: 'done', parts: [{ kind: 'text', text }], ms: 1 }
}

function interrupted(callId: string): Message {
  return {
    kind: 'result',
    atMs: 0,
    callId,
    name: 's__t',
    end: 'interrupted',
    parts: [{ kind: 'text', text: interruptedText }],
    ms: 0,
  }
}
