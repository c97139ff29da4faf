import { clientIds, clients, type ClientId } from '../config/import/clients.ts'
import { CapstanError } from '../errors.ts'
import { nearest } from '../hub/catalogue/nearest.ts'

/** The client that a person means; one that is not known is a mistake, answered with the closest. */
export function clientNamed(typed: string): ClientId {
  const name = typed.toLowerCase()
  const found = clientIds.find((id) => id === name || clients[id].aliases.some((alias: string) => alias === name))
  if (found !== undefined) return found
  const known = clientIds.flatMap((id) => [id, ...clients[id].aliases])
  const [closest] = nearest(name, known)
  const meant = closest === undefined ? '' : ` Did you mean "${closest}"?`
  throw new CapstanError('usage', `There is no client "${typed}".${meant}`, {
    next: `Known clients: ${clientIds.join(', ')}.`,
  })
}
