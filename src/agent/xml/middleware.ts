import type { LanguageModelMiddleware } from 'ai'
import type { ToolDeclaration } from '../model.ts'
import { callInXml } from './call-in-xml.ts'
import { describeTools } from './describe-tools.ts'
import { escapeXml } from './entities.ts'
import { resultElement, xmlScanner, type XmlEvent } from './scanner.ts'
import { typeParameters } from './type-parameters.ts'

type Transform = NonNullable<LanguageModelMiddleware['transformParams']>
type Params = Parameters<Transform>[0]['params']
type PromptMessage = Params['prompt'][number]
type StreamPart =
  Awaited<ReturnType<NonNullable<LanguageModelMiddleware['wrapStream']>>> extends { stream: ReadableStream<infer Part> }
    ? Part
    : never

/** Where a call that could not be read says why, on its way through the SDK to `ai-model.ts`. */
export const faultKey = 'capstan'

/** Teaches a model without tools to call them in XML: documents them, and turns calls and results into text and back. */
export function xmlTools(tools: readonly ToolDeclaration[]): LanguageModelMiddleware {
  return {
    specificationVersion: 'v4',
    transformParams: ({ params }) => {
      const prompt = promptInXml(params.prompt, tools)
      return Promise.resolve({ ...withoutTools(params), prompt })
    },
    wrapStream: async ({ doStream }) => {
      const { stream, ...rest } = await doStream()
      return { ...rest, stream: stream.pipeThrough(callsFromText(tools)) }
    },
  }
}

function withoutTools(params: Params): Params {
  const bare = { ...params }
  delete bare.tools
  delete bare.toolChoice
  return bare
}

function promptInXml(prompt: readonly PromptMessage[], tools: readonly ToolDeclaration[]): PromptMessage[] {
  const guide = describeTools(tools)
  const [first, ...rest] = prompt
  const isIntroduced = first?.role === 'system'
  const system: PromptMessage = isIntroduced
    ? { ...first, content: `${first.content}\n\n${guide}` }
    : { role: 'system', content: guide }
  return [system, ...(isIntroduced ? rest : prompt).map(messageInXml)]
}

function messageInXml(message: PromptMessage): PromptMessage {
  if (message.role === 'assistant') {
    const text = message.content.map((part) => {
      if (part.type === 'text') return part.text
      return part.type === 'tool-call' ? callInXml(part.toolName, part.input) : ''
    })
    return { role: 'assistant', content: [{ type: 'text', text: text.filter((part) => part !== '').join('\n') }] }
  }
  if (message.role !== 'tool') return message
  const results = message.content.map((part) => (part.type === 'tool-result' ? resultInXml(part) : ''))
  return { role: 'user', content: [{ type: 'text', text: results.filter((part) => part !== '').join('\n') }] }
}

type ToolMessage = Extract<PromptMessage, { role: 'tool' }>
type ResultPart = Extract<ToolMessage['content'][number], { type: 'tool-result' }>

function resultInXml({ toolName, output }: ResultPart): string {
  const status = output.type === 'error-text' ? 'failed' : 'done'
  const text =
    output.type === 'content'
      ? output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
      : 'value' in output
        ? typeof output.value === 'string'
          ? output.value
          : JSON.stringify(output.value)
        : ''
  return `<${resultElement} tool="${toolName}" status="${status}">\n${escapeXml(text)}\n</${resultElement}>`
}

/** Text of the model passes through; the calls in it become calls. */
function callsFromText(tools: readonly ToolDeclaration[]): TransformStream<StreamPart, StreamPart> {
  const schemas = new Map(tools.map(({ name, schema }) => [name, schema]))
  const scanner = xmlScanner(new Set(schemas.keys()))
  const textId = 'xml'
  let isTextOpen = false
  let calls = 0

  return new TransformStream({
    transform(part, out) {
      const send = (made: StreamPart): void => out.enqueue(made)
      if (part.type === 'text-delta') for (const event of scanner.push(part.delta)) pass(event, send)
      else if (part.type === 'finish') {
        for (const event of scanner.finish()) pass(event, send)
        closeText(send)
        const { finishReason } = part
        send({ ...part, finishReason: calls > 0 ? { ...finishReason, unified: 'tool-calls' } : finishReason })
      } else if (part.type !== 'text-start' && part.type !== 'text-end') send(part)
    },
  })

  function pass(event: XmlEvent, send: (part: StreamPart) => void): void {
    if (event.kind === 'text') {
      if (!isTextOpen) send({ type: 'text-start', id: textId })
      isTextOpen = true
      send({ type: 'text-delta', id: textId, delta: event.text })
    } else if (event.kind === 'call_begins') {
      closeText(send)
      calls += 1
      send({ type: 'tool-input-start', id: `xml-${calls}`, toolName: event.tool })
    } else if (event.kind === 'call' || event.kind === 'malformed') {
      send({ type: 'tool-input-end', id: `xml-${calls}` })
      send({ type: 'tool-call', toolCallId: `xml-${calls}`, toolName: event.tool, ...inputOf(event) })
    }
  }

  function inputOf(event: Extract<XmlEvent, { kind: 'call' | 'malformed' }>) {
    if (event.kind === 'malformed') return fault(event.text, event.problem)
    const typed = typeParameters(schemas.get(event.tool) ?? {}, event.parameters)
    if (typed.kind === 'typed') return { input: JSON.stringify(typed.value) }
    return fault(JSON.stringify(event.parameters), typed.problem)
  }

  function fault(text: string, problem: string) {
    return { input: '{}', providerMetadata: { [faultKey]: { text, problem } } }
  }

  function closeText(send: (part: StreamPart) => void): void {
    if (isTextOpen) send({ type: 'text-end', id: textId })
    isTextOpen = false
  }
}
