import { expect, test } from 'vitest'
import type { ToolResult } from '../../src/hub/api.ts'
import { toolValue } from '../../src/sandbox/tool-value.ts'
import { structured, text } from './run-options.ts'

const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const
const both = { content: [{ type: 'text', text: 'words' }], structuredContent: { n: 1 } } satisfies ToolResult

test.each<[string, ToolResult, unknown]>([
  ['structured content as it is', structured({ a: [1] }), { a: [1] }],
  ['structured content rather than the text beside it', both, { n: 1 }],
  ['the object that a text is in JSON', text('{"a":1}'), { a: 1 }],
  ['the list that a text is in JSON, blanks around it or not', text(' [1, 2]\n'), [1, 2]],
  ['the number that a text is', text('42'), 42],
  ['the digits of a number that JavaScript cannot hold', text('12345678901234567890'), '12345678901234567890'],
  ['the text of a number that is written in another way', text('1.50'), '1.50'],
  ['a text that only begins like JSON', text('{"a":1} and more'), '{"a":1} and more'],
  ['plain text', text('hello'), 'hello'],
  ['nothing', { content: [] }, null],
  ['several texts joined', { content: [...text('a').content, ...text('b').content] }, 'a\nb'],
  ['several texts joined, JSON or not', { content: [...text('1').content, ...text('2').content] }, '1\n2'],
  ['a picture as the way to get it', { content: [image] }, '[image/png: call the tool with .raw(…) to get it]'],
  ['a link as its address', { content: [{ type: 'resource_link', uri: 'a://b', name: 'b' }] }, 'a://b'],
  ['an embedded text', { content: [{ type: 'resource', resource: { uri: 'a://b', text: 'inside' } }] }, 'inside'],
  [
    'embedded bytes as the way to get them',
    { content: [{ type: 'resource', resource: { uri: 'a://b', blob: 'AA==', mimeType: 'a/b' } }] },
    '[a/b: call the tool with .raw(…) to get it]',
  ],
])('a call gives %s', (_what, result, value) => {
  expect(toolValue(result, { raw: false })).toEqual({ kind: 'value', value })
})

test('raw gives everything the server sent', () => {
  const result = { ...both, _meta: { cost: 1 } }

  expect(toolValue(result, { raw: true })).toEqual({ kind: 'value', value: result })
})

test.each<[string, ToolResult, string]>([
  ['its text', { ...text('no such file'), isError: true }, 'no such file'],
  ['its structured content when it has no text', { ...structured({ code: 7 }), isError: true }, '{"code":7}'],
  ['that there is no reason', { content: [], isError: true }, 'The tool failed and did not say why.'],
])('an error of the tool is an error with %s', (_what, result, message) => {
  expect(toolValue(result, { raw: false })).toEqual({ kind: 'error', message })
  expect(toolValue(result, { raw: true })).toEqual({ kind: 'error', message })
})
