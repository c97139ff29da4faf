import { describe, expect, test } from 'vitest'
import { contentPart, resultParts, type ContentBlock } from '../../src/agent/content-parts.ts'
import type { ContentPart } from '../../src/agent/record.ts'

describe('a content block', () => {
  test.each<[string, ContentBlock, ContentPart]>([
    ['text', { type: 'text', text: 'a' }, { kind: 'text', text: 'a' }],
    [
      'a picture',
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
      { kind: 'media', mimeType: 'image/png', data: 'AA==' },
    ],
    [
      'a sound of no known type',
      { type: 'audio', data: 'AA==' },
      { kind: 'media', mimeType: 'application/octet-stream', data: 'AA==' },
    ],
    [
      'the text of a resource',
      { type: 'resource', resource: { uri: 'note://one', text: '# One', mimeType: 'text/markdown' } },
      { kind: 'resource', uri: 'note://one', text: '# One', mimeType: 'text/markdown' },
    ],
    [
      'the bytes of a resource',
      { type: 'resource', resource: { uri: 'a', blob: 'AA==', mimeType: 'application/pdf' } },
      { kind: 'media', mimeType: 'application/pdf', data: 'AA==' },
    ],
    [
      'a resource without content',
      { type: 'resource', resource: { uri: 'a' } },
      { kind: 'resource', uri: 'a', text: '' },
    ],
    ['a broken picture', { type: 'image', data: 7 }, { kind: 'text', text: '{"type":"image","data":7}' }],
    [
      'a kind that nobody knows',
      { type: 'hologram', depth: 3 },
      { kind: 'text', text: '{"type":"hologram","depth":3}' },
    ],
  ])('of %s keeps what it is', (_, block, part) => {
    expect(contentPart(block)).toEqual(part)
  })

  test('of a link says where it leads', () => {
    expect(contentPart({ type: 'resource_link', uri: 'note://one', name: 'one' })).toMatchObject({
      text: expect.stringContaining('note://one') as string,
    })
  })
})

describe('a result', () => {
  test('that has only a structured form is that, as JSON', () => {
    expect(resultParts({ content: [], structuredContent: { a: 1 } })).toEqual([{ kind: 'text', text: '{"a":1}' }])
  })

  test('with text is its text', () => {
    expect(resultParts({ content: [{ type: 'text', text: 'a' }], structuredContent: { a: 1 } })).toEqual([
      { kind: 'text', text: 'a' },
    ])
  })
})
