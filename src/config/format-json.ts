import type { JsonValue } from '../json.ts'

/** How a file is written: what one step of indentation and the end of a line look like there. */
export interface JsonStyle {
  readonly indent: string
  readonly eol: string
}

const longestLine = 100

/** JSON the way people write config files: one member per line, but a list of plain values on one line where it fits. */
export function formatJson(value: JsonValue, style: JsonStyle, indentation = ''): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const inner = indentation + style.indent
  if (isList(value)) {
    const flat = `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
    if (value.every(isPlain) && inner.length + flat.length <= longestLine) return flat
    return bracket(
      ['[', ']'],
      value.map((item) => formatJson(item, style, inner)),
    )
  }
  const members = Object.entries(value)
  if (members.length === 0) return '{}'
  return bracket(
    ['{', '}'],
    members.map(([key, item]) => `${JSON.stringify(key)}: ${formatJson(item, style, inner)}`),
  )

  function bracket([open, close]: readonly [string, string], lines: readonly string[]): string {
    const body = lines.map((line) => `${style.eol}${inner}${line}`).join(',')
    return `${open}${body}${style.eol}${indentation}${close}`
  }
}

function isPlain(value: JsonValue): boolean {
  return value === null || typeof value !== 'object'
}

// Array.isArray alone does not narrow a readonly array.
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
