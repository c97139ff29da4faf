import * as nodeModule from 'node:module'
import type { Language, SnippetError } from './api.ts'
import type { EngineError } from './engine.ts'
import { placeInSnippet, snippetFrames, type Layout } from './frames.ts'

export type Compiled =
  | {
      readonly kind: 'ready'
      /** An expression whose value is an async function: the snippet. */
      readonly code: string
      readonly isExpression: boolean
      readonly language: Language
      readonly layout: Layout
    }
  | { readonly kind: 'failed'; readonly error: SnippetError; readonly language: Language }

export type FindProblem = (code: string) => EngineError | undefined

/** Makes a runnable function of a snippet: a single expression is its own result, anything else needs `return`. */
export function compileSnippet(code: string, language: Language | undefined, findProblem: FindProblem): Compiled {
  if (language === 'ts') return compileTypeScript(code, findProblem)
  const compiled = compileJavaScript(code, 'js', findProblem)
  return compiled.kind === 'ready' || language === 'js' ? compiled : compileTypeScript(code, findProblem, compiled)
}

/** Checks a module, with types stripped; nothing is put around it, so that all places are its own. */
export function compileModule(code: string, language: Language, findProblem: FindProblem): Compiled {
  const layout = { shift: 0, lines: code.split('\n') }
  const stripped: Stripping = language === 'ts' ? stripTypes(code, asItIs) : { kind: 'stripped', code }
  if (stripped.kind === 'refused') return { kind: 'failed', error: stripped.error, language }
  const text = stripped.kind === 'stripped' ? stripped.code : code
  const problem = findProblem(text)
  if (problem === undefined) return { kind: 'ready', code: text, isExpression: false, language, layout }
  // An import is all that a module can refer to before it runs.
  const error = problem.name === 'ReferenceError' ? importError(problem, layout) : moduleError(problem, layout)
  return { kind: 'failed', error, language }
}

function importError({ name, message }: EngineError, { lines }: Layout): SnippetError {
  const line = lines.findIndex((text) => /^\s*(?:import|export)\b.*\bfrom\b|^\s*import\b/.test(text)) + 1
  return {
    name,
    message: `${message}. Nothing can be imported here: tools, search, inspect and console are there.`,
    ...(line === 0 ? {} : { line }),
    stack: [],
  }
}

function moduleError({ name, message, stack }: EngineError, layout: Layout): SnippetError {
  const [place] = snippetFrames(stack, layout)
  return { name, message, ...(place === undefined ? {} : { line: place.line, column: place.column }), stack: [] }
}

interface Wrapping {
  readonly before: string
  readonly after: string
}
/** The two that run have the same length before the snippet, and all of it on the snippet's first line. */
const asExpression: Wrapping = { before: '(async()=>(', after: '\n))' }
const asBody: Wrapping = { before: '(async()=>{', after: '\n})' }
// A snippet that closes our brackets and opens new ones cannot do so for two different kinds: so each is parsed in both.
const aloneAsExpression: Wrapping = { before: 'async function _(){return [', after: '\n]}' }
const aloneAsBody: Wrapping = { before: 'async function _(){', after: '\n}' }
const asItIs: Wrapping = { before: '', after: '\n' }

function compileJavaScript(code: string, language: Language, findProblem: FindProblem): Compiled {
  const layout = { shift: asBody.before.length, lines: code.split('\n') }
  const parses = (text: string, wrapping: Wrapping): boolean => findProblem(wrap(text, wrapping)) === undefined

  const expression = withoutLastSemicolons(code)
  if (parses(expression, asExpression) && parses(expression, aloneAsExpression))
    return { kind: 'ready', code: wrap(expression, asExpression), isExpression: true, language, layout }

  const problem = findProblem(wrap(code, aloneAsBody)) ?? findProblem(wrap(code, asBody))
  if (problem === undefined) return { kind: 'ready', code: wrap(code, asBody), isExpression: false, language, layout }
  return { kind: 'failed', error: syntaxError(problem, { ...layout, shift: aloneAsBody.before.length }), language }
}

/** `other` is what was wrong with the snippet as JavaScript: it counts where the TypeScript parser has nothing to say. */
function compileTypeScript(code: string, findProblem: FindProblem, other?: Compiled): Compiled {
  const body = stripTypes(code, aloneAsBody)
  const stripped = body.kind === 'stripped' ? body : stripTypes(code, aloneAsExpression)
  if (stripped.kind === 'stripped') return compileJavaScript(stripped.code, 'ts', findProblem)
  if (body.kind === 'refused') return { kind: 'failed', error: body.error, language: 'ts' }
  return other ?? compileJavaScript(code, 'ts', findProblem)
}

type Stripping =
  | { readonly kind: 'stripped'; readonly code: string }
  | { readonly kind: 'refused'; readonly error: SnippetError }
  /** The parser itself gave up, which it does on very deep nesting. */
  | { readonly kind: 'broken' }

// Types become blanks, so that every place stays where it was.
function stripTypes(code: string, wrapping: Wrapping): Stripping {
  const strip = typeStripper()
  if (strip === undefined) return { kind: 'refused', error: noStripper }
  try {
    return { kind: 'stripped', code: strip(wrap(code, wrapping)).slice(wrapping.before.length, -wrapping.after.length) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) return { kind: 'broken' }
    return {
      kind: 'refused',
      error: typeScriptError(error, { shift: wrapping.before.length, lines: code.split('\n') }),
    }
  }
}

const noStripper: SnippetError = {
  name: 'SyntaxError',
  message: `TypeScript needs Node 22.19 or newer, and this is ${process.version}. Write JavaScript, or update Node.`,
  stack: [],
}

/** Loads the parser of TypeScript, which takes longer than all the rest together. */
export function warmTypeScript(): void {
  typeStripper()?.('')
}

function typeStripper(): ((code: string) => string) | undefined {
  const { stripTypeScriptTypes } = nodeModule
  return typeof stripTypeScriptTypes === 'function' ? stripTypeScriptTypes : undefined
}

// Node has no fields for the place: the stack begins with `:LINE` and shows some lines, with carets below the wrong one.
function typeScriptError(error: SyntaxError, layout: Layout): SnippetError {
  const [first = '', ...shown] = (error.stack ?? '').split('\n', 12)
  const line = Number(/^:(\d+)$/.exec(first)?.[1])
  const carets = shown.find((text) => /^ *\^+$/.test(text))
  const place = Number.isNaN(line) ? undefined : placeInSnippet(line, (carets?.indexOf('^') ?? 0) + 1, layout)
  const isExact = carets !== undefined && isShownAsItIs(layout.lines[line - 1])
  const at = place === undefined || isExact ? place : { line: place.line }
  return { name: 'SyntaxError', message: withHint(error.message, place?.line, layout), ...at, stack: [] }
}

/** Tabs and wide characters take more than one column on a screen, and the carets stand where they would there. */
function isShownAsItIs(text = ''): boolean {
  return /^[ -~]*$/.test(text)
}

function syntaxError(problem: EngineError, layout: Layout): SnippetError {
  const [place] = snippetFrames(problem.stack, layout)
  if (problem.name !== 'SyntaxError') return { name: problem.name, message: problem.message, stack: [] }
  const at = place === undefined ? {} : { line: place.line, column: place.column }
  return { name: 'SyntaxError', message: withHint(problem.message, place?.line, layout), ...at, stack: [] }
}

function withHint(message: string, line: number | undefined, { lines, shift }: Layout): string {
  // Nothing of ours stands before a module, and a module may export.
  const isImport = shift > 0 && line !== undefined && /^\s*(?:import|export)\b/.test(lines[line - 1] ?? '')
  return isImport
    ? `${message}. Nothing can be imported or exported here: tools, search, inspect and console are there.`
    : message
}

/** A loop, because the regular expression for it takes quadratic time on long runs of blanks. */
function withoutLastSemicolons(code: string): string {
  let text = code.trimEnd()
  while (text.endsWith(';')) text = text.slice(0, -1).trimEnd()
  return text
}

function wrap(code: string, { before, after }: Wrapping): string {
  return `${before}${code}${after}`
}
