import type { Prompt, PromptArgument } from '../../src/prompts/prompt.ts'

/** A prompt of one message. */
export function promptOf(name: string, text = `The text of ${name}`, rest: Partial<Prompt> = {}): Prompt {
  return {
    name,
    arguments: [],
    messages: [{ role: 'user', content: { type: 'text', text } }],
    tags: [],
    ...rest,
  }
}

export function argument(name: string, rest: Partial<PromptArgument> = {}): PromptArgument {
  return { name, required: false, ...rest }
}
