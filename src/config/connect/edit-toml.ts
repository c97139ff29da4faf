/** The text with this table at its end; one that stands there already is replaced. */
export async function setTable(text: string, path: readonly [string, ...string[]], value: object): Promise<string> {
  const { stringify } = await import('smol-toml')
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const before = await removeTable(text, path)
  const nested = path.toReversed().reduce<object>((inner, name) => ({ [name]: inner }), value)
  const written = stringify(nested).trim().replaceAll('\n', eol)
  const gap = before === '' ? '' : before.endsWith('\n') ? eol : eol + eol
  return `${before}${gap}${written}${eol}`
}

/** The text without this table, its own tables, and the blank lines before it. Comments before it stay. */
export async function removeTable(text: string, path: readonly [string, ...string[]]): Promise<string> {
  const statements = await splitToml(text)
  const kept: string[] = []
  let isInside = false
  for (const [at, { source, names, isHeader }] of statements.entries()) {
    if (isHeader) isInside = startsWith(names, path)
    const isGone = isInside || startsWith(names, path)
    const isForNext = names.length === 0 && isInside && isBeforeAnother(statements, at, path)
    if (!isGone || isForNext) kept.push(source)
    else if (isHeader) dropBlankEnd(kept)
  }
  return kept.join('')
}

function dropBlankEnd(lines: string[]): void {
  while (lines.at(-1)?.trim() === '') lines.pop()
}

interface Statement {
  /** With its line end. */
  readonly source: string
  /** The table it stands in and its own key; none for blank lines and comments. */
  readonly names: readonly string[]
  readonly isHeader: boolean
}

/** Cuts a document into its statements: a statement ends with the first line at which it can be read by itself. */
async function splitToml(text: string): Promise<readonly Statement[]> {
  const { parse } = await import('smol-toml')
  const statements: Statement[] = []
  let table: readonly string[] = []
  let source = ''
  for (const line of text.split(/(?<=\n)/)) {
    source += line
    const value = readOrNothing(() => parse(source))
    if (value === undefined) continue
    const isHeader = /^\s*\[/.test(source)
    const own = namesIn(value)
    if (isHeader) table = own
    statements.push({ source, names: isHeader || own.length === 0 ? own : [...table, ...own], isHeader })
    source = ''
  }
  if (source !== '') throw new Error('a document that can be read ends inside of a statement')
  return statements
}

function readOrNothing(read: () => object): object | undefined {
  try {
    return read()
  } catch {
    return undefined // It goes on in the next line.
  }
}

/** `a.b.c`, as far as it is one way. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const [member, ...others] = Object.entries(value)
  return member === undefined || others.length > 0 ? [] : [member[0], ...namesIn(member[1])]
}

function startsWith(names: readonly string[], path: readonly string[]): boolean {
  return path.every((name, at) => names[at] === name)
}

/** Whether only blank lines and comments stand between this one and another table, or the end: they are not part of ours. */
function isBeforeAnother(statements: readonly Statement[], at: number, path: readonly string[]): boolean {
  const next = statements.slice(at).find(({ names }) => names.length > 0)
  return next === undefined || (next.isHeader && !startsWith(next.names, path))
}
