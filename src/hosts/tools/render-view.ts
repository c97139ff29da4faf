import { partText } from './guard-content.ts'
import type { InvocationView } from './view.ts'

/** A view as plain lines. */
export function viewAsText({ name, title, arguments: given, status, content, warnings }: InvocationView): string {
  const heading = title === undefined ? name : `${name} (${title})`
  return [
    `${heading}: ${status.text}`,
    ...given.map(({ name: argument, value }) => indented(`${argument}: ${value}`)),
    ...warnings.map((warning) => `! ${warning}`),
    ...content.map(partText),
  ].join('\n')
}

/** A view as Markdown. What came from servers and models stands in code, so that none of it becomes markup. */
export function viewAsMarkdown({ name, title, arguments: given, status, content, warnings }: InvocationView): string {
  const heading = title === undefined ? codeSpan(name) : `${codeSpan(name)} (${codeSpan(title)})`
  const mark = status.kind === 'error' ? '**failed:** ' : ''
  const said = status.kind === 'done' || status.kind === 'pending' ? status.text : codeSpan(status.text)
  return [
    `${heading}: ${mark}${said}`,
    given.map(({ name: argument, value }) => argumentLine(argument, value)).join('\n'),
    ...warnings.map((warning) => `> ${codeSpan(warning)}`),
    ...content.map((part) => {
      if (part.kind === 'resource') return `${codeSpan(part.uri)}\n\n${codeBlock(part.text)}`
      return part.kind === 'media' ? codeSpan(partText(part)) : codeBlock(part.text)
    }),
  ]
    .filter((block) => block !== '')
    .join('\n\n')
}

function argumentLine(name: string, value: string): string {
  if (!value.includes('\n')) return `- ${codeSpan(name)}: ${codeSpan(value)}`
  return `- ${codeSpan(name)}:\n\n${indented(codeBlock(value))}\n`
}

/** A span may hold backticks when its own marks are longer than any run of them. */
function codeSpan(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  if (line.trim() === '') return '` `'
  const mark = '`'.repeat(longestRun(line) + 1)
  const gap = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${mark}${gap}${line}${gap}${mark}`
}

function codeBlock(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
