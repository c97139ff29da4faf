import { expect, test } from 'vitest'
import { findTool } from '../../src/sandbox/find-tool.ts'
import { nearest } from '../../src/hub/catalogue/nearest.ts'

const world = { nearest, tools: { github: ['create_issue', 'get-user'], 'a-b': ['x.y', 'x-y'], a_b: ['z'] } }

test.each([
  ['github', 'create_issue', { server: 'github', tool: 'create_issue' }],
  ['github', 'get_user', { server: 'github', tool: 'get-user' }],
  ['a-b', 'x.y', { server: 'a-b', tool: 'x.y' }],
  ['a_b', 'z', { server: 'a_b', tool: 'z' }],
])('%s.%s is found', (server, tool, found) => {
  expect(findTool({ server, tool }, world)).toEqual({ kind: 'found', tool: found })
})

test.each([
  ['github', 'create_isue', 'tool_unknown', 'No tool "create_isue" at server "github". Closest: github.create_issue.'],
  ['a-b', 'x_y', 'tool_unknown', 'No tool "x_y" at server "a-b". Closest: a-b.x-y, a-b.x.y.'],
  ['gihub', 'create_issue', 'server_unknown', 'No server "gihub". Closest: github, github.create_issue.'],
  ['weather', 'today', 'server_unknown', 'No server "weather". Find one with search("…").'],
  ['constructor', 'constructor', 'server_unknown', 'No server "constructor". Find one with search("…").'],
  ['__proto__', 'toString', 'server_unknown', 'No server "__proto__". Find one with search("…").'],
])('%s.%s is not there, and the closest names are', (server, tool, code, message) => {
  expect(findTool({ server, tool }, world)).toMatchObject({ kind: 'missing', error: { code, message } })
})
