import { claudeCommands } from './claude-command.ts'
import { fabricPatterns } from './fabric.ts'
import { fileName } from './file-names.ts'
import type { PromptFormat, TextFile } from './format.ts'
import type { FormatId } from './ids.ts'
import { promptLines } from './jsonl.ts'
import { promptsCsv } from './prompts-csv.ts'
import { skillFolders } from './skill.ts'
import { vscodePrompts } from './vscode-prompt.ts'

/** Every format by the word that people choose it with. */
export const formats: Readonly<Record<FormatId, PromptFormat>> = {
  jsonl: promptLines,
  claude: claudeCommands,
  skill: skillFolders,
  vscode: vscodePrompts,
  fabric: fabricPatterns,
  csv: promptsCsv,
}

/** Files sorted by the format that each is written in. Those of a skill or pattern stay together. */
export interface Recognised {
  readonly byFormat: ReadonlyMap<FormatId, readonly TextFile[]>
  /** Markdown that may be prompts, and may as well be somebody's documentation. */
  readonly doubtful: readonly string[]
}

export function recogniseFiles(files: readonly TextFile[]): Recognised {
  const homes = folderHomes(files)
  const known = files.map((file) => ({ file, format: homeOf(file.path, homes) ?? formatOf(file) }))
  const byFormat = new Map<FormatId, TextFile[]>()
  for (const { file, format } of known) {
    if (format === undefined) continue
    const own = byFormat.get(format)
    if (own === undefined) byFormat.set(format, [file])
    else own.push(file)
  }
  const unknown = known.filter(({ format }) => format === undefined).map(({ file }) => file.path)
  return { byFormat, doubtful: unknown.filter((path) => path.endsWith('.md')) }
}

/** Folders that are one prompt as a whole: what else they hold belongs to it. */
function folderHomes(files: readonly TextFile[]): ReadonlyMap<string, FormatId> {
  const homes = new Map<string, FormatId>()
  for (const { path } of files) {
    const name = fileName(path)
    const folder = path.slice(0, -name.length)
    if (name === 'SKILL.md') homes.set(folder, 'skill')
    else if (name === 'system.md' && folder !== '' && !homes.has(folder)) homes.set(folder, 'fabric')
  }
  return homes
}

/** The innermost such folder that a file stands in. */
function homeOf(path: string, homes: ReadonlyMap<string, FormatId>): FormatId | undefined {
  for (let end = path.lastIndexOf('/'); end !== -1; end = path.lastIndexOf('/', end - 1)) {
    const home = homes.get(path.slice(0, end + 1))
    if (home !== undefined || end === 0) return home
  }
  return homes.get('')
}

function formatOf(file: TextFile): FormatId | undefined {
  const { path } = file
  if (path.endsWith('.prompt.md')) return 'vscode'
  // Folders hold other people's tables and lines as well.
  const [firstLine = ''] = file.text.slice(0, longestLook).trimStart().split('\n', 1)
  if (path.endsWith('.jsonl')) return /"(?:messages|op|steps)"/.test(firstLine) ? 'jsonl' : undefined
  if (path.endsWith('.csv')) return /\bact\b/.test(firstLine) && /\bprompt\b/.test(firstLine) ? 'csv' : undefined
  return path.endsWith('.md') && isCommand(file) ? 'claude' : undefined
}

const longestLook = 1024 * 1024

function isCommand({ path, text }: TextFile): boolean {
  if (
    /^(?:readme|changelog|license|contributing|code_of_conduct|security|agents|claude|gemini)\b/i.test(fileName(path))
  ) {
    return false
  }
  const header = /^\uFEFF?---\r?\n([^]*?)\r?\n---/.exec(text)?.[1] ?? ''
  return (
    /(?:^|\/)(?:commands|prompts)\//.test(path) ||
    /^(?:description|argument-hint|allowed-tools|arguments):/m.test(header) ||
    /(?<![\\$\w])\$(?:ARGUMENTS\b|[1-9](?!\w))/.test(text)
  )
}
