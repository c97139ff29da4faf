import { expect, test } from 'vitest'
import { viewAsMarkdown, viewAsText, type InvocationView } from '../../../src/hosts/tools/index.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { begin, openManager } from './open-manager.ts'

test('shows a call with its name, arguments, state and content, as text and as Markdown', async () => {
  await using manager = await openManager({ echo: fixture('echo') })
  const invocation = begin(manager, 'echo.echo', { message: 'hello' })
  await invocation.result
  const view: InvocationView = { ...invocation.view(), status: { kind: 'done', text: 'done in 5 ms', ms: 5 } }

  expect(viewAsText(view)).toBe('mcp.echo.echo (Echo): done in 5 ms\n  message: hello\nhello')
  expect(viewAsMarkdown(view)).toBe('`mcp.echo.echo` (`Echo`): done in 5 ms\n\n- `message`: `hello`\n\n```\nhello\n```')
})

test('shows how far a call is, and why it failed', async () => {
  await using manager = await openManager({ echo: fixture('echo') })
  const slow = begin(manager, 'echo.slow', { ms: 20, steps: 2 })
  const lines: string[] = []
  using _own = slow.on(() => lines.push(viewAsText(slow.view()).split('\n')[0] ?? ''))
  const failed = begin(manager, 'echo.echo', 'no JSON')

  await Promise.all([slow.result, failed.result])

  expect(lines.slice(0, 3)).toEqual([
    'mcp.echo.slow: running',
    'mcp.echo.slow: running, 1 of 2: step 1',
    'mcp.echo.slow: running, 2 of 2: step 2',
  ])
  expect(viewAsMarkdown(failed.view())).toMatch(
    /^`mcp\.echo\.echo` \(`Echo`\): \*\*failed:\*\* `This call did not run.*`$/,
  )
})

test('lets nothing of a server or a model become markup or an escape sequence', async () => {
  await using manager = await openManager({ echo: fixture('echo') })
  const attack = '```\n# owned\n````\n<img src=x>'
  const invocation = begin(manager, 'echo.echo', { message: attack })
  const control = begin(manager, 'echo.control')
  await Promise.all([invocation.result, control.result])

  const markdown = viewAsMarkdown(invocation.view())

  expect(markdown).toContain(`\`\`\`\`\`\n${attack}\n\`\`\`\`\``)
  expect(markdown.match(/^ *`{5}$/gm)).toHaveLength(4)
  expect(viewAsText(control.view())).not.toMatch(/(?!\n)\p{Cc}/u)
})

test('names pictures and resources in words, and leaves their bytes to the host', async () => {
  await using manager = await openManager({ echo: fixture('echo') })
  const invocation = begin(manager, 'echo.embedded')
  await invocation.result

  const view = invocation.view()

  expect(view.content).toEqual([
    { kind: 'resource', uri: 'note://one', text: '# One', mimeType: 'text/markdown' },
    { kind: 'media', mimeType: 'image/png', data: expect.any(String) },
  ])
  expect(viewAsText(view)).toMatch(/note:\/\/one\n# One\n\[image\/png, 70 bytes\]$/)
})

test('warns of output that does not fit what the tool promised', async () => {
  await using manager = await openManager({ echo: fixture('echo') })
  const invocation = begin(manager, 'echo.bad-structured')
  await invocation.result

  expect(viewAsText(invocation.view())).toContain('! The output of echo.bad-structured does not fit its own schema')
})
