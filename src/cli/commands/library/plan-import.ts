import { CapstanError } from '../../../errors.ts'
import type { DiffLine } from '../../../prompts/diff-lines.ts'
import { diffPrompts } from '../../../prompts/diff-prompts.ts'
import { mapTexts } from '../../../prompts/formats/body.ts'
import type { FoundPrompt, Reading, UnusablePart } from '../../../prompts/formats/format.ts'
import { formats, recogniseFiles } from '../../../prompts/formats/formats.ts'
import type { FormatId } from '../../../prompts/formats/ids.ts'
import type { Source } from '../../../prompts/formats/read-source.ts'
import { lintPrompt, type LintFinding } from '../../../prompts/lint-prompt.ts'
import { promptNameFor } from '../../../prompts/prompt-name.ts'
import type { PromptDraft } from '../../../prompts/prompt.ts'
import type { StoredPrompt } from '../../../prompts/store.ts'
import { findSecretsIn, type SecretInPrompt } from './find-secrets.ts'

/** One prompt of a source, held against the library. */
export interface PlannedPrompt {
  readonly draft: PromptDraft
  readonly from: string
  readonly change: 'new' | 'changed' | 'same'
  /** What would change in the prompt of that name; the whole text of a new one is not shown. */
  readonly difference: readonly DiffLine[]
  readonly findings: readonly LintFinding[]
  readonly secrets: readonly SecretInPrompt[]
  readonly notes: readonly string[]
}

export interface ImportPlan {
  readonly prompts: readonly PlannedPrompt[]
  readonly unusable: readonly UnusablePart[]
  /** Markdown files that were left alone, because they may be anything. */
  readonly doubtful: readonly string[]
}

export interface PlanOptions {
  readonly format?: FormatId | undefined
  readonly tags: readonly string[]
  /** What the layer that is written to holds now. */
  readonly present: readonly StoredPrompt[]
}

/** What an import would do. Nothing is written. */
export function planImport(source: Source, { format, tags, present }: PlanOptions): ImportPlan {
  const { readings, doubtful } = readAll(source, format)
  const now = new Map(present.map(({ prompt }) => [prompt.name, prompt]))
  const taken = new Set<string>()
  const found = readings.flatMap(({ prompts }) => prompts).map((prompt) => withOwnName(withTags(prompt, tags), taken))
  return {
    prompts: found.map(({ draft, from, notes }) => {
      const before = now.get(draft.name)
      const difference = before === undefined ? [] : diffPrompts(comparable(before), comparable(draft))
      return {
        draft,
        from,
        change: before === undefined ? 'new' : difference.length === 0 ? 'same' : 'changed',
        difference,
        findings: lintPrompt(draft),
        secrets: findSecretsIn(draft),
        notes,
      }
    }),
    unusable: [...source.unusable, ...readings.flatMap(({ unusable }) => unusable)],
    doubtful,
  }
}

/** Files cannot hold the blanks at the ends of a text, and nobody means anything by them. */
function comparable(prompt: PromptDraft): PromptDraft {
  return mapTexts(prompt, (text) => text.replaceAll('\r\n', '\n').trim())
}

function readAll(
  source: Source,
  format: FormatId | undefined,
): { readonly readings: readonly Reading[]; readonly doubtful: readonly string[] } {
  const chosen = format ?? (source.isOneFile ? formatOfFile(source) : undefined)
  if (chosen !== undefined) return { readings: [formats[chosen].read(meantAs(chosen, source))], doubtful: [] }
  const { byFormat, doubtful } = recogniseFiles(source.files)
  return { readings: Array.from(byFormat, ([id, files]) => formats[id].read(files)), doubtful }
}

/** A file that a person names, and says what it is, needs no ending for that. */
function meantAs(format: FormatId, { files, isOneFile }: Source): Source['files'] {
  const ending = { jsonl: '.jsonl', csv: '.csv', claude: '.md', vscode: '.prompt.md', skill: '', fabric: '' }[format]
  return isOneFile
    ? files.map(({ path, text }) => ({ path: path.endsWith(ending) ? path : `${path}${ending}`, text }))
    : files
}

/** A file that a person names is what its ending says. */
function formatOfFile({ files }: Source): FormatId | undefined {
  const endings: readonly (readonly [string, FormatId])[] = [
    ['/SKILL.md', 'skill'],
    ['/system.md', 'fabric'],
    ['.prompt.md', 'vscode'],
    ['.jsonl', 'jsonl'],
    ['.csv', 'csv'],
    ['.md', 'claude'],
  ]
  const format = endings.find(([ending]) => files.some(({ path }) => path.endsWith(ending)))?.[1]
  if (format !== undefined || files.length === 0) return format
  throw new CapstanError('usage', `It cannot be told what ${files[0]?.path} is written in.`, {
    next: `Say it with --format ${Object.keys(formats).join('|')}.`,
  })
}

function withTags(found: FoundPrompt, tags: readonly string[]): FoundPrompt {
  if (tags.length === 0) return found
  return { ...found, draft: { ...found.draft, tags: [...new Set([...found.draft.tags, ...tags])] } }
}

/** Two files of different formats may want one name. */
function withOwnName(found: FoundPrompt, taken: Set<string>): FoundPrompt {
  const { name } = found.draft
  const free = taken.has(name) ? promptNameFor(name, (known) => taken.has(known)) : name
  taken.add(free)
  if (free === name) return found
  const note = `The name ${name} is taken by another prompt of this source; it becomes ${free}.`
  return { ...found, draft: { ...found.draft, name: free }, notes: [...found.notes, note] }
}
