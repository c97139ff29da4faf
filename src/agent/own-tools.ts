import type { Catalogue, ExecOutcome, Hub, OnAsk, ToolEntry } from '../hub/api.ts'
import { CapstanError, unreachable } from '../errors.ts'
import { firstSentence } from '../hub/catalogue/first-sentence.ts'
import { findPrompt, findTool } from '../hub/catalogue/names.ts'
import { signature } from '../hub/catalogue/signature.ts'
import type { JsonObject } from '../hub/values.ts'
import { contentPart } from './content-parts.ts'
import type { ToolDeclaration } from './model.ts'
import type { CallEnd, ContentPart } from './record.ts'

export type OwnToolName = 'search_tools' | 'inspect_tool' | 'call_tool' | 'exec' | 'list_prompts' | 'get_prompt'

interface OwnTool extends ToolDeclaration {
  readonly name: OwnToolName
  /** Offered where tools are searched for, or where there are prompts. */
  readonly when: 'search' | 'prompts'
}

const text = (description: string) => ({ type: 'string', description })

/** The tools that are ours. */
export const ownTools: readonly OwnTool[] = [
  {
    name: 'search_tools',
    when: 'search',
    description: 'Finds tools of the servers by what they do. Returns their names, parameters and what they are for.',
    schema: {
      type: 'object',
      properties: {
        query: text('What the tool should do, in a few words.'),
        limit: { type: 'integer', minimum: 1, maximum: 50 },
      },
      required: ['query'],
    },
  },
  {
    name: 'inspect_tool',
    when: 'search',
    description: 'Everything about one tool: its description, and the schema of its parameters and results.',
    schema: { type: 'object', properties: { tool: text('The name, as search_tools gives it.') }, required: ['tool'] },
  },
  {
    name: 'call_tool',
    when: 'search',
    description: 'Runs one tool of a server.',
    schema: {
      type: 'object',
      properties: {
        tool: text('The name, as search_tools gives it.'),
        arguments: { type: 'object', description: 'The parameters of that tool.' },
      },
      required: ['tool'],
    },
  },
  {
    name: 'exec',
    when: 'search',
    description:
      'Runs JavaScript that calls several tools, in a sandbox: await tools.server.tool({…}), search("words"), inspect("server.tool"). What it returns is the result. Use it to combine calls, or to keep large results out of the conversation.',
    schema: { type: 'object', properties: { code: text('The snippet; it ends with return.') }, required: ['code'] },
  },
  {
    name: 'list_prompts',
    when: 'prompts',
    description: 'The prompts that the servers offer: prepared instructions for certain tasks, with their arguments.',
    schema: { type: 'object', properties: {} },
  },
  {
    name: 'get_prompt',
    when: 'prompts',
    description: 'Renders one prompt of a server and returns its messages.',
    schema: {
      type: 'object',
      properties: {
        prompt: text('The name, as list_prompts gives it: server:prompt.'),
        arguments: {
          type: 'object',
          description: 'Its arguments; all values are text.',
          additionalProperties: { type: 'string' },
        },
      },
      required: ['prompt'],
    },
  },
]

export interface OwnToolContext {
  readonly hub: Hub
  readonly catalogue: Catalogue
  readonly signal: AbortSignal
  readonly onAsk?: OnAsk
  /** The tools that a snippet may call; all that are not denied when absent. */
  readonly execAllow?: readonly string[]
}

export interface OwnResult {
  readonly end: Extract<CallEnd, 'done' | 'failed'>
  readonly parts: readonly ContentPart[]
}

/** Runs one of our own tools, except `call_tool`, which is the tool that it names. */
export async function runOwnTool(name: OwnToolName, args: JsonObject, context: OwnToolContext): Promise<OwnResult> {
  const { hub, catalogue, signal } = context
  switch (name) {
    case 'search_tools': {
      const limit = typeof args['limit'] === 'number' ? args['limit'] : 10
      const hits = await hub.search(textArgument(args, 'query'), { limit: limit * 5, signal })
      // The hub finds every tool; some may not be meant for this model.
      const there = new Set(catalogue.tools.map(({ id }) => id))
      const tools = hits
        .map(({ tool }) => tool)
        .filter(({ id }) => there.has(id))
        .slice(0, limit)
      return done(tools.length === 0 ? 'No tool fits. Try other words.' : tools.map(toolLine).join('\n'))
    }
    case 'inspect_tool': {
      const { id, description, inputSchema, outputSchema, annotations } = findTool(
        catalogue,
        textArgument(args, 'tool'),
      )
      return done(JSON.stringify({ tool: id, description, inputSchema, outputSchema, annotations }, null, 2))
    }
    case 'exec':
      return execResult(await hub.exec(textArgument(args, 'code'), execOptions(context)))
    case 'list_prompts':
      return done(catalogue.prompts.map(promptLine).join('\n'))
    case 'get_prompt':
      return await getPrompt(args, context)
    case 'call_tool':
      throw new Error('call_tool is resolved before it runs')
    default:
      return unreachable(name)
  }
}

function execOptions({ signal, onAsk, execAllow }: OwnToolContext) {
  return { signal, ...(onAsk === undefined ? {} : { onAsk }), ...(execAllow === undefined ? {} : { allow: execAllow }) }
}

async function getPrompt(args: JsonObject, { hub, catalogue, signal, onAsk }: OwnToolContext): Promise<OwnResult> {
  const prompt = findPrompt(catalogue, textArgument(args, 'prompt'))
  const given = typeof args['arguments'] === 'object' && args['arguments'] !== null ? args['arguments'] : {}
  const values = Object.entries(given).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const options = { signal, ...(onAsk === undefined ? {} : { onAsk }) }
  const { messages } = await hub.prompt(prompt, Object.fromEntries(values) as Record<string, string>, options)
  const parts = messages.flatMap(({ role, content }): ContentPart[] => [
    { kind: 'text', text: `[${role}]` },
    contentPart(content),
  ])
  return { end: 'done', parts }
}

function execResult(outcome: ExecOutcome): OwnResult {
  const log = outcome.logs.map(({ text: line }) => line).join('\n')
  const logged = log === '' ? [] : [`Logged:\n${log}`]
  if (outcome.kind === 'returned') return done([JSON.stringify(outcome.value), ...logged].join('\n'))
  return { end: 'failed', parts: [{ kind: 'text', text: [problemOf(outcome), ...logged].join('\n') }] }
}

function problemOf(outcome: Exclude<ExecOutcome, { kind: 'returned' }>): string {
  if (outcome.kind === 'threw') return `${outcome.error.name}: ${outcome.error.message}`
  return outcome.kind === 'cancelled' ? 'Cancelled.' : outcome.message
}

function textArgument(args: JsonObject, name: string): string {
  const value = args[name]
  if (typeof value === 'string' && value.trim() !== '') return value
  throw new CapstanError('arguments_invalid', `"${name}" must be a text that is not empty.`)
}

function toolLine(tool: ToolEntry): string {
  const sentence = firstSentence(tool.description ?? tool.title)
  return `${tool.server}.${signature(tool)}${sentence === '' ? '' : ` // ${sentence}`}`
}

function promptLine({ id, title, description, arguments: declared = [] }: Catalogue['prompts'][number]): string {
  const args = declared.map(({ name, required }) => (required === true ? name : `${name}?`)).join(', ')
  const sentence = firstSentence(description ?? title)
  return `${id}(${args})${sentence === '' ? '' : ` // ${sentence}`}`
}

function done(result: string): OwnResult {
  return { end: 'done', parts: [{ kind: 'text', text: result }] }
}
