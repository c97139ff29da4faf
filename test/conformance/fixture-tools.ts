import { fromJsonSchema, type CallToolResult, type McpServer, type ServerContext } from '@modelcontextprotocol/server'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'

/** The smallest picture and sound that are what they say they are. */
export const image = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  mimeType: 'image/png',
}
const audio = { data: 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==', mimeType: 'audio/wav' }

export const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

/** Tools that answer at once or while they tell of themselves, and ask for nothing. */
export function addTools(mcp: McpServer): void {
  addContents(mcp)
  addTelling(mcp)
  addSchemas(mcp)
  addChanging(mcp)
}

function addContents(mcp: McpServer): void {
  const text = { type: 'text', text: 'This is a simple text response for testing.' } as const
  const contents: Readonly<Record<string, CallToolResult['content']>> = {
    test_simple_text: [text],
    test_image_content: [{ type: 'image', ...image }],
    test_audio_content: [{ type: 'audio', ...audio }],
    test_embedded_resource: [
      embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ],
    test_multiple_content_types: [
      text,
      { type: 'image', ...image },
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }
  for (const [name, content] of Object.entries(contents))
    mcp.registerTool(name, { description: `Answers for the scenario of ${name}.` }, () => ({ content }))
  mcp.registerTool('test_error_handling', { description: 'Always fails.' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
}

function embedded(uri: string, mimeType: string, text: string) {
  return { type: 'resource', resource: { uri, mimeType, text } } as const
}

function addTelling(mcp: McpServer): void {
  const logging = async ({ mcpReq }: ServerContext): Promise<CallToolResult> => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', line)
      await wait(50)
    }
    return said('Logged three lines.')
  }
  mcp.registerTool('test_tool_with_logging', { description: 'Logs three lines.' }, logging)
  mcp.registerTool('test_logging_tool', { description: 'Logs three lines, where they are wanted.' }, logging)
  mcp.registerTool('test_tool_with_progress', { description: 'Tells how far it is.' }, async ({ mcpReq }) => {
    const { progressToken } = mcpReq._meta ?? {}
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
      await wait(50)
    }
    return said('Told of its progress.')
  })
  mcp.registerTool('test_reconnection', { description: 'Takes longer than its stream need last.' }, async () => {
    await wait(500)
    return said('Answered after a while.')
  })
}

function addSchemas(mcp: McpServer): void {
  const text = { type: 'string' }
  const everyKeyword = fromJsonSchema({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: text, city: text } } },
    properties: {
      name: text,
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: text,
      email: text,
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // eslint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  })
  const description = 'Has a schema with the keywords of 2020-12.'
  mcp.registerTool('json_schema_2020_12_tool', { description, inputSchema: everyKeyword }, (args) =>
    said(JSON.stringify(args)),
  )
  const region = { type: 'string' as const, 'x-mcp-header': 'Region' }
  const mirrored = fromJsonSchema<{ readonly region: string }>({
    type: 'object',
    properties: { region },
    required: ['region'],
  })
  const header = { description: 'Wants an argument in a header too.', inputSchema: mirrored }
  mcp.registerTool('test_mirrored_argument', header, (args) => said(args.region))
}

/** Each call takes away what the call before has added: lists stay short however often they change. */
function addChanging(mcp: McpServer): void {
  const tool = mcp.registerTool('test_added_tool', { description: 'Comes and goes.' }, () => said('here'))
  const prompt = mcp.registerPrompt('test_added_prompt', { description: 'Comes and goes.' }, () => ({ messages: [] }))
  tool.disable()
  prompt.disable()
  const inputSchema = z.object({})
  const toggle = (offer: typeof tool | typeof prompt) => (offer.enabled ? offer.disable() : offer.enable())
  mcp.registerTool('test_trigger_tool_change', { description: 'Changes the list of tools.', inputSchema }, () => {
    toggle(tool)
    return said('The tools have changed.')
  })
  mcp.registerTool('test_trigger_prompt_change', { description: 'Changes the list of prompts.', inputSchema }, () => {
    toggle(prompt)
    return said('The prompts have changed.')
  })
}
