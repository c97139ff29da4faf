import type { JsonSchema, PromptEntry, ToolEntry } from '../../hub/api.ts'
import { schemaType } from '../../hub/catalogue/schema-type.ts'
import { signature } from '../../hub/catalogue/signature.ts'
import { plainLine, plainText } from '../../policy/plain-text.ts'
import { describeAnnotations } from './annotations.ts'
import { argumentRows, type ArgumentRow } from './arguments.ts'
import { exampleCall, examplePrompt } from './example.ts'
import { count, formatMs } from './numbers.ts'
import { describeState, problemOf, type ServerGroup } from './server-group.ts'
import type { Style } from './style.ts'
import { paragraph, renderTable } from './table.ts'
import { toolsTokens, toolTokens } from '../../hub/catalogue/tokens.ts'
import { displayWidth, truncate } from './width.ts'

export interface Look {
  readonly columns: number
  readonly style: Style
  /** Flags that an example needs to find the same servers. */
  readonly flags?: readonly string[]
}

/** Everything a person wants to know before calling a tool. */
export function renderTool(tool: ToolEntry, look: Look): string {
  const claims = describeAnnotations(tool.annotations)
  return [
    title(tool.id, tool.title, look),
    described(tool.description, look),
    section('Arguments', argumentTable(argumentRows(tool.inputSchema), look), look),
    section('Signature', paragraph(plainLine(signature(tool)), { ...look, indent: 2 }), look),
    ...(tool.outputSchema === undefined ? [] : [section('Output', outputTable(tool.outputSchema, look), look)]),
    ...(claims.length === 0
      ? []
      : [
          section('The server says it', claims.map((claim) => paragraph(claim, { ...look, indent: 2 })).join(''), look),
        ]),
    section('Example', `  ${plainLine(withFlags(exampleCall(tool), look))}\n`, look),
    look.style.faint(`Costs a model about ${count(toolTokens(tool), 'token')}.`) + '\n',
  ].join('\n')
}

export function renderPrompt(prompt: PromptEntry, look: Look): string {
  const rows = (prompt.arguments ?? []).map((argument) => ({
    name: argument.name,
    type: 'string',
    isRequired: argument.required === true,
    defaultValue: '',
    description: argument.description ?? '',
  }))
  return [
    title(prompt.id, prompt.title, look),
    described(prompt.description, look),
    section('Arguments', argumentTable(rows, look), look),
    section('Example', `  ${plainLine(withFlags(examplePrompt(prompt), look))}\n`, look),
  ].join('\n')
}

function withFlags(command: string, { flags = [] }: Look): string {
  return [command, ...flags].join(' ')
}

export function renderServer(group: ServerGroup, look: Look): string {
  const { name, description, state } = group.status
  const problem = problemOf(group)
  const instructions = state.kind === 'ready' ? state.instructions : undefined
  return [
    title(name, undefined, look),
    ...(description === undefined ? [] : [described(description, look)]),
    renderTable(
      serverFacts(group).map(([label, value]) => [{ text: label, paint: look.style.faint }, plainLine(value)]),
      { ...look, indent: 2 },
    ),
    ...(problem === undefined
      ? []
      : [section('Problem', paragraph(problemText(problem), { ...look, indent: 2 }), look)]),
    ...(instructions === undefined
      ? []
      : [section('Instructions', paragraph(plainText(instructions).trimEnd(), { ...look, indent: 2 }), look)]),
    look.style.faint(`Its tools: capstan list ${name}`) + '\n',
  ].join('\n')
}

function problemText(problem: { readonly message: string; readonly next?: string }): string {
  return plainText([problem.message, problem.next ?? ''].join(' ').trim())
}

function serverFacts(group: ServerGroup): readonly (readonly [string, string])[] {
  const { state } = group.status
  if (state.kind !== 'ready') return [['state', describeState(state)]]
  const { implementation } = state
  return [
    ['state', `ready, connected in ${formatMs(state.connectMs)}`],
    ['era', `${state.era}, protocol ${state.protocolVersion}`],
    ['transport', state.pid === undefined ? state.transport : `${state.transport}, process ${state.pid}`],
    ...(implementation === undefined ? [] : [['program', `${implementation.name} ${implementation.version}`] as const]),
    [
      'offers',
      [
        count(group.tools.length, 'tool'),
        count(group.prompts.length, 'prompt'),
        count(group.resources.length, 'resource'),
        count(group.templates.length, 'template'),
      ].join(', '),
    ],
    ['cost', `about ${count(toolsTokens(group.tools), 'token')} for all tools`],
  ]
}

function title(name: string, long: string | undefined, { columns, style }: Look): string {
  const plain = plainLine(name)
  const extra = truncate(plainLine(long ?? ''), columns - displayWidth(plain) - 2)
  return `${style.heading(plain)}${extra === '' ? '' : `  ${style.faint(extra)}`}\n`
}

function described(description: string | undefined, look: Look): string {
  const text = plainText(description ?? '').trim()
  return text === '' ? look.style.faint('No description.') + '\n' : paragraph(text, look)
}

function section(name: string, body: string, { style }: Look): string {
  return `${style.heading(name)}\n${body}`
}

function argumentTable(rows: readonly ArgumentRow[], look: Look): string {
  if (rows.length === 0) return '  none\n'
  const { style } = look
  return renderTable(
    rows.map((row) => [
      { text: plainLine(row.name), paint: style.name },
      plainLine(row.type),
      row.isRequired ? 'required' : { text: 'optional', paint: style.faint },
      plainLine([row.defaultValue === '' ? '' : `default ${row.defaultValue}.`, row.description].join(' ')),
    ]),
    { ...look, indent: 2 },
  )
}

function outputTable(schema: JsonSchema, look: Look): string {
  const rows = argumentRows(schema)
  if (rows.length === 0) return paragraph(plainLine(schemaType(schema)), { ...look, indent: 2 })
  return renderTable(
    rows.map((row) => [
      { text: plainLine(row.name), paint: look.style.name },
      plainLine(row.type),
      plainLine(row.description),
    ]),
    { ...look, indent: 2 },
  )
}
