import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser'
import { CapstanError } from '../errors.ts'

/** The value of JSON with comments and trailing commas; what cannot be read is reported as `file:line:column`. */
export function parseJsonc(text: string, file: string): unknown {
  const errors: ParseError[] = []
  const value: unknown = parse(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true })
  const [first] = errors
  if (first === undefined) return value
  const before = text.slice(0, first.offset).split('\n')
  const place = `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
  throw new CapstanError('config_invalid', `${place}: ${inWords(first)}.`, {
    next: `Open ${file} and mend line ${before.length}.`,
  })
}

/** `CommaExpected` becomes "comma expected". */
function inWords(error: ParseError): string {
  return printParseErrorCode(error.error)
    .replace(/(?!^)[A-Z]/g, ' $&')
    .toLowerCase()
}
