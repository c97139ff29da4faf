/** A value of a config file, taken apart once. What is filled in later is never looked at again. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string; readonly fallback?: readonly Part[] }
  | { readonly kind: 'place'; readonly place: PlaceName }
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'input'; readonly id: string }
  | { readonly kind: 'broken'; readonly problem: string }

const placeNames = ['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'pathSeparator', '/'] as const
export type PlaceName = (typeof placeNames)[number]

/** Takes `${…}` references out of a text. `$${` is a literal `${`; a mistake becomes a part of its own. */
export function parseTemplate(text: string): readonly Part[] {
  return parseParts(text, 0, 0).parts
}

interface Parsed {
  readonly parts: readonly Part[]
  readonly end: number
}

/** Deeper than anyone nests defaults, and shallow enough for the stack. */
const deepest = 50

function parseParts(text: string, from: number, depth: number): Parsed {
  const parts: Part[] = []
  let literal = ''
  let at = from
  const closing = depth === 0 ? undefined : '}'
  while (at < text.length && text[at] !== closing) {
    if (text.startsWith('$${', at)) {
      literal += '${'
      at += 3
    } else if (text.startsWith('${', at)) {
      const reference = parseReference(text, at, depth)
      parts.push({ kind: 'text', text: literal }, reference.part)
      literal = ''
      at = reference.end
    } else {
      literal += text.charAt(at)
      at += 1
    }
  }
  return { parts: [...parts, { kind: 'text' as const, text: literal }].filter(isNotEmpty), end: at }
}

function isNotEmpty(part: Part): boolean {
  return part.kind !== 'text' || part.text !== ''
}

interface Reference {
  readonly part: Part
  readonly end: number
}

function parseReference(text: string, at: number, depth: number): Reference {
  const body = at + '${'.length
  if (text.startsWith('cmd:', body)) return parseCommand(text, body + 'cmd:'.length)
  const head = matchAt(/(?<name>[^}$]*?)(?<mark>:-|\})/y, text, body)
  if (head === null || depth >= deepest) return unclosed(text, at)
  const name = head.groups?.['name'] ?? ''
  const end = body + head[0].length
  if (head.groups?.['mark'] === '}') return { part: referenceTo(name), end }
  const fallback = parseParts(text, end, depth + 1)
  if (text[fallback.end] !== '}') return unclosed(text, at)
  return { part: withFallback(referenceTo(name), fallback.parts), end: fallback.end + 1 }
}

/** A command ends at the first `}` that is neither quoted nor the partner of a `{` of its own. */
function parseCommand(text: string, start: number): Reference {
  const found = matchAt(/(?<command>(?:[^'"{}]|'[^']*'|"(?:[^"\\]|\\[^])*"|\{[^{}]*\})*)\}/y, text, start)
  if (found === null) return unclosed(text, start - '${cmd:'.length)
  const command = (found.groups?.['command'] ?? '').trim()
  const end = start + found[0].length
  if (command === '') return { part: { kind: 'broken', problem: '"${cmd:}" names no program' }, end }
  if (!command.includes('${')) return { part: { kind: 'command', text: command }, end }
  return { part: { kind: 'broken', problem: 'nothing is filled in inside of "${cmd:…}": put it into a script' }, end }
}

function referenceTo(name: string): Part {
  const place = placeNames.find((known) => known === name)
  if (place !== undefined) return { kind: 'place', place }
  const [, prefix, rest] = /^(env|input):(.+)$/.exec(name) ?? []
  if (rest !== undefined) return prefix === 'env' ? { kind: 'variable', name: rest } : { kind: 'input', id: rest }
  if (/^[A-Za-z_]\w*$/.test(name)) return { kind: 'variable', name }
  return { kind: 'broken', problem: `"\${${name}}" is not something Capstan can fill in` }
}

function withFallback(part: Part, fallback: readonly Part[]): Part {
  if (part.kind === 'variable') return { ...part, fallback }
  return part.kind === 'broken' ? part : { kind: 'broken', problem: 'only a variable can have a default (":-")' }
}

function unclosed(text: string, at: number): Reference {
  const start = text.slice(at, at + 20)
  return { part: { kind: 'broken', problem: `"${start}" opens a "\${" that is never closed` }, end: text.length }
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(text)
}
