import { diffText } from '../../../prompts/diff-prompts.ts'
import type { StoredPrompt } from '../../../prompts/store.ts'
import type { Io } from '../../command.ts'
import { plainLine } from '../../../policy/plain-text.ts'
import { count } from '../../render/numbers.ts'
import { columnsFor, styleFor, type Style } from '../../render/style.ts'
import { renderTable } from '../../render/table.ts'
import { paintedDiff } from './painted-diff.ts'
import type { ImportPlan, PlannedPrompt } from './plan-import.ts'

const mostRows = 40
const mostDifferences = 10
const mostLines = 40

/** What an import would do, for the person who decides. */
export function describePlan(plan: ImportPlan, io: Io): string {
  const style = styleFor(io)
  const [fresh, changed, same] = (['new', 'changed', 'same'] as const).map((one) =>
    plan.prompts.filter(({ change }) => change === one),
  ) as [PlannedPrompt[], PlannedPrompt[], PlannedPrompt[]]
  return [
    `${count(plan.prompts.length, 'prompt')}: ${fresh.length} new, ${changed.length} changed, ${same.length} the same.\n`,
    table([...changed, ...fresh], io),
    differences(changed, io),
    doubts(plan, style),
  ].join('')
}

export function planToJson(plan: ImportPlan, saved: readonly StoredPrompt[]): string {
  const prompts = plan.prompts.map(({ draft, difference, ...rest }) => ({
    name: draft.name,
    ...rest,
    prompt: draft,
    ...(difference.length === 0 ? {} : { difference: diffText(difference) }),
  }))
  const names = saved.map(({ prompt }) => prompt.name)
  return `${JSON.stringify({ prompts, unusable: plan.unusable, doubtful: plan.doubtful, saved: names })}\n`
}

function table(prompts: readonly PlannedPrompt[], io: Io): string {
  const style = styleFor(io)
  const paints = { new: style.good, changed: style.warning, same: style.faint }
  const rows = prompts.slice(0, mostRows).map(({ draft, from, change }) => [
    { text: change, paint: paints[change] },
    { text: draft.name, paint: style.name },
    { text: plainLine(from), paint: style.faint },
  ])
  const rest = prompts.length - mostRows
  return `${renderTable(rows, { columns: columnsFor(io), indent: 2 })}${rest > 0 ? `  … and ${rest} more\n` : ''}`
}

function differences(changed: readonly PlannedPrompt[], io: Io): string {
  const shown = changed.slice(0, mostDifferences).map(({ draft, difference }) => {
    const cut = difference.length > mostLines ? `  … and ${difference.length - mostLines} more lines\n` : ''
    return `\n${draft.name} would change:\n${paintedDiff(difference.slice(0, mostLines), io)}${cut}`
  })
  return shown.join('')
}

function doubts({ prompts, unusable, doubtful }: ImportPlan, style: Style): string {
  const warned = prompts.filter(({ change }) => change !== 'same')
  const lines = [
    ...warned.flatMap(({ draft, secrets }) =>
      secrets.map(({ where, masked }) => `${style.bad('secret?')} ${draft.name}: ${where}: ${masked}`),
    ),
    ...warned.flatMap(({ draft, findings }) =>
      findings
        .filter(({ severity, where }) => severity === 'error' || where !== 'description')
        .map(({ severity, where, message }) => `${style.warning(severity)} ${draft.name}: ${where}: ${message}`),
    ),
    ...warned.flatMap(({ draft, notes }) => notes.map((note) => `note ${draft.name}: ${note}`)),
    ...unusable.map(({ from, reason }) => `${style.bad('left out')} ${from}: ${reason}`),
  ].map(plainLine)
  const bare = warned.filter(({ draft }) => !draft.description).length
  const rest = lines.length - mostRows
  return [
    lines.length === 0 ? '' : '\n',
    ...lines.slice(0, mostRows).map((line) => `${line}\n`),
    rest > 0 ? `… and ${rest} more; --json has them all\n` : '',
    bare === 0 ? '' : `\n${count(bare, 'prompt')} without a description: hard to find.\n`,
    doubtful.length === 0
      ? ''
      : `${count(doubtful.length, 'Markdown file')} left alone, such as ${plainLine(doubtful[0] ?? '')}. If they are prompts: --format claude\n`,
  ].join('')
}
