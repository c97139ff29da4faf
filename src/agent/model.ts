import type { JsonObject, JsonSchema } from '../hub/values.ts'
import type { CallInput, Message, Usage } from './record.ts'

/** A tool as a model is told of it. */
export interface ToolDeclaration {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
}

export interface StepRequest {
  readonly instructions: string
  /** Whole: every call has its result (`repairHistory`). */
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDeclaration[]
}

/** Why a step failed, in the kinds that are treated differently. `message` is for people. */
export type StepFailure =
  /** Too many requests, overloaded, an error of theirs, no connection: worth another try. */
  | {
      readonly kind: 'unavailable'
      readonly message: string
      readonly retryAfterMs?: number
      /** Nobody is there at all. */
      readonly isUnreachable?: boolean
    }
  /** The stream broke off. */
  | { readonly kind: 'cut'; readonly message: string }
  /** The conversation is longer than the model can take. */
  | { readonly kind: 'overflow'; readonly message: string }
  /** The model takes no tools. */
  | { readonly kind: 'no_tools'; readonly message: string }
  /** A wrong key, an unknown model, a request that it does not take: trying again changes nothing. */
  | { readonly kind: 'rejected'; readonly message: string; readonly status?: number }

export type StepPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string; readonly metadata?: JsonObject }
  /** The text or the thought so far is whole; what comes next is another. */
  | { readonly kind: 'part_end'; readonly metadata?: JsonObject }
  /** A call has begun; its arguments are still being written. */
  | { readonly kind: 'call_begins'; readonly callId: string; readonly name: string }
  | {
      readonly kind: 'call'
      readonly callId: string
      readonly name: string
      readonly input: CallInput
      readonly metadata?: JsonObject
    }
  /** What a person should know of this step: parts of the request that the model cannot take, for example. */
  | { readonly kind: 'warning'; readonly message: string }
  /** The last part of a step that went well. */
  | {
      readonly kind: 'end'
      readonly end: 'complete' | 'calls' | 'length' | 'filtered' | 'other'
      readonly usage: Usage
    }
  /** The last part of a step that did not. */
  | { readonly kind: 'failed'; readonly failure: StepFailure }

/**
 * A model, one step at a time: the conversation in, one reply out. It runs no tool and repeats nothing. A stream that ends with neither
 * `end` nor `failed` was aborted.
 */
export interface Model {
  /** What people type after `--model`: `anthropic/claude-sonnet-5-5`. */
  readonly id: string
  /** How much it can take. */
  readonly contextTokens: number
  /** `xml` for models that know no tools: they write calls as text. */
  readonly tools: 'native' | 'xml'
  step(request: StepRequest, options: { readonly signal: AbortSignal }): AsyncIterable<StepPart>
  /** The same model with calls written as text. */
  withXmlTools(): Model
}
