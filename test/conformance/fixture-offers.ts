import { completable, inputRequired, ResourceTemplate, type McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { askText } from './fixture-asking-tools.ts'
import { image } from './fixture-tools.ts'

const user = 'user' as const
const text = (words: string) => ({ role: user, content: { type: 'text' as const, text: words } })

export function addPrompts(mcp: McpServer): void {
  mcp.registerPrompt('test_simple_prompt', { description: 'Has no arguments.' }, () => ({
    messages: [text('This is a simple prompt for testing.')],
  }))
  const values = ['test one', 'test two', 'paris', 'party']
  const completed = completable(z.string(), (value) => values.filter((each) => each.startsWith(value)))
  const two = z.object({ arg1: completed.describe('First test argument'), arg2: z.string() })
  mcp.registerPrompt('test_prompt_with_arguments', { description: 'Has two.', argsSchema: two }, ({ arg1, arg2 }) => ({
    messages: [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  }))
  const one = z.object({ resourceUri: z.string() })
  mcp.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Holds a resource.', argsSchema: one },
    ({ resourceUri: uri }) => {
      const resource = { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' }
      const content = { type: 'resource' as const, resource }
      return { messages: [{ role: user, content }, text('Please process the embedded resource above.')] }
    },
  )
  mcp.registerPrompt('test_prompt_with_image', { description: 'Holds a picture.' }, () => ({
    messages: [{ role: user, content: { type: 'image', ...image } }, text('Please analyze the image above.')],
  }))
  mcp.registerPrompt('test_input_required_result_prompt', { description: 'Asks before it answers.' }, ({ mcpReq }) => {
    const answer = mcpReq.inputResponses?.['user_context']
    if (answer !== undefined) return { messages: [text(`With the context ${JSON.stringify(answer)}.`)] }
    const question = askText('What context should the prompt use?', 'context')
    return inputRequired({ inputRequests: { user_context: question } })
  })
}

export function addResources(mcp: McpServer): void {
  const plain = { description: 'Text that stays.', mimeType: 'text/plain' }
  for (const [name, uri] of [
    ['static-text', 'test://static-text'],
    ['watched', 'test://watched-resource'],
  ] as const) {
    const contents = [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }]
    mcp.registerResource(name, uri, plain, () => ({ contents }))
  }
  const binary = { description: 'A picture.', mimeType: image.mimeType }
  mcp.registerResource('static-binary', 'test://static-binary', binary, ({ href }) => ({
    contents: [{ uri: href, mimeType: image.mimeType, blob: image.data }],
  }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  const json = { description: 'Data by its id.', mimeType: 'application/json' }
  mcp.registerResource('template', template, json, ({ href }, { id }) => ({
    contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }],
  }))
}
