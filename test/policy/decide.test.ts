import { expect, test } from 'vitest'
import { isAllowed, isDenied, serversAllowed, toolExists } from '../../src/policy/decide.ts'

test.each([
  { include: [], exclude: [], exists: true },
  { include: ['read_*'], exclude: [], exists: true },
  { include: ['write_*'], exclude: [], exists: false },
  { include: [], exclude: ['read_*'], exists: false },
  { include: ['read_file'], exclude: ['*_file'], exists: false },
  { include: ['write_*', 'read_file'], exclude: ['write_*'], exists: true },
])('read_file exists under %j', ({ exists, ...tools }) => {
  expect(toolExists(tools, 'read_file')).toBe(exists)
})

test.each([
  { deny: [], denied: false },
  { deny: ['delete_repo'], denied: true },
  { deny: ['delete_*'], denied: true },
  { deny: ['github.delete_repo'], denied: true },
  { deny: ['github.*'], denied: true },
  { deny: ['*.delete_repo'], denied: true },
  { deny: ['gitlab.*'], denied: false },
  { deny: ['github'], denied: false },
])('github.delete_repo is denied by %j', ({ deny, denied }) => {
  expect(isDenied(deny, { server: 'github', tool: 'delete_repo' })).toBe(denied)
})

test.each([
  { allow: [], deny: [], allowed: false },
  { allow: ['*'], deny: [], allowed: true },
  { allow: ['github.get_*'], deny: [], allowed: true },
  { allow: ['get_issue'], deny: ['github.*'], allowed: false },
  { allow: ['set_*'], deny: [], allowed: false },
])('github.get_issue is allowed by %j: deny beats allow', ({ allowed, ...lists }) => {
  expect(isAllowed(lists, { server: 'github', tool: 'get_issue' })).toBe(allowed)
})

test.each([
  { allow: ['github.get_*'], servers: ['github'] },
  { allow: ['github.*', 'files.read'], servers: ['files', 'github'] },
  { allow: ['get_*'], servers: ['files', 'git', 'github'] },
  { allow: ['github.*', 'get_*'], servers: ['files', 'git', 'github'] },
  { allow: ['git*.get'], servers: ['files', 'git', 'github'] },
  { allow: ['other.get'], servers: ['files', 'git', 'github'] },
  { allow: ['{git,files}.get'], servers: ['files', 'git', 'github'] },
])('only these servers can have a tool that is allowed: %j', ({ allow, servers }) => {
  expect(serversAllowed(allow, ['files', 'git', 'github'])).toEqual(servers)
})
