import { describe, expect, test } from 'vitest'
import { judgeAccess, mayUseServer, namesServer, type AccessRules } from '../../src/policy/access.ts'

const tool = { server: 'github', tool: 'delete_repo' }

describe('access', () => {
  test.each<readonly [string, readonly AccessRules[], string]>([
    ['is open without rules', [], 'allowed'],
    ['is open under rules that say nothing', [{}, {}], 'allowed'],
    ['is closed to a server that is not among those named', [{ servers: ['memory'] }], 'denied'],
    ['is closed to a tool that is not among those named', [{ tools: ['github.get_*'] }], 'denied'],
    ['is open to a tool that a glob names', [{ tools: ['github.{get,delete}_*'] }], 'allowed'],
    ['is closed by a deny, whatever else is allowed', [{ tools: ['*'], deny: ['delete_*'] }], 'denied'],
    ['is closed when one of several rules closes it', [{ tools: ['*'] }, { servers: ['memory'] }], 'denied'],
    ['wants a yes where any rule says so', [{ tools: ['*'] }, { ask: ['github.*'] }], 'ask'],
    ['is not opened by a yes that could be given', [{ ask: ['github.*'] }, { deny: ['github.*'] }], 'denied'],
  ])('%s', (_claim, rules, access) => {
    expect(judgeAccess(rules, tool)).toBe(access)
  })

  test('to a server is closed by every rule that names others, and by no list of tools', () => {
    const rules = [{ servers: ['github', 'memory'] }, { tools: ['github.get_*'] }]

    expect(['github', 'memory', 'slack'].map((server) => mayUseServer(rules, server))).toEqual([true, true, false])
    expect(['memory', 'slack'].map((server) => namesServer(rules, server))).toEqual([true, false])
  })
})
