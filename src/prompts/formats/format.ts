import type { Prompt, PromptDraft } from '../prompt.ts'

/** A text file with its path below the folder it was read from or will be written to, `/` between its parts. */
export interface TextFile {
  readonly path: string
  readonly text: string
}

/** A prompt found in another program's files. */
export interface FoundPrompt {
  readonly draft: PromptDraft
  /** The file, with a line where a file holds several. */
  readonly from: string
  /** What a person should know about it, as full sentences. */
  readonly notes: readonly string[]
}

/** A file, or a line of one, that holds no usable prompt. */
export interface UnusablePart {
  readonly from: string
  readonly reason: string
}

export interface Reading {
  readonly prompts: readonly FoundPrompt[]
  readonly unusable: readonly UnusablePart[]
}

export interface Writing {
  readonly files: readonly TextFile[]
  /** What the format could not hold, each sentence naming the prompt. */
  readonly losses: readonly string[]
}

/** A way to keep prompts in files. Both directions are pure; what one writes, the other reads back. */
export interface PromptFormat {
  readonly title: string
  /** Files that belong together (a skill's folder) are given together; files of other kinds are passed over. */
  readonly read: (files: readonly TextFile[]) => Reading
  readonly write: (prompts: readonly Prompt[]) => Writing
}
