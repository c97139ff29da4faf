import { messageOf } from '../../errors.ts'
import { readLogLine, type LogRecord } from '../log-line.ts'
import { isPromptName, promptNameFor } from '../prompt-name.ts'
import type { Prompt } from '../prompt.ts'
import { readPrompt } from '../read-prompt.ts'
import type { FoundPrompt, PromptFormat, Reading, TextFile, UnusablePart, Writing } from './format.ts'
import { isObject } from '../../json.ts'

/** Our own: a prompt on each line. The log of another library is read as well; what counts is how it ends. */
export const promptLines: PromptFormat = { title: 'JSON, one prompt on each line', read, write }

function read(files: readonly TextFile[]): Reading {
  const readings = files.filter(({ path }) => path.endsWith('.jsonl')).map(readLines)
  return {
    prompts: readings.flatMap(({ prompts }) => prompts),
    unusable: readings.flatMap(({ unusable }) => unusable),
  }
}

function readLines({ path, text }: TextFile): Reading {
  const prompts = new Map<string, FoundPrompt>()
  const unusable: UnusablePart[] = []
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    const from = `${path}:${at + 1}`
    try {
      const { record, notes } = readLine(line, (name) => prompts.has(name))
      if (record.op === 'delete') prompts.delete(record.name)
      if (record.op === 'put') prompts.set(record.prompt.name, { draft: draftOf(record.prompt), from, notes })
    } catch (error) {
      unusable.push({ from, reason: messageOf(error) })
    }
  }
  return { prompts: [...prompts.values()], unusable }
}

/** A line of ours, or a prompt of somebody who has other names than we do: it gets one that fits. */
function readLine(
  line: string,
  isTaken: (name: string) => boolean,
): { readonly record: LogRecord; readonly notes: readonly string[] } {
  const value = parsed(line)
  const name = isObject(value) && value['op'] === undefined ? value['name'] : undefined
  if (!isObject(value) || typeof name !== 'string' || isPromptName(name))
    return { record: readLogLine(line), notes: [] }
  const fitting = promptNameFor(name, isTaken)
  const prompt = readPrompt({ title: name, ...value, name: fitting })
  return { record: { op: 'put', prompt }, notes: [`"${name}" cannot be a name; it becomes ${fitting}.`] }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined // `readLogLine` says what is wrong.
  }
}

/** The store sets the date of the change; when the prompt was made is worth keeping. */
function draftOf(prompt: Prompt): FoundPrompt['draft'] {
  const { updated, ...draft } = prompt
  return updated === undefined ? prompt : draft
}

function write(prompts: readonly Prompt[]): Writing {
  return {
    files: [{ path: 'prompts.jsonl', text: prompts.map((prompt) => `${JSON.stringify(prompt)}\n`).join('') }],
    losses: [],
  }
}
