import { unreachable } from '../../errors.ts'
import type { ListKind } from '../../hub/api.ts'
import { firstSentence } from '../../hub/catalogue/first-sentence.ts'
import { plainLine } from '../../policy/plain-text.ts'
import { ageOf, count } from './numbers.ts'
import { describeState, hasAnswered, problemOf, type ServerGroup } from './server-group.ts'
import type { Style } from './style.ts'
import { displayWidth, truncate } from './width.ts'

export interface ListingOptions {
  readonly kinds: readonly ListKind[]
  readonly columns: number
  readonly style: Style
}

/** What `list` prints: a line per server, and under it a line for each thing it offers. */
export function renderListing(groups: readonly ServerGroup[], options: ListingOptions): string {
  return groups.map((group) => renderGroup(group, options)).join('\n')
}

interface Line {
  readonly name: string
  readonly text: string
}

function renderGroup(group: ServerGroup, options: ListingOptions): string {
  const lines = options.kinds.flatMap((kind) => linesOf(group, kind))
  const longest = Math.max(0, ...lines.map((line) => displayWidth(line.name)))
  // One very long name must not push all sentences off the screen.
  const nameWidth = Math.min(
    longest,
    options.columns === Number.POSITIVE_INFINITY ? longest : Math.floor(options.columns / 2),
  )
  return renderHead(group, options) + lines.map((line) => renderLine(line, nameWidth, options)).join('')
}

function renderHead(group: ServerGroup, { kinds, columns, style }: ListingOptions): string {
  const name = plainLine(group.status.name)
  const facts = [...(hasAnswered(group) ? countsOf(group, kinds) : []), stateOf(group)]
  const rest = truncate(facts.join(' · '), columns - displayWidth(name) - 2)
  const paint = problemOf(group) === undefined ? style.faint : style.warning
  return `${style.heading(name)}${rest === '' ? '' : `  ${paint(rest)}`}\n`
}

function stateOf(group: ServerGroup): string {
  if (group.status.isBuiltin === true && group.coverage?.kind === 'listed') return 'comes with Capstan'
  if (group.coverage?.kind === 'cached') return `seen ${ageOf(group.coverage.savedAtMs)} ago`
  if (group.coverage?.kind === 'listed' && group.status.state.kind === 'idle') return 'ended after it had answered'
  if (group.coverage?.kind === 'stale') return 'an old list: the last refresh failed'
  return group.coverage?.kind === 'missing' && group.status.state.kind === 'ready'
    ? 'did not answer'
    : describeState(group.status.state)
}

function countsOf(group: ServerGroup, kinds: readonly ListKind[]): readonly string[] {
  return kinds
    .filter((kind) => kind === 'tools' || kinds.length <= 2 || group[kind].length > 0)
    .map((kind) => count(group[kind].length, kind.slice(0, -1)))
}

function linesOf(group: ServerGroup, kind: ListKind): readonly Line[] {
  switch (kind) {
    case 'tools':
      return group.tools.map((tool) => line(tool.tool, tool.description ?? tool.title))
    case 'prompts':
      return group.prompts.map((prompt) => line(prompt.id, prompt.description ?? prompt.title))
    case 'resources':
      return group.resources.map((resource) =>
        line(resource.uri, resource.description ?? resource.title ?? resource.name),
      )
    case 'templates':
      return group.templates.map((template) =>
        line(template.uriTemplate, template.description ?? template.title ?? template.name),
      )
    default:
      return unreachable(kind)
  }
}

function line(name: string, text: string | undefined): Line {
  return { name: plainLine(name), text: plainLine(firstSentence(text, Number.POSITIVE_INFINITY)) }
}

const leastForText = 12

function renderLine({ name, text }: Line, nameWidth: number, { columns, style }: ListingOptions): string {
  const left = columns - 4 - Math.max(nameWidth, displayWidth(name))
  const shown = left < leastForText ? '' : truncate(text, left)
  return `  ${style.name(name)}${shown === '' ? '' : `${' '.repeat(Math.max(0, nameWidth - displayWidth(name)) + 2)}${shown}`}\n`
}
