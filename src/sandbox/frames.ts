import type { Frame } from './api.ts'

/** The name that the engine gives to the snippet in its stacks. */
export const snippetFile = 'exec'

export interface Layout {
  /** How many characters of ours stand before the snippet on its first line. */
  readonly shift: number
  readonly lines: readonly string[]
}

/** The frames of an engine's stack that lie in the snippet, at the snippet's own lines and columns. */
export function snippetFrames(stack: string, layout: Layout): readonly Frame[] {
  return stack
    .split('\n')
    .map((line) => frame(line, layout))
    .filter((found) => found !== undefined)
    .slice(0, maxFrames)
}

const maxFrames = 20
const framePattern = new RegExp(`^\\s*at (?:(.{1,200}) \\()?${snippetFile}:(\\d{1,7}):(\\d{1,7})\\)?$`)

function frame(text: string, layout: Layout): Frame | undefined {
  const match = framePattern.exec(text)
  if (match === null) return undefined
  const [, name, line, column] = match
  const isNamed = name !== undefined && !name.startsWith('<')
  return { ...(isNamed ? { functionName: name } : {}), ...placeInSnippet(Number(line), Number(column), layout) }
}

/** A place in the code that was parsed, as a place in the snippet. What we put behind it counts as its end. */
export function placeInSnippet(
  line: number,
  column: number,
  { shift, lines }: Layout,
): { readonly line: number; readonly column: number } {
  if (line > lines.length) return { line: Math.max(1, lines.length), column: (lines.at(-1)?.length ?? 0) + 1 }
  return { line, column: Math.max(1, line === 1 ? column - shift : column) }
}
