import { describeChange } from '../config/describe-change.ts'
import type { RawEntry } from '../config/types.ts'
import { maskEntry } from '../policy/secrets.ts'
import { revealedText } from '../policy/plain-text.ts'
import { shellQuote } from './render/example.ts'

/** What an entry starts or calls, on one line, the way a shell would take it; literal secrets are masked. */
export function describeEntry(entry: RawEntry): string {
  const { command, args, url } = maskEntry(entry)
  if (typeof command === 'string') {
    const words = [command, ...(Array.isArray(args) ? args.map(String) : [])]
    return revealedText(words.map(shellQuote).join(' '))
  }
  return typeof url === 'string' ? revealedText(url) : 'neither command nor url'
}

/** One line for each field that `describeEntry` leaves out; literal secrets are masked. */
export function describeFurtherFields(entry: RawEntry): readonly string[] {
  const { command: _command, args: _args, url: _url, ...rest } = entry
  return describeChange({}, rest).map((line) => revealedText(line.replace(': added ', ': ')))
}
