import { secretSpans } from '../policy/secret-text.ts'
import { maskSecret } from '../policy/secrets.ts'

/** A config file, JSON or TOML, with the secrets in its texts and comments masked: for showing, not for reading back. */
export function maskText(text: string): string {
  let shown = ''
  let end = 0
  let previous = ''
  for (const match of text.matchAll(/"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'/g)) {
    const value = match[1] ?? match[2] ?? ''
    const between = text.slice(end, match.index)
    const masked = maskValue(nameBefore(between, previous), value)
    shown += maskValue('', between) + match[0].charAt(0) + masked + match[0].charAt(0)
    end = match.index + match[0].length
    previous = value
  }
  return shown + maskValue('', text.slice(end))
}

/** What a text stands under: the key or the flag before it. */
function nameBefore(between: string, previous: string): string {
  if (/^\s*[:=]\s*$/.test(between)) return previous
  if (/^\s*,\s*$/.test(between)) return previous.startsWith('-') ? previous : ''
  return /([\w-]+)\s*=\s*$/.exec(between)?.[1] ?? ''
}

function maskValue(name: string, value: string): string {
  return secretSpans(name, value).reduceRight(
    (changed, { start, end }) => changed.slice(0, start) + maskSecret(changed.slice(start, end)) + changed.slice(end),
    value,
  )
}
