import { CapstanError } from '../errors.ts'
import { isTooDeep, mostLevels, type JsonObject } from '../json.ts'

/** Refuses arguments of a call that nest too deeply to be checked, sent and noted. */
export function assertShallow(args: JsonObject): void {
  if (!isTooDeep(args)) return
  const message = `The arguments nest more than ${mostLevels} levels deep, so they were not sent.`
  throw new CapstanError('arguments_invalid', message, { next: 'Pass something that nests less.' })
}
