import { CapstanError } from '../errors.ts'

/** A parsed text. What no rule claims stays text: prompts are full of braces that belong to somebody else. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'argument'; readonly name: string }
  | { readonly kind: 'if'; readonly name: string; readonly whenTrue: TemplateNodes; readonly otherwise: TemplateNodes }
  | { readonly kind: 'include'; readonly prompt: string }

export type TemplateNodes = readonly TemplateNode[]

export interface TemplateRules {
  /** The names that `{{…}}` may stand for. */
  readonly declared: ReadonlySet<string>
  /** Whether `{{#if …}}` and `{{> …}}` mean anything. */
  readonly isPlus: boolean
}

/** Throws `prompt_invalid`, with the line, where blocks do not match or ask for something undeclared. */
export function parseTemplate(text: string, rules: TemplateRules): TemplateNodes {
  const root: Block = { start: undefined, whenTrue: [], otherwise: undefined }
  const open: Block[] = [root]
  for (const token of tokensOf(text, rules)) {
    const current = open.at(-1) ?? root
    if (token.kind === 'if') open.push({ start: token, whenTrue: [], otherwise: undefined })
    else if (token.kind === 'else') startElse(current, token)
    else if (token.kind === 'end') {
      const node = conditionOf(current, token)
      open.pop()
      nodesOf(open.at(-1) ?? root).push(node)
    } else nodesOf(current).push(token)
  }
  const unclosed = open.at(-1)?.start
  if (unclosed !== undefined) throw misplaced(unclosed.line(), `{{#if ${unclosed.name}}} without its {{/if}}`)
  return root.whenTrue
}

/** `{{words}}` in a text that are not declared: left as they are, and often a slip. */
export function undeclaredIn(text: string, rules: TemplateRules): readonly string[] {
  const names = Array.from(text.matchAll(simpleTag), ([, name = '']) => name)
  const isClaimed = (name: string) => rules.declared.has(name) || (rules.isPlus && name === 'else')
  return [...new Set(names)].filter((name) => !isClaimed(name))
}

/** Whether a text uses blocks, whatever its prompt says about them. */
export function usesBlocks(text: string): boolean {
  return /\{\{(?:#if |\/if\}\}|>)/.test(text)
}

interface Block {
  /** Absent for the text itself. */
  readonly start: IfToken | undefined
  readonly whenTrue: TemplateNode[]
  otherwise: TemplateNode[] | undefined
}

function nodesOf({ whenTrue, otherwise }: Block): TemplateNode[] {
  return otherwise ?? whenTrue
}

function startElse(current: Block, token: ElseToken): void {
  if (current.start === undefined) throw misplaced(token.line(), '{{else}} without an {{#if …}} before it')
  if (current.otherwise !== undefined) throw misplaced(token.line(), 'a second {{else}} in one {{#if …}}')
  current.otherwise = []
}

function conditionOf({ start, whenTrue, otherwise = [] }: Block, token: EndToken): TemplateNode {
  if (start === undefined) throw misplaced(token.line(), '{{/if}} without an {{#if …}} before it')
  return { kind: 'if', name: start.name, whenTrue, otherwise }
}

/** The line is counted only when an error needs it. */
type IfToken = { readonly kind: 'if'; readonly name: string; readonly line: () => number }
type ElseToken = { readonly kind: 'else'; readonly line: () => number }
type EndToken = { readonly kind: 'end'; readonly line: () => number }
type Token = Exclude<TemplateNode, { kind: 'if' }> | IfToken | ElseToken | EndToken

const name = String.raw`[\p{L}_][\p{L}\p{M}\p{N}_.\-]{0,127}`
const simpleTag = new RegExp(String.raw`\{\{[ \t]*(${name})[ \t]*\}\}`, 'gu')
const plusTag = new RegExp(
  String.raw`\{\{[ \t]*(?:#if[ \t]+(?<condition>${name})|(?<end>\/if)|>[ \t]*(?<include>[a-z0-9_]{1,64})|(?<argument>${name}))[ \t]*\}\}`,
  'gu',
)

function tokensOf(text: string, rules: TemplateRules): readonly Token[] {
  const tokens: Token[] = []
  let done = 0
  for (const match of text.matchAll(rules.isPlus ? plusTag : simpleTag)) {
    const token = rules.isPlus ? plusToken(match, rules, text) : argumentToken(match[1] ?? '', rules)
    if (token === undefined) continue
    const [start, end] = isBlockTag(token)
      ? wholeLine(text, match.index, match.index + match[0].length)
      : [match.index, match.index + match[0].length]
    if (start > done) tokens.push({ kind: 'text', text: text.slice(done, start) })
    tokens.push(token)
    done = end
  }
  if (done < text.length) tokens.push({ kind: 'text', text: text.slice(done) })
  return tokens
}

function argumentToken(argument: string, { declared }: TemplateRules): Token | undefined {
  return declared.has(argument) ? { kind: 'argument', name: argument } : undefined
}

function plusToken(match: RegExpExecArray, rules: TemplateRules, text: string): Token | undefined {
  const { condition, end, include, argument = '' } = match.groups ?? {}
  const line = () => text.slice(0, match.index).split('\n').length
  if (end !== undefined) return { kind: 'end', line }
  if (include !== undefined) return { kind: 'include', prompt: include }
  if (condition !== undefined) {
    if (rules.declared.has(condition)) return { kind: 'if', name: condition, line }
    throw misplaced(line(), `{{#if ${condition}}} asks for an argument that is not declared`)
  }
  return argument === 'else' ? { kind: 'else', line } : argumentToken(argument, rules)
}

function isBlockTag(token: Token): boolean {
  return token.kind === 'if' || token.kind === 'else' || token.kind === 'end'
}

/** A block's tag that has a line to itself takes the line with it. */
function wholeLine(text: string, start: number, end: number): readonly [number, number] {
  let from = start
  while (from > 0 && isBlank(text[from - 1])) from -= 1
  if (from > 0 && text[from - 1] !== '\n') return [start, end]
  let to = end
  while (isBlank(text[to])) to += 1
  if (text[to] === '\r') to += 1
  if (to < text.length && text[to] !== '\n') return [start, end]
  return [from, Math.min(to + 1, text.length)]
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

function misplaced(line: number, problem: string): CapstanError {
  return new CapstanError('prompt_invalid', `Template, line ${line}: ${problem}.`, {
    next: 'Mend the block, or remove "template": "plus" to have braces taken as they are.',
  })
}
