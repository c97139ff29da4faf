import { CapstanError } from '../../errors.ts'

/** An error that is the caller's to mend. */
export function badArguments(message: string, next?: string): CapstanError {
  return new CapstanError('arguments_invalid', message, { next })
}
