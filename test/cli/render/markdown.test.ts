import { expect, test } from 'vitest'
import { renderMarkdown } from '../../../src/cli/render/markdown.ts'
import type { ServerGroup } from '../../../src/cli/render/server-group.ts'
import { failed, promptOf, ready, toolOf } from '../literal-hub.ts'

function group(rest: Partial<ServerGroup>): ServerGroup {
  return {
    status: ready('s'),
    coverage: { kind: 'listed', server: 's' },
    tools: [],
    prompts: [],
    resources: [],
    templates: [],
    ...rest,
  }
}

test('text of a server cannot make headings, links, markup or rules of its own', () => {
  const description = '# Big\n---\n<script>alert(1)</script> [x](javascript:1) *bold* `code`\n    indented'

  const text = renderMarkdown([group({ tools: [toolOf('s', 't', { description })] })])

  expect(text).toContain(String.raw`\# Big`)
  expect(text).toContain(String.raw`\---`)
  expect(text).toContain(String.raw`\<script\>`)
  expect(text).toContain(String.raw`\[x\](javascript:1) \*bold\* ${'\\`code\\`'}`)
  expect(text).toContain('\nindented')
})

test('a cell keeps its row whole, whatever stands in it', () => {
  const properties = { 'a|b': { enum: ['x|y', 'z'], description: 'one | two\nthree `four`' } }

  const text = renderMarkdown([group({ tools: [toolOf('s', 't', { inputSchema: { type: 'object', properties } })] })])

  const row = text.split('\n').find((line) => line.includes('three'))
  expect(row?.split(/(?<!\\)\|/)).toHaveLength(7)
  expect(row).toContain('<br>')
})

test('a name with backticks is fenced by more of them', () => {
  expect(renderMarkdown([group({ tools: [toolOf('s', 'a`b')] })])).toContain('#### ``s.a`b``')
})

test('prompts, resources and templates are there, and a server that failed says why', () => {
  const text = renderMarkdown([
    group({
      prompts: [promptOf('s', 'p', { arguments: [{ name: 'city', required: true, description: 'Where' }] })],
      resources: [{ server: 's', uri: 'a://b', name: 'B' }],
      templates: [{ server: 's', uriTemplate: 'a://{x}', name: 'X', description: 'Any' }],
    }),
    group({ status: failed('gone'), coverage: undefined }),
  ])

  expect(text).toContain('| `city` | yes | Where |')
  expect(text).toContain('| `a://b` | B |  |  |')
  expect(text).toContain('| `a://{x}` | X |  | Any |')
  expect(text).toContain('**Not complete:** Server "gone" cannot start.')
})
