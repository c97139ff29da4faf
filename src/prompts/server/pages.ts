import { badArguments } from './bad-arguments.ts'
import { isObject } from '../../json.ts'

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string
}

/**
 * One page of a list that is in the order of its names. The cursor holds the last name shown, not a position: whatever is
 * added or removed meanwhile, nothing is shown twice and nothing that stays is left out.
 */
export function pageOf<Item>(
  items: readonly Item[],
  {
    nameOf,
    cursor,
    size,
  }: { readonly nameOf: (item: Item) => string; readonly cursor?: string; readonly size: number },
): Page<Item> {
  const after = cursor === undefined ? undefined : nameIn(cursor)
  const rest = after === undefined ? items : items.filter((item) => nameOf(item) > after)
  const page = rest.slice(0, size)
  const last = page.at(-1)
  return rest.length > page.length && last !== undefined
    ? { items: page, nextCursor: cursorFor(nameOf(last)) }
    : { items: page }
}

function cursorFor(name: string): string {
  return Buffer.from(JSON.stringify({ after: name })).toString('base64url')
}

function nameIn(cursor: string): string {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (isObject(value) && typeof value['after'] === 'string' && cursorFor(value['after']) === cursor)
      return value['after']
  } catch {
    // Not of our making: told below, like all that is not.
  }
  throw badArguments('The cursor is not one of this server.', 'Begin again without a cursor.')
}
