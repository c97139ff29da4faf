import {
  jsonSchema,
  streamText,
  tool,
  wrapLanguageModel,
  type LanguageModel,
  type ModelMessage,
  type ToolSet,
} from 'ai'
import type { JsonObject, JsonSchema, JsonValue } from '../hub/values.ts'
import type { StepPart, StepRequest, ToolDeclaration } from './model.ts'
import { toModelMessages, type Takes } from './model-messages.ts'
import type { CallInput, Usage } from './record.ts'
import { stepFailure } from './step-failure.ts'
import { faultKey, xmlTools } from './xml/middleware.ts'

export interface AiStep {
  readonly id: string
  readonly language: Exclude<LanguageModel, string>
  readonly takes: Takes
  readonly tools: 'native' | 'xml'
  readonly signal: AbortSignal
  /** How long the provider may be silent in the middle of a step. */
  readonly idleMs: number
}

/** One step of a model through the SDK, which runs no tool, repeats nothing and keeps nothing: that is the loop's work. */
export async function* aiStep(request: StepRequest, step: AiStep): AsyncIterable<StepPart> {
  // The SDK writes its warnings to the console, which may be somebody's screen; what matters of them is in the stream.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const { messages, leftOut } = toModelMessages(request.messages, { model: step.id, takes: step.takes })
  for (const mimeType of leftOut)
    yield { kind: 'warning', message: `The model cannot take ${mimeType}; it was left out.` }
  const silence = watchSilence(step.idleMs)
  const signal = AbortSignal.any([step.signal, silence.signal])
  try {
    for await (const part of streamOf(request, messages, { ...step, signal }).fullStream) {
      silence.heard()
      const ours = stepPart(part)
      if (ours === undefined) continue
      yield ours
      if (ours.kind === 'end' || ours.kind === 'failed') return
    }
    if (silence.signal.aborted) yield tooSilent(step.idleMs)
  } catch (error) {
    if (silence.signal.aborted) yield tooSilent(step.idleMs)
    else if (!step.signal.aborted) yield { kind: 'failed', failure: stepFailure(error) }
  } finally {
    silence.end()
  }
}

/** Aborts when nothing has been heard for so long: some servers accept a request and then forget it. */
function watchSilence(idleMs: number): {
  readonly signal: AbortSignal
  readonly heard: () => void
  readonly end: () => void
} {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), idleMs)
  return { signal: controller.signal, heard: () => timer.refresh(), end: () => clearTimeout(timer) }
}

function tooSilent(idleMs: number): StepPart {
  const message = `nothing was heard for ${idleMs / 1000} s`
  return { kind: 'failed', failure: { kind: 'unavailable', message } }
}

function streamOf({ instructions, tools }: StepRequest, messages: ModelMessage[], step: AiStep) {
  const isXml = step.tools === 'xml' && tools.length > 0
  return streamText({
    model: isXml
      ? wrapLanguageModel({ model: withVersion(step.language), middleware: xmlTools(tools) })
      : step.language,
    // Marks for Anthropic's cache; others do not read them. The beginning stays the same from step to step.
    instructions: { role: 'system', content: instructions, providerOptions: cached },
    messages: messages.map((message, index) =>
      index === messages.length - 1 ? { ...message, providerOptions: cached } : message,
    ),
    tools: toolSet(tools),
    // Without it newer models of Anthropic that the SDK does not know would stop after 4096 tokens.
    ...(step.language.provider.startsWith('anthropic') ? { maxOutputTokens: 32_000 } : {}),
    // The conversation is ours: nothing in it may refer to what a provider has kept for a while.
    providerOptions: { openai: { store: false } },
    maxRetries: 0,
    abortSignal: step.signal,
    // It comes as a part of the stream; by default it is printed as well.
    onError: () => undefined,
  })
}

const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const

type VersionedModel = Extract<LanguageModel, { specificationVersion: 'v4' }>

function withVersion(language: Exclude<LanguageModel, string>): VersionedModel {
  if (language.specificationVersion === 'v4') return language
  throw new Error(`a model of version ${language.specificationVersion} came where v4 was asked for`)
}

/** Arguments are checked by the hub, with the tool's own schema, so the SDK is given no check. */
function toolSet(tools: readonly ToolDeclaration[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, schema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(objectSchema(schema)) }),
    ]),
  )
}

/** Providers refuse a schema that is not plainly one of an object. */
function objectSchema(schema: JsonSchema): Record<string, unknown> {
  const { $schema: _, ...rest } = schema
  return { ...rest, type: 'object', properties: rest['properties'] ?? {} }
}

type AiPart = ReturnType<typeof streamOf>['fullStream'] extends AsyncIterable<infer Part> ? Part : never

function stepPart(part: AiPart): StepPart | undefined {
  if (part.type === 'text-delta') return { kind: 'text', text: part.text }
  // The signature of a thought comes as an empty piece of it.
  if (part.type === 'reasoning-delta')
    return { kind: 'thinking', text: part.text, ...metadataOf(part.providerMetadata) }
  if (part.type === 'text-end' || part.type === 'reasoning-end') {
    return { kind: 'part_end', ...metadataOf(part.providerMetadata) }
  }
  if (part.type === 'tool-input-start') return { kind: 'call_begins', callId: part.id, name: part.toolName }
  if (part.type === 'tool-call') return callOf(part)
  if (part.type === 'finish-step') return endOf(part.finishReason, part.usage)
  return part.type === 'error' ? { kind: 'failed', failure: stepFailure(part.error) } : undefined
}

type AiCall = Extract<AiPart, { type: 'tool-call' }>

function callOf({ toolCallId: callId, toolName: name, input, providerMetadata, ...rest }: AiCall): StepPart {
  const { [faultKey]: fault, ...metadata } = providerMetadata ?? {}
  const base = { kind: 'call', callId, name, ...metadataOf(metadata) } as const
  if (fault !== undefined) {
    // The middleware has put them there, as texts.
    const { text, problem } = fault as { readonly text: string; readonly problem: string }
    return { ...base, input: { kind: 'invalid', text, problem } }
  }
  return { ...base, input: inputOf(input, 'error' in rest ? rest.error : undefined) }
}

/** The SDK marks calls of unknown tools as invalid too; those are the loop's to judge, and their arguments are fine. */
function inputOf(input: unknown, error: unknown): CallInput {
  if (isJsonObject(input)) return { kind: 'json', value: input }
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  const cause = error instanceof Error ? lastCause(error).message : ''
  const problem =
    typeof input === 'string' ? `the arguments are not JSON (${cause})` : 'the arguments are not a JSON object'
  return { kind: 'invalid', text, problem }
}

function lastCause(error: Error): Error {
  return error.cause instanceof Error ? lastCause(error.cause) : error
}

function endOf(
  reason: string,
  usage: {
    inputTokens: number | undefined
    outputTokens: number | undefined
    inputTokenDetails: { cacheReadTokens: number | undefined }
  },
): StepPart {
  if (reason === 'interrupted' || reason === 'error') {
    return { kind: 'failed', failure: { kind: 'cut', message: 'The reply ended before it was whole.' } }
  }
  return { kind: 'end', end: ends[reason] ?? 'other', usage: usageOf(usage) }
}

const ends: Readonly<Record<string, Extract<StepPart, { kind: 'end' }>['end']>> = {
  stop: 'complete',
  'tool-calls': 'calls',
  length: 'length',
  'content-filter': 'filtered',
}

function usageOf({ inputTokens, outputTokens, inputTokenDetails }: Parameters<typeof endOf>[1]): Usage {
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    cachedTokens: inputTokenDetails.cacheReadTokens ?? 0,
  }
}

function metadataOf(metadata: object | undefined): { readonly metadata?: JsonObject } {
  if (metadata === undefined || Object.keys(metadata).length === 0) return {}
  return { metadata: JSON.parse(JSON.stringify(metadata)) as JsonObject }
}

function isJsonObject(value: unknown): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
