import { unreachable } from '../../errors.ts'
import type { Ask } from '../../hub/api.ts'
import { plainLine, plainText } from '../../policy/plain-text.ts'

/** What a server wants, in one line: for lists and notes. */
export function askLine(ask: Ask): string {
  const server = `Server "${plainLine(ask.server)}"`
  switch (ask.kind) {
    case 'form':
      return `${server} asks: "${shortened(plainLine(ask.message), 200)}"`
    case 'url':
      return `${server} wants a page visited at ${hostOf(ask.url)}: "${shortened(plainLine(ask.message), 200)}"`
    case 'sampling':
      return `${server} asks for an answer of a model.`
    default:
      return unreachable(ask)
  }
}

/** The words of a server below our own, set in: no line of them can pass for ours. */
export function quoted(message: string): string {
  const text = shortened(plainText(message).trim(), 4000)
  return text === '' ? '' : `${text.replaceAll(/^/gm, '  ')}\n`
}

/** With the letters of other scripts written out, as a name that looks like another would otherwise pass for it. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? ''
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
