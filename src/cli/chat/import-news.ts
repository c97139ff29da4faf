import { clients } from '../../config/import/clients.ts'
import type { ImportTable } from '../../config/import/table.ts'
import type { News } from '../../terminal/open-screen.ts'
import { count } from '../render/numbers.ts'

/** What a session without servers says about those that other clients have; undefined where they have none. */
export function importNews({ rows }: Pick<ImportTable, 'rows'>): (News & { readonly next: string }) | undefined {
  if (rows.length === 0) return undefined
  const titles = [...new Set(rows.flatMap(({ sources }) => sources.map(({ client }) => clients[client].title)))]
  const names = rows.slice(0, mostNames).map(({ name }) => name)
  const more = rows.length > mostNames ? ` and ${rows.length - mostNames} more` : ''
  return {
    level: 'info',
    text: `Other clients here (${titles.join(', ')}) have ${count(rows.length, 'server')}: ${names.join(', ')}${more}.`,
    next: 'To look at them and copy them, leave with /exit and run: capstan import',
  }
}

const mostNames = 12
