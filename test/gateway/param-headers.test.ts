import { expect, test } from 'vitest'
import { paramHeaderProblem } from '../../src/gateway/http/param-headers.ts'

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    page: { type: 'object', properties: { size: { type: 'integer', 'x-mcp-header': 'Page-Size' } } },
    free: { type: 'string' },
  },
}

test.each<readonly [string, object, Readonly<Record<string, string>>]>([
  ['say the same', { region: 'eu', page: { size: 10 } }, { 'mcp-param-region': 'eu', 'mcp-param-page-size': '10' }],
  ['write a number in another way', { page: { size: 10 } }, { 'mcp-param-page-size': '10.0' }],
  ['say in Base64 what no header can hold', { region: 'zürich' }, { 'mcp-param-region': '=?base64?esO8cmljaA==?=' }],
  ['begin like Base64 and are a plain text', { region: '=?base64?ZX' }, { 'mcp-param-region': '=?base64?ZX' }],
  ['are about an argument that was not given', {}, { 'mcp-param-region': 'eu' }],
  ['are about an argument that is null', { region: null }, {}],
  ['are not wanted', { free: 'x' }, {}],
])('headers that %s are fine', (_what, args, headers) => {
  expect(paramHeaderProblem(schema, { args, headers })).toBeUndefined()
})

test.each<readonly [string, object, Readonly<Record<string, string>>]>([
  ['are missing', { region: 'eu' }, {}],
  ['say something else', { region: 'eu' }, { 'mcp-param-region': 'us' }],
  ['say another number', { page: { size: 10 } }, { 'mcp-param-page-size': '11' }],
  ['are broken Base64', { region: 'eu' }, { 'mcp-param-region': '=?base64?ZX?=' }],
])('headers that %s are refused with the code for it', (_what, args, headers) => {
  expect(paramHeaderProblem(schema, { args, headers })).toMatchObject({ status: 400, code: -32_020 })
})
