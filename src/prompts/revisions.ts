import { CapstanError } from '../errors.ts'
import type { LogEntry, LogRevision, LogState } from './log-state.ts'
import type { Prompt } from './prompt.ts'
import type { Revision } from './store.ts'

/** The history of a name, the newest first. */
export function historyOf(state: LogState, name: string): readonly Revision[] {
  const entry = state.entries.get(name)
  return (entry?.revisions ?? []).toReversed().map((revision) => ({
    revision: revision.revision,
    kind: revision.prompt === undefined ? 'removed' : 'put',
    ...(revision.renamedFrom === undefined ? {} : { renamedFrom: revision.renamedFrom }),
    ...(revision.at === undefined ? {} : { at: revision.at }),
    ...(revision.by === undefined ? {} : { by: revision.by }),
    ...(revision.prompt === undefined ? {} : { prompt: revision.prompt }),
    labels: labelsAt(entry, revision.revision),
  }))
}

/** What a name held at a revision, or at the one a label points to. */
export function findRevision(
  state: LogState,
  name: string,
  at: number | string,
): LogRevision & { readonly prompt: Prompt } {
  const entry = state.entries.get(name)
  const number = typeof at === 'number' ? at : /^\d+$/.test(at) ? Number(at) : entry?.labels.get(at)?.revision
  const found = entry?.revisions.find(({ revision }) => revision === number)
  if (found?.prompt !== undefined) return { ...found, prompt: found.prompt }
  const numbers = (entry?.revisions ?? []).filter(({ prompt }) => prompt !== undefined).map(({ revision }) => revision)
  const labels = [...(entry?.labels.keys() ?? [])]
  const what = number === undefined ? `label "${at}"` : `revision ${number}`
  throw new CapstanError('prompt_unknown', `Prompt "${name}" has no ${what}.`, {
    next: `There are: ${[...labels, ...numbers.slice(-20)].join(', ')}.`,
  })
}

function labelsAt(entry: LogEntry | undefined, number: number): readonly string[] {
  return Array.from(entry?.labels ?? []).flatMap(([label, { revision }]) => (revision === number ? [label] : []))
}
