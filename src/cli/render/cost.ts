import { plainLine } from '../../policy/plain-text.ts'
import { count, formatNumber } from './numbers.ts'
import type { ServerGroup } from './server-group.ts'
import type { Style } from './style.ts'
import { toolsTokens, toolTokens } from '../../hub/catalogue/tokens.ts'
import { padStart, truncate } from './width.ts'

export interface ToolCost {
  readonly id: string
  readonly server: string
  readonly tokens: number
}

/** Every tool with its price, dearest first. */
export function rankByCost(groups: readonly ServerGroup[]): readonly ToolCost[] {
  return groups
    .flatMap((group) => group.tools.map((tool) => ({ id: tool.id, server: tool.server, tokens: toolTokens(tool) })))
    .sort((a, b) => b.tokens - a.tokens || (a.id < b.id ? -1 : 1))
}

/** What `list --tokens` prints: tools ranked, then servers, then the total. */
export function renderCost(
  groups: readonly ServerGroup[],
  { columns, style }: { columns: number; style: Style },
): string {
  const ranked = rankByCost(groups)
  const total = ranked.reduce((sum, cost) => sum + cost.tokens, 0)
  const width = formatNumber(total).length
  const line = (tokens: number, text: string): string =>
    `${padStart(formatNumber(tokens), width)} ${style.faint(padStart(share(tokens, total), 4))}  ${truncate(text, columns - width - 7)}\n`
  const servers = [...groups]
    .filter((group) => group.tools.length > 0)
    .sort((a, b) => toolsTokens(b.tools) - toolsTokens(a.tools))
  return [
    style.heading('Tools, about how many tokens each costs a model') + '\n',
    ...ranked.map((cost) => line(cost.tokens, plainLine(cost.id))),
    '\n' + style.heading('Servers') + '\n',
    ...servers.map((group) =>
      line(toolsTokens(group.tools), `${plainLine(group.status.name)} (${count(group.tools.length, 'tool')})`),
    ),
    `\n${style.heading(`Total: about ${count(total, 'token')}`)} for ${count(ranked.length, 'tool')}, as a client sends them with every request.\n`,
  ].join('')
}

function share(tokens: number, total: number): string {
  return `${total === 0 ? 0 : Math.round((100 * tokens) / total)}%`
}
