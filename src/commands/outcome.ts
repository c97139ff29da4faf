import type { ContentPart } from '../agent/record.ts'
import type { PreparedMessage } from '../agent/session.ts'
import type { ErrorJson } from '../errors.ts'
import type { FormField } from '../hub/asks/form-fields.ts'

// A form looks the same, whether a command or a server asks.
export type { FieldKind, FormField } from '../hub/asks/form-fields.ts'

/** What came of a line. */
export type Outcome =
  /** Text for the model, with what it mentions. */
  | {
      readonly kind: 'message'
      readonly messages: readonly PreparedMessage[]
      /** Mentions that could not be attached, for example. */
      readonly notices: readonly string[]
    }
  /** A rendered prompt, to enter the conversation or to be looked at first. */
  | {
      readonly kind: 'prompt'
      /** `server:prompt`. */
      readonly prompt: string
      readonly description?: string
      /** The whole command as it can be typed again, also when a form asked for a part of it. */
      readonly line: string
      readonly messages: readonly PreparedMessage[]
      readonly notices: readonly string[]
    }
  | { readonly kind: 'printed'; readonly blocks: readonly Block[] }
  /** Arguments are missing. */
  | { readonly kind: 'form'; readonly form: Form }
  | {
      readonly kind: 'error'
      readonly error: ErrorJson
      /** The part of the line that is wrong. */
      readonly place?: { readonly start: number; readonly end: number }
    }
  | { readonly kind: 'session'; readonly action: SessionAction }

/** What only the owner of the session can do. */
export type SessionAction =
  | { readonly kind: 'exit' }
  /** Begin a new conversation. */
  | { readonly kind: 'clear' }
  | { readonly kind: 'resume'; readonly id: string }
  | { readonly kind: 'pick_conversation' }
  | { readonly kind: 'compact' }
  | { readonly kind: 'copy'; readonly text: string }

/** Something to show. The text may come from a server: a screen makes it harmless first. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'markdown'; readonly text: string }
  | { readonly kind: 'table'; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'content'; readonly part: ContentPart }
  | { readonly kind: 'notice'; readonly level: 'info' | 'warning' | 'error'; readonly text: string }

/** Asks for the arguments of one command. */
export interface Form {
  /** The command's key. */
  readonly command: string
  readonly title: string
  readonly description?: string
  /** In declared order. */
  readonly fields: readonly FormField[]
  /** What was given already. */
  readonly values: Readonly<Record<string, string>>
  /** The fields that must be filled in before it can run. */
  readonly missing: readonly string[]
}

export function printed(...blocks: readonly Block[]): Outcome {
  return { kind: 'printed', blocks }
}

export function text(content: string): Block {
  return { kind: 'text', text: content }
}

export function notice(content: string, level: 'info' | 'warning' | 'error' = 'info'): Block {
  return { kind: 'notice', level, text: content }
}
