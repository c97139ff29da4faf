import { expect, test } from 'vitest'
import { parseEntry } from '../../src/config/entry.ts'
import { serverIdentity } from '../../src/config/identity.ts'
import type { RawEntry } from '../../src/config/types.ts'

const identity = (entry: RawEntry) => serverIdentity(parseEntry(entry, { name: 'x' }).server)
const program = { command: 'node', args: ['a', 'b'], env: { A: '1', B: '2' }, cwd: '/x' }
const remote = { url: 'https://x.example', headers: { A: '1', B: '2' } }

test.each([
  [program, { ...program, env: { B: '2', A: '1' } }],
  [program, { ...program, timeout: 5, description: 'd', deny: ['x'] }],
  [remote, { ...remote, headers: { B: '2', A: '1' } }],
])('%j and %j are the same server', (a, b) => {
  expect(identity(a)).toBe(identity(b))
})

test.each([
  [program, { ...program, command: 'bun' }],
  [program, { ...program, args: ['a b'] }],
  [program, { ...program, args: ['b', 'a'] }],
  [program, { ...program, env: { A: '1' } }],
  [program, { ...program, cwd: '/y' }],
  [remote, { ...remote, url: 'https://y.example' }],
  [remote, { ...remote, headers: { A: '1' } }],
  [remote, { ...remote, oauth: { clientId: 'another' } }],
  [program, remote],
])('%j and %j are different servers', (a, b) => {
  expect(identity(a)).not.toBe(identity(b))
})
