import type { PromptEntry, ToolEntry } from '../../hub/api.ts'
import { plainText } from '../../policy/plain-text.ts'
import { describeAnnotations } from './annotations.ts'
import { argumentRows } from './arguments.ts'
import { exampleCall, examplePrompt } from './example.ts'
import { count } from './numbers.ts'
import { describeState, problemOf, type ServerGroup } from './server-group.ts'

/** The whole catalogue as one Markdown document. */
export function renderMarkdown(groups: readonly ServerGroup[]): string {
  const tools = groups.reduce((sum, group) => sum + group.tools.length, 0)
  const summary = `${count(groups.length, 'server')}, ${count(tools, 'tool')}. Written by \`capstan list --markdown\`.`
  return [`# MCP catalogue`, summary, ...groups.map(serverSection)].join('\n\n') + '\n'
}

function serverSection(group: ServerGroup): string {
  const { name, description, state } = group.status
  const problem = problemOf(group)
  return [
    `## ${inline(name)}`,
    ...(description === undefined ? [] : [block(description)]),
    state.kind === 'ready' ? readyLine(state) : `State: ${describeState(state)}.`,
    ...(problem === undefined ? [] : [`**Not complete:** ${inline(problem.message)}`]),
    ...titled('Tools', group.tools.map(toolSection)),
    ...titled('Prompts', group.prompts.map(promptSection)),
    ...resourceSection(group),
  ].join('\n\n')
}

function readyLine(state: Extract<ServerGroup['status']['state'], { kind: 'ready' }>): string {
  const { implementation } = state
  const program =
    implementation === undefined ? 'It' : `${inline(implementation.name)} ${inline(implementation.version)}`
  return `${program} speaks protocol ${inline(state.protocolVersion)} over ${state.transport}.`
}

function titled(title: string, sections: readonly string[]): readonly string[] {
  return sections.length === 0 ? [] : [`### ${title}`, ...sections]
}

function toolSection(tool: ToolEntry): string {
  const rows = argumentRows(tool.inputSchema)
  const claims = describeAnnotations(tool.annotations)
  return [
    `#### ${code(tool.id)}`,
    ...(tool.description === undefined ? [] : [block(tool.description)]),
    ...(claims.length === 0 ? [] : [`The server says: ${claims.join('; ')}.`]),
    ...(rows.length === 0
      ? ['No parameters.']
      : [
          table(
            ['Parameter', 'Type', 'Required', 'Default', 'Description'],
            rows.map((row) => [
              codeCell(row.name),
              codeCell(row.type),
              row.isRequired ? 'yes' : 'no',
              row.defaultValue === '' ? '' : codeCell(row.defaultValue),
              cell(row.description),
            ]),
          ),
        ]),
    fence(exampleCall(tool), 'sh'),
  ].join('\n\n')
}

function promptSection(prompt: PromptEntry): string {
  const rows = prompt.arguments ?? []
  return [
    `#### ${code(prompt.id)}`,
    ...(prompt.description === undefined ? [] : [block(prompt.description)]),
    ...(rows.length === 0
      ? []
      : [
          table(
            ['Argument', 'Required', 'Description'],
            rows.map((row) => [codeCell(row.name), row.required === true ? 'yes' : 'no', cell(row.description ?? '')]),
          ),
        ]),
    fence(examplePrompt(prompt), 'sh'),
  ].join('\n\n')
}

function resourceSection(group: ServerGroup): readonly string[] {
  const rows = [
    ...group.resources.map((one) => [
      codeCell(one.uri),
      cell(one.name),
      cell(one.mimeType ?? ''),
      cell(one.description ?? ''),
    ]),
    ...group.templates.map((one) => [
      codeCell(one.uriTemplate),
      cell(one.name),
      cell(one.mimeType ?? ''),
      cell(one.description ?? ''),
    ]),
  ]
  return rows.length === 0 ? [] : ['### Resources', table(['URI', 'Name', 'Kind', 'Description'], rows)]
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Text of a server inside a line: shown as it is, never read as markup. */
function inline(text: string): string {
  return plainText(text)
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/[\\`*_[\]<>|~#&]/g, String.raw`\$&`)
}

function cell(text: string): string {
  return plainText(text).trim().split(/\n+/u).map(inline).join('<br>')
}

/** Paragraphs of a server. Lines that would start a heading, a rule or an indented code block are kept from doing so. */
function block(text: string): string {
  return plainText(text)
    .trim()
    .split('\n')
    .map((line) => inline(line).replace(/^[-=]{2,}/u, String.raw`\$&`))
    .join('\n')
}

/** Code in a table, which splits at a bare `|` even there. */
function codeCell(text: string): string {
  return code(text).replaceAll('|', String.raw`\|`)
}

/** A code span. Its fence must be longer than any run of backticks inside. */
function code(text: string): string {
  const plain = plainText(text).replace(/\s+/gu, ' ')
  const fenceText = '`'.repeat(longestRun(plain) + 1)
  const pad = plain.startsWith('`') || plain.endsWith('`') ? ' ' : ''
  return `${fenceText}${pad}${plain}${pad}${fenceText}`
}

function fence(text: string, language: string): string {
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${marks}${language}\n${plainText(text)}\n${marks}`
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map((match) => match[0].length))
}
