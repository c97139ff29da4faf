import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser'
import { CapstanError } from '../errors.ts'

/** The value of JSON with comments and trailing commas; what cannot be read is reported as `file:line:column`. */
export function parseJsonc(text: string, file: string): unknown {
  const errors: ParseError[] = []
  const value: unknown = parse(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true })
  const [first] = errors
  if (first === undefined) return refusePrototypes(value, file)
  const before = text.slice(0, first.offset).split('\n')
  const place = `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
  throw new CapstanError('config_invalid', `${place}: ${inWords(first)}.`, {
    next: `Open ${file} and mend line ${before.length}.`,
  })
}

/**
 * jsonc-parser makes a member named `__proto__` the prototype of its object: fields would come out of it that no listing
 * shows and no approval of the entry covers.
 */
function refusePrototypes(value: unknown, file: string): unknown {
  if (typeof value !== 'object' || value === null) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== Array.prototype) {
    throw new CapstanError('config_invalid', `${file} uses the name "__proto__", which is not allowed.`, {
      next: `Remove "__proto__" from ${file}.`,
    })
  }
  for (const member of Object.values(value)) refusePrototypes(member, file)
  return value
}

/** `CommaExpected` becomes "comma expected". */
function inWords(error: ParseError): string {
  return printParseErrorCode(error.error)
    .replace(/(?!^)[A-Z]/g, ' $&')
    .toLowerCase()
}
