import { describe, expect, test } from 'vitest'
import { judgeCall, type CallQuestion, type Verdict } from '../../src/policy/judge-call.ts'

const question: CallQuestion = {
  tool: { server: 'github', tool: 'create_issue' },
  identity: 'id1',
  schemaHash: 'hash1',
  isReadOnly: false,
  rules: { alwaysAllow: [], deny: [], trustHints: false },
  grants: [],
}
const rules = (rest: Partial<CallQuestion['rules']>) => ({ rules: { ...question.rules, ...rest } })
const grant = { server: 'github', identity: 'id1', tool: 'create_issue', schemaHash: 'hash1' }
const allowed: Verdict = { kind: 'allowed' }
const denied: Verdict = { kind: 'denied' }
const ask: Verdict = { kind: 'ask', wasAllowed: false }
const askAgain: Verdict = { kind: 'ask', wasAllowed: true }

describe('a call that a model chose', () => {
  test.each<[string, Partial<CallQuestion>, Verdict]>([
    ['is asked about where nothing is said', {}, ask],
    ['runs where alwaysAllow names it', rules({ alwaysAllow: ['create_issue'] }), allowed],
    ['runs where a pattern of alwaysAllow fits', rules({ alwaysAllow: ['github.create*'] }), allowed],
    [
      'is denied where deny names it, whatever allows it',
      { ...rules({ alwaysAllow: ['*'], deny: ['create_*'] }), grants: [grant], only: ['*'] },
      denied,
    ],
    ['runs where --allow names it', { only: ['github.*'] }, allowed],
    [
      'is denied where --allow names others, even if it is allowed otherwise',
      { ...rules({ alwaysAllow: ['*'] }), only: ['get_*'] },
      denied,
    ],
    ['runs where it was granted', { grants: [grant] }, allowed],
    [
      'runs where its server was granted, whatever the tool has become',
      { grants: [{ server: 'github', identity: 'id1' }], schemaHash: 'hash2' },
      allowed,
    ],
    ['is asked about again where the tool has changed', { grants: [grant], schemaHash: 'hash2' }, askAgain],
    ['is asked about again where the server has changed', { grants: [grant], identity: 'id2' }, askAgain],
    [
      'is asked about where another server of the same make was granted',
      { grants: [{ ...grant, server: 'gitlab' }] },
      ask,
    ],
    ['is asked about where another tool was granted', { grants: [{ ...grant, tool: 'get_issue' }] }, ask],
    ['is asked about where it only calls itself harmless', { isReadOnly: true }, ask],
    [
      'runs where it calls itself harmless and its server is believed',
      { isReadOnly: true, ...rules({ trustHints: true }) },
      allowed,
    ],
    ['is asked about where its server is believed and it says nothing', rules({ trustHints: true }), ask],
  ])('%s', (_, change, verdict) => {
    expect(judgeCall({ ...question, ...change })).toEqual(verdict)
  })
})
