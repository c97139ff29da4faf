import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isServerName, slugOf } from '../../src/config/server-name.ts'

test.each(['github', 'a', '7zip', 'my-server', 'my_server', 'MCP'])('%j is a server name', (name) => {
  expect(isServerName(name)).toBe(true)
})

test.each(['', 'mcp', '-x', '_x', 'my server', 'a.b', 'a/b', '../x', 'é', 'a\n'])('%j is no server name', (name) => {
  expect(isServerName(name)).toBe(false)
})

test.each([
  ['My Café!', 'My-Cafe'],
  ['io.github.user/server', 'io-github-user-server'],
  ['mcp', 'mcp-server'],
  ['../..', 'server'],
  ['日本', 'server'],
  ['__x__', 'x__'],
])('the slug of %j is %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
})

test('a slug is always a server name, and a server name is its own slug except for trailing dashes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      expect(isServerName(slugOf(name))).toBe(true)
      if (isServerName(name) && !name.endsWith('-')) expect(slugOf(name)).toBe(name)
    }),
  )
})
