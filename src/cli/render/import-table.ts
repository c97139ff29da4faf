import { clientTitle, type ImportNote, type ImportRow, type ImportTable } from '../../config/import/table.ts'
import type { RawEntry } from '../../config/types.ts'
import { unreachable } from '../../errors.ts'
import { maskEntry } from '../../policy/secrets.ts'
import { plainLine } from '../../policy/plain-text.ts'
import type { Style } from './style.ts'
import { paragraph, renderTable } from './table.ts'
import { displayWidth, padEnd } from './width.ts'

interface Look {
  readonly columns: number
  readonly style: Style
}

/** What other clients have: a row per server, what to know about it below, then what could not be taken or read. */
export function renderImportTable(table: ImportTable, look: Look): string {
  return [
    table.rows.length === 0 ? '' : renderRows(table.rows, look),
    ...table.leftOut.map(({ source, reason }) =>
      hint(`${clientTitle(source.client)}: ${plainLine(source.name)} is left out: ${reason}.`, look),
    ),
    ...table.problems.map((problem) => hint(describeProblem(problem), look)),
  ].join('')
}

/** The same for a program: one JSON value, secrets masked. */
export function tableToJson(table: ImportTable): string {
  const value = {
    servers: table.rows.map(({ name, entry, sources, scope, notes }) => ({
      name,
      scope,
      sources,
      entry: maskEntry(entry),
      notes,
    })),
    leftOut: table.leftOut,
    problems: table.problems,
  }
  return `${JSON.stringify(value)}\n`
}

/** One sentence on a file that could not be read, with the place in it. */
export function describeProblem({ client, file, message, line, column }: ImportTable['problems'][number]): string {
  const place = line === undefined ? '' : `:${line}:${column ?? 1}`
  return `${clientTitle(client)}: ${plainLine(file)}${place} cannot be read: ${plainLine(message)}.`
}

/** The clients that have a server, with the name it has there where that is another one. */
function sourcesInWords(row: ImportRow): string {
  const words = row.sources.map((source) => {
    const title = clientTitle(source.client)
    return source.name === row.sources[0].name ? title : `${title} (as ${plainLine(source.name)})`
  })
  return [...new Set(words)].join(', ')
}

/** What to know about a server before it is copied; a short sentence without its full stop. */
function noteInWords(note: ImportNote): string {
  switch (note.kind) {
    case 'secret':
      return `a secret in plain text: ${plainLine(note.label)} (${note.masked})`
    case 'unknown-placeholder':
      return `${plainLine(note.text)} cannot be filled in here: put the value into a variable and write \${NAME}`
    case 'unset-variables':
      return `not set here: ${note.variables.join(', ')}`
    case 'input':
      return `asks once for the input "${plainLine(note.id)}"`
    case 'env-file':
      return `variables from ${plainLine(note.path)} (envFile) are not loaded`
    case 'renamed':
      return `called "${plainLine(note.from)}" there`
    case 'disabled':
      return 'switched off there, and here too'
    case 'folders':
      return `only for ${note.folders.map(plainLine).join(', ')} there, for every folder here`
    default:
      return unreachable(note)
  }
}

function renderRows(rows: readonly ImportRow[], look: Look): string {
  const clients = rows.map(sourcesInWords)
  const nameWidth = widest([...rows.map((row) => row.name), 'SERVER'])
  const left = look.columns - nameWidth - Math.min(widest(clients), 28) - 4
  const targets = rows.map((row) => shortened(targetOf(row.entry), Math.max(24, left)))
  const targetWidth = widest([...targets, 'STARTS'])
  // One table for each row, because notes stand between them; padding gives all of them the same columns.
  const line = (texts: readonly [string, string, string], paint: (text: string) => string): string => {
    const [name, target, clientNames] = texts
    return renderTable([[{ text: padEnd(name, nameWidth), paint }, padEnd(target, targetWidth), clientNames]], look)
  }
  const blocks = rows.map((row, index) => {
    return line([row.name, targets[index] ?? '', clients[index] ?? ''], look.style.name) + renderNotes(row, look)
  })
  return [line(['SERVER', 'STARTS', 'CLIENTS'], look.style.faint), ...blocks].join('')
}

function renderNotes(row: ImportRow, { columns, style }: Look): string {
  const scope = row.scope === 'project' ? ['comes with this project: copied only with --project or by name'] : []
  return [...scope, ...row.notes.map(noteInWords)]
    .map((note) => style.warning(paragraph(`- ${note}`, { columns, indent: 4 })))
    .join('')
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(displayWidth))
}

/** The command line or the address, with its secrets masked. */
function targetOf(entry: RawEntry): string {
  const { url, command, args } = maskEntry(entry)
  if (typeof url === 'string') return plainLine(url)
  return plainLine([command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string').join(' '))
}

/** The end of a command tells more than its middle: the package, the folder. */
function shortened(target: string, width: number): string {
  if (displayWidth(target) <= width) return target
  const half = Math.floor((width - 1) / 2)
  return `${target.slice(0, half)}…${target.slice(-half)}`
}

function hint(text: string, { columns, style }: Look): string {
  return style.faint(paragraph(text, { columns }))
}
