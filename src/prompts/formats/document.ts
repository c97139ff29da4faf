import { LineCounter, parseDocument, stringify } from 'yaml'
import { CapstanError } from '../../errors.ts'
import type { Prompt, PromptDraft, PromptMessage } from '../prompt.ts'
import { readPrompt, unknownFieldsOf } from '../read-prompt.ts'
import { readBody, writeBody } from './body.ts'
import { isObject } from '../../json.ts'

/** A prompt as people edit it: its fields on top, its texts below. What is no text stands there as a line to be left alone. */
export function writeDocument(prompt: Prompt): string {
  const { name, title, description, tags, template } = prompt
  const fields = {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    tags,
    ...(template === undefined ? {} : { template }),
    arguments: prompt.arguments,
  }
  const messages = prompt.messages.map((message, at) => withStandIn(message, at))
  const body = writeBody({ messages, ...(prompt.steps === undefined ? {} : { steps: prompt.steps }) })
  return `---\n${stringify(fields, { lineWidth: 0 })}---\n\n${body}\n`
}

/** What a new prompt looks like before anybody has written it. */
export function emptyDocument(name: string): string {
  return `---
name: ${name}
title: ""
# One sentence: what is it for? Search looks here first.
description: ""
# Words to find it by; language/go is found by language too.
tags: []
# Uncomment for {{#if argument}}…{{else}}…{{/if}} and {{> other_prompt}}.
# template: plus
arguments: []
#  - name: focus
#    description: what to look at
#    required: false
#    default: everything
---

`
}

/** Reads what a person wrote. `base` is the prompt it was made from: it has what the document does not show. */
export function readDocument(text: string, base?: Prompt): PromptDraft {
  const unified = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const [, header, body = ''] = /^---[ \t]*\n([^]*?)^---[ \t]*(?:\n([^]*))?$/m.exec(unified) ?? []
  if (header === undefined || !unified.startsWith('---'))
    throw wrong('there are no lines "---" around the fields on top')
  const fields = readFields(header)
  const [odd] = unknownFieldsOf(fields)
  if (odd !== undefined) throw wrong(`"${odd}" is not a field of a prompt`)
  const parts = readBody(body)
  return readPrompt({
    ...withoutEmpty(fields),
    ...parts,
    messages: parts.messages.map((message) => withContent(message, base)),
    ...(base?.meta === undefined ? {} : { meta: base.meta }),
    ...(base?.created === undefined ? {} : { created: base.created }),
  })
}

function readFields(header: string): Readonly<Record<string, unknown>> {
  const lines = new LineCounter()
  const document = parseDocument(header, { lineCounter: lines, logLevel: 'error' })
  const [error] = document.errors
  if (error !== undefined) {
    // The fields begin on the second line of the document.
    const { line } = lines.linePos(error.pos[0])
    throw wrong(`line ${line + 1} is not YAML: ${error.message.split(/ at line|:\n/)[0]}`)
  }
  const value: unknown = document.toJS({ maxAliasCount: 50 })
  if (!isObject(value)) throw wrong('the fields on top must be lines such as "description: What it is for"')
  return value
}

/** Fields that were left as they were offered say nothing. */
function withoutEmpty(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== null))
}

function withStandIn({ role, content }: PromptMessage, at: number): PromptMessage {
  if (content.type === 'text') return { role, content }
  const about = 'mimeType' in content ? ` ${content.mimeType}` : ''
  return { role, content: { type: 'text', text: `[[message ${at + 1}: ${content.type}${about}]]` } }
}

function withContent(message: PromptMessage, base: Prompt | undefined): PromptMessage {
  const text = message.content.type === 'text' ? message.content.text.trim() : ''
  const [, number] = /^\[\[message (\d+): (?:image|audio|resource|resource_link)\b[^\]]*\]\]$/.exec(text) ?? []
  if (number === undefined) return message
  const content = base?.messages[Number(number) - 1]?.content
  if (content === undefined || content.type === 'text') {
    throw wrong(`${text} stands for something that the prompt does not have`)
  }
  return { role: message.role, content }
}

function wrong(problem: string): CapstanError {
  return new CapstanError('prompt_invalid', `The prompt cannot be read: ${problem}.`, {
    next: 'It begins with fields between two lines "---"; below them is the text.',
  })
}
