import type { ParseArgsOptionsConfig } from 'node:util'
import type { Candidate } from './offer.ts'

/** The flags that may still be given, with what the help says about each. */
export function offerFlags(
  options: ParseArgsOptionsConfig,
  given: ReadonlyMap<string, unknown>,
  help: string,
): readonly Candidate[] {
  return Object.entries(options)
    .filter(([name, { multiple }]) => multiple === true || !given.has(name))
    .map(([name]) => ({ value: `--${name}`, about: aboutFlag(name, help) }))
}

/** The help of a verb has one line for each flag: `  --save DIR      keep images there`. */
function aboutFlag(name: string, help: string): string | undefined {
  const line = help.split('\n').find((line) => new RegExp(`^ +(?:-\\w, )?--${name}(?![\\w-])`).test(line))
  return line === undefined ? undefined : /^ +\S.*? {2,}(\S.*)$/.exec(line)?.[1]
}
