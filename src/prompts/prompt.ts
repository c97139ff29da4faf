import type { JsonObject } from '../json.ts'

/** A prompt as the library keeps it: one JSON value on one line. */
export interface Prompt {
  /** `^[a-z0-9_]{1,64}$`, unique in its layer. */
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments: readonly PromptArgument[]
  /** At least one, unless there are steps. */
  readonly messages: readonly PromptMessage[]
  /** What makes it a runbook: the steps to go through, in order. */
  readonly steps?: readonly PromptStep[]
  /** Hierarchical: `language/go` is found by `language` too. */
  readonly tags: readonly string[]
  /** `plus` turns on `{{#if …}}` and `{{> other_prompt}}`; without it only `{{argument}}` means anything. */
  readonly template?: 'plus'
  /** What another client's format says and ours has no word for; kept, so that it can be written back. */
  readonly meta?: JsonObject
  /** ISO 8601. Absent in lines written by hand. */
  readonly created?: string
  readonly updated?: string
}

export interface PromptArgument {
  readonly name: string
  readonly description?: string
  readonly required: boolean
  /** Values come and go as text; this says which text is accepted. `string` where absent. */
  readonly type?: ArgumentType
  readonly default?: string
  /** The only values it may have. */
  readonly enum?: readonly string[]
  readonly examples?: readonly string[]
}

export type ArgumentType = 'string' | 'number' | 'integer' | 'boolean'

export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: PromptContent
}

/** As MCP has it. */
export type PromptContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: EmbeddedResource }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly description?: string
      readonly mimeType?: string
    }

export type EmbeddedResource =
  | { readonly uri: string; readonly mimeType?: string; readonly text: string }
  | { readonly uri: string; readonly mimeType?: string; readonly blob: string }

export interface PromptStep {
  readonly title: string
  readonly text?: string
}

/** A prompt on its way into the store, which sets the dates. `created` is kept when given: an import knows it. */
export type PromptDraft = Omit<Prompt, 'updated'>
