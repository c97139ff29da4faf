import { expect, test } from 'vitest'
import { describeChange } from '../../src/config/describe-change.ts'

const before = { command: 'npx', args: ['-y', 'a'], env: { MODE: 'dev', GONE: 'x' } }

test('names only what differs', () => {
  const after = { command: 'npx', args: ['-y', 'b'], env: { MODE: 'prod' }, cwd: '/srv' }

  expect(describeChange(before, after)).toEqual([
    'args: ["-y","a"] → ["-y","b"]',
    'env.MODE: dev → prod',
    'env.GONE: removed, was x',
    'cwd: added /srv',
  ])
})

test('says nothing about the same entry in another order', () => {
  expect(describeChange(before, { env: { GONE: 'x', MODE: 'dev' }, args: ['-y', 'a'], command: 'npx' })).toEqual([])
})

test('never shows a literal secret, and still says that it changed', () => {
  const token = (last: string) => ({ command: 'x', env: { API_TOKEN: `ghp_${'a1B2'.repeat(8)}${last}` } })

  const lines = describeChange(token('a'), token('b'))

  expect(lines).toHaveLength(1)
  expect(lines.join()).toMatch(/^env\.API_TOKEN: .*looks the same when masked$/)
  expect(lines.join()).not.toContain('a1B2')
})

test('a change from command to url shows both', () => {
  expect(describeChange({ command: 'npx' }, { url: 'https://a.example/mcp' })).toEqual([
    'command: removed, was npx',
    'url: added https://a.example/mcp',
  ])
})

test('an empty object that is filled is a change of its member', () => {
  expect(describeChange({ env: {} }, { env: { A: '1' } })).toEqual(['env: removed, was {}', 'env.A: added 1'])
})
