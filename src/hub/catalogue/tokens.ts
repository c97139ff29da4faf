import type { ToolEntry } from '../api.ts'

/** About how many tokens a client pays to tell a model of this tool: its name, description and parameters, on every turn. */
export function toolTokens(tool: Pick<ToolEntry, 'modelName' | 'description' | 'inputSchema'>): number {
  const { modelName: name, description, inputSchema: parameters } = tool
  return estimateTokens(JSON.stringify({ name, description, parameters }))
}

export function toolsTokens(tools: readonly ToolEntry[]): number {
  return tools.reduce((sum, tool) => sum + toolTokens(tool), 0)
}

/**
 * About how many tokens a text costs. A real tokenizer weighs over 2 MB, so this cuts the text where they all cut it and
 * prices the pieces; the rates are fitted to o200k_base, which a test compares it with.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const match of text.matchAll(pieces)) tokens += price(match[0])
  return Math.round(tokens)
}

/** Words (a capital in the middle starts a new one) with the one mark before them, numbers, marks, blanks. */
const pieces =
  /[^\p{L}\p{N}\r\n]?(?:\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|\p{Lu})|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+/gu

function price(piece: string): number {
  const length = Array.from(piece).length
  if (/^\s+$/u.test(piece)) return 1
  if (/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/u.test(piece)) return 0.6 * length
  if (/\p{Extended_Pictographic}/u.test(piece)) return 1.5 * length
  if (!/^[ -~]+$/.test(piece)) return Math.max(1, 0.26 * length)
  if (/^\d+$/.test(piece)) return 1
  if (!/[A-Za-z]/.test(piece)) return 1 + 0.6 * Math.max(0, length - 3.4)
  return 1.06 + 0.12 * Math.max(0, length - 10)
}
