import type { PreparedMessage } from '../agent/session.ts'
import type { Hub, PromptEntry, PromptResult } from '../hub/api.ts'
import { firstSentence } from '../hub/catalogue/first-sentence.ts'
import type { JsonValue } from '../hub/values.ts'
import type { Command, CommandArgument, CommandArguments, CommandInput } from './command.ts'
import { contentPart } from '../agent/content-parts.ts'
import type { Outcome } from './outcome.ts'
import { printLine } from './print-line.ts'
import type { ServerValues } from './server-values.ts'

/** A prompt of a server as the command `/server:prompt`. */
export function promptCommand(prompt: PromptEntry, hub: Pick<Hub, 'prompt'>, values: ServerValues): Command {
  const declared = argumentsOf(prompt, values)
  return {
    key: `prompt:${prompt.id}`,
    kind: 'prompt',
    name: prompt.id,
    ...(prompt.title === undefined ? {} : { title: prompt.title }),
    summary: summaryOf(prompt),
    declare: () => declared,
    run: async (input, { signal, onAsk }) => {
      const args = promptValues(input)
      const result = await hub.prompt(prompt, args, {
        ...(signal === undefined ? {} : { signal }),
        ...(onAsk === undefined ? {} : { onAsk }),
      })
      return promptOutcome(result, { prompt: prompt.id, line: printLine(prompt.id, args, declared) })
    },
  }
}

function summaryOf({ title, description, prompt, server }: PromptEntry): string {
  const sentence = firstSentence(description)
  if (sentence !== '') return sentence
  return title ?? `Prompt ${prompt} of ${server}`
}

function argumentsOf(prompt: PromptEntry, values: ServerValues): CommandArguments {
  const declared = prompt.arguments ?? []
  return {
    slots: declared.map(({ name, description, required = false }): CommandArgument => ({
      name,
      required,
      kind: 'text',
      isOfferedByName: declared.length > 1,
      ...(description === undefined ? {} : { description }),
      complete: async (typed, { given, signal }) => {
        const { values: items, hasMore } = await values.suggest({
          target: prompt,
          argument: name,
          typed,
          given,
          signal,
        })
        return { items: items.map((value) => ({ value })), hasMore: hasMore === true, isRanked: true }
      },
    })),
  }
}

/** The protocol knows only text. What was typed wins over `--args`. */
function promptValues({ values, json = {} }: CommandInput): Readonly<Record<string, string>> {
  const fromJson = Object.entries(json).flatMap(([key, value]) => (value === null ? [] : [[key, asText(value)]]))
  const typed = [...values].map(([key, given]) => [key, given.at(-1) ?? ''])
  return Object.fromEntries([...fromJson, ...typed]) as Readonly<Record<string, string>>
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function promptOutcome(
  { messages, description }: PromptResult,
  { prompt, line }: { readonly prompt: string; readonly line: string },
): Outcome {
  const prepared = messages.map((message) => prepareMessage(message, prompt))
  return {
    kind: 'prompt',
    prompt,
    line,
    ...(description === undefined ? {} : { description }),
    messages: prepared.flatMap(({ message }) => message ?? []),
    notices: prepared.flatMap(({ notice }) => notice ?? []),
  }
}

interface Prepared {
  readonly message?: PreparedMessage
  readonly notice?: string
}

/** A model's own part of a conversation is text, for every provider. */
function prepareMessage({ role, content }: PromptResult['messages'][number], prompt: string): Prepared {
  const part = contentPart(content)
  if (role === 'user') return { message: { role, parts: [part], prompt } }
  if (part.kind !== 'media') return { message: { role: 'assistant', text: part.text, prompt } }
  return { notice: `The prompt puts ${part.mimeType} into the model's mouth, which no model takes: it was left out.` }
}
