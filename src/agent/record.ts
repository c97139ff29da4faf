import type { JsonObject } from '../hub/values.ts'

/** The version that new conversations are written in. A file of a later one is left alone. */
export const recordVersion = 1

/** What people, prompts and tools put into a conversation. */
export type ContentPart =
  | { readonly kind: 'text'; readonly text: string }
  /** The text of a resource, with where it came from. */
  | { readonly kind: 'resource'; readonly uri: string; readonly text: string; readonly mimeType?: string }
  /** A picture, a sound or another file as base64. On disk it is a file of its own, beside the conversation. */
  | { readonly kind: 'media'; readonly mimeType: string; readonly data: string }

/** The arguments of a call as the model wrote them. */
export type CallInput =
  | { readonly kind: 'json'; readonly value: JsonObject }
  /** Not JSON, not an object, or cut off in the middle: it never runs, and goes back to the model with the reason. */
  | { readonly kind: 'invalid'; readonly text: string; readonly problem: string }

/** `metadata` is the provider's own (signatures of thoughts, for example) and goes back to it as it came. */
export type ReplyPart =
  | { readonly kind: 'text'; readonly text: string; readonly metadata?: JsonObject }
  | { readonly kind: 'thinking'; readonly text: string; readonly metadata?: JsonObject }
  | {
      readonly kind: 'call'
      readonly callId: string
      readonly name: string
      readonly input: CallInput
      readonly metadata?: JsonObject
    }

/** Why a reply ended. `cut` is a stream that broke off, `stopped` a person's Esc. */
export type ReplyEnd = 'complete' | 'calls' | 'length' | 'filtered' | 'cut' | 'stopped' | 'other'

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** The part of the input that the provider had kept from before. */
  readonly cachedTokens: number
}

/** What a person sent, or what a prompt put in their mouth. */
export interface UserMessage {
  readonly kind: 'user'
  readonly atMs: number
  readonly parts: readonly ContentPart[]
  /** The prompt that it came from, as `server:prompt`. */
  readonly prompt?: string
}

/** One reply of a model. Without `model` a prompt put it there. */
export interface Reply {
  readonly kind: 'reply'
  readonly atMs: number
  readonly parts: readonly ReplyPart[]
  readonly end: ReplyEnd
  readonly model?: string
  readonly usage?: Usage
  readonly prompt?: string
}

/** How a call ended. `interrupted` means that nobody knows whether it took effect. */
export type CallEnd = 'done' | 'failed' | 'refused' | 'interrupted'

export interface CallResult {
  readonly kind: 'result'
  readonly atMs: number
  readonly callId: string
  /** The name by which the model called. */
  readonly name: string
  readonly end: CallEnd
  readonly parts: readonly ContentPart[]
  readonly ms: number
}

/** What a model sees. */
export type Message = UserMessage | Reply | CallResult

/** One line of a conversation's file. */
export type ConversationEntry =
  | {
      readonly kind: 'start'
      readonly version: typeof recordVersion
      readonly id: string
      readonly atMs: number
      /** The project that it was held in. */
      readonly folder: string
    }
  | Message
  /** Stands for everything before it: the model sees this text instead. */
  | { readonly kind: 'summary'; readonly atMs: number; readonly text: string }
  | { readonly kind: 'title'; readonly atMs: number; readonly title: string }
