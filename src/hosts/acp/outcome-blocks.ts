import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { Block } from '../../commands/outcome.ts'
import type { ErrorJson } from '../../errors.ts'
import { plainLine, plainText } from '../../policy/plain-text.ts'
import { blockOf, fenced, textBlock } from './content-blocks.ts'

/** What a command prints, as Markdown. Text of servers must not become links and pictures by itself. */
export function printedBlock(block: Block): ContentBlock {
  switch (block.kind) {
    case 'text':
      return paragraph(block.text.includes('\n') ? fenced(plainText(block.text)) : inert(block.text))
    case 'markdown':
      return paragraph(plainText(block.text))
    case 'table':
      return paragraph([block.columns, block.columns.map(() => '---'), ...block.rows].map(row).join('\n'))
    case 'content':
      return block.part.kind === 'media' ? blockOf(block.part) : paragraph(fenced(plainText(block.part.text)))
    case 'notice':
      return paragraph(block.level === 'info' ? inert(block.text) : `**${inert(block.text)}**`)
    default:
      return block satisfies never
  }
}

/** An expected failure, with what to do next. */
export function failureText({ message, next }: ErrorJson): string {
  return next === undefined ? inert(message) : `${inert(message)}\n\n${inert(next)}`
}

export function paragraph(text: string): ContentBlock {
  return textBlock(`${text}\n\n`)
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => inert(plainLine(cell)).replaceAll('|', '\\|')).join(' | ')} |`
}

/** Without what Markdown takes for a link, a picture or HTML. */
function inert(text: string): string {
  return plainText(text).replaceAll('](', ']\\(').replaceAll('<', '\\<')
}
