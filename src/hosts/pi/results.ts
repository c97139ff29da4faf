import { cutMiddle, keepOutput, resultParts, type ContentPart, type ExecOutcome, type ToolResult } from '../../index.ts'
import type { Environment, PiContent } from './pi-api.ts'

const mostBytes = 20 * 1024

/** A result of a tool for the model. A long text keeps its ends, and says where the whole is. */
export async function resultContent(result: ToolResult, env: Environment): Promise<PiContent[]> {
  const parts = resultParts(result)
  const images = parts.flatMap(imageOf)
  const text = parts.flatMap(textOf).join('\n')
  if (text === '' && images.length > 0) return images
  return [await guardedText(text === '' ? 'The tool returned nothing.' : text, env), ...images]
}

/** The parts of a rendered prompt: the person asked for it, so nothing of it is cut. */
export function promptContent(parts: readonly ContentPart[]): PiContent[] {
  return parts.flatMap((part): PiContent[] => {
    const images = imageOf(part)
    return images.length > 0 ? [...images] : textOf(part).map((text) => ({ type: 'text', text }))
  })
}

export async function execContent(outcome: ExecOutcome, env: Environment): Promise<PiContent[]> {
  const logged = outcome.logs.length === 0 ? [] : [`Logged:\n${outcome.logs.map(({ text }) => text).join('\n')}`]
  if (outcome.kind === 'returned') return [await guardedText([shown(outcome.value), ...logged].join('\n'), env)]
  throw new Error((await guardedText([problemOf(outcome), ...logged].join('\n'), env)).text)
}

export async function guardedText(text: string, env: Environment): Promise<Extract<PiContent, { type: 'text' }>> {
  if (Buffer.byteLength(text) <= mostBytes) return { type: 'text', text }
  const file = await keepOutput(text, env)
  return {
    type: 'text',
    text: `${cutMiddle(text, mostBytes)}\n[The whole output is in ${file}; read parts of it there.]`,
  }
}

function problemOf(outcome: Exclude<ExecOutcome, { kind: 'returned' }>): string {
  if (outcome.kind === 'cancelled') return 'Cancelled.'
  if (outcome.kind !== 'threw') return outcome.message
  const { name, message, line, column } = outcome.error
  return `${name}: ${message}${line === undefined ? '' : ` (line ${line}, column ${column ?? 1} of your code)`}`
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

function imageOf(part: ContentPart): readonly Extract<PiContent, { type: 'image' }>[] {
  if (part.kind !== 'media' || !part.mimeType.startsWith('image/')) return []
  return [{ type: 'image', data: part.data, mimeType: part.mimeType }]
}

function textOf(part: ContentPart): readonly string[] {
  if (part.kind === 'text') return [part.text]
  if (part.kind === 'resource') return [`${part.uri}:\n${part.text}`]
  if (part.mimeType.startsWith('image/')) return []
  return [`[${part.mimeType}, ${Math.round((part.data.length * 3) / 4)} bytes, which cannot be shown here]`]
}
