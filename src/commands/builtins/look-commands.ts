import type { Coverage, ToolEntry } from '../../hub/api.ts'
import { firstSentence } from '../../hub/catalogue/first-sentence.ts'
import { toolsNamed } from '../../hub/catalogue/names.ts'
import { signature } from '../../hub/catalogue/signature.ts'
import { rank } from '../fuzzy.ts'
import { valueOf, type Command, type RunOptions } from '../command.ts'
import { notice, printed, text, type Block } from '../outcome.ts'
import { writeName } from '../print-line.ts'
import type { Workings } from '../workings.ts'
import { argument, completeFrom, takes } from './arguments.ts'
import { usageOf } from './help-command.ts'

/** `/tools [words]` and `/prompts [words]`. */
export function lookCommands(workings: Workings): readonly Command[] {
  return [toolsCommand(workings), promptsCommand(workings)]
}

function toolsCommand({ context: { hub }, catalogue }: Workings): Command {
  const known = () => catalogue.current().tools.map((tool) => ({ value: tool.id, detail: aboutTool(tool) }))
  return {
    key: 'builtin:tools',
    kind: 'builtin',
    name: 'tools',
    summary: 'List the tools, search them, or show one',
    declare: () =>
      takes(argument('words', { description: 'A name, or words to search for', complete: completeFrom(known) })),
    run: async (input, options) => {
      const words = valueOf(input, 'words')
      const { tools, servers } = catalogue.current()
      if (words === undefined) return printed(...listing(['Tool', 'Does'], tools.map(toolRow), servers))
      const [exact, ...more] = toolsNamed(catalogue.current(), words)
      if (exact !== undefined && more.length === 0) return printed(...aboutOne(exact))
      const hits = await hub.search(words, waiting(options))
      if (hits.length === 0) return printed(notice(`No tool fits "${words}".`))
      return printed({ kind: 'table', columns: ['Tool', 'Does'], rows: hits.map(({ tool }) => toolRow(tool)) })
    },
  }
}

function promptsCommand({ catalogue, commands }: Workings): Command {
  const prompts = () => commands().filter(({ kind }) => kind === 'prompt')
  const known = () => prompts().map(({ name, summary }) => ({ value: name, detail: summary }))
  return {
    key: 'builtin:prompts',
    kind: 'builtin',
    name: 'prompts',
    summary: 'List the prompts, or those that fit some words',
    declare: () => takes(argument('words', { description: 'A part of a name', complete: completeFrom(known) })),
    run: async (input) => {
      const words = valueOf(input, 'words') ?? ''
      const fitting = rank(prompts(), words, ({ name }) => name).map(({ item }) => item)
      if (words !== '' && fitting.length === 0) return printed(notice(`No prompt fits "${words}".`))
      const rows = fitting.map((prompt) => [usageOf(prompt), prompt.summary])
      return printed(...listing(['Prompt', 'About'], rows, catalogue.current().servers))
    },
  }
}

function listing(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  servers: readonly Coverage[],
): readonly Block[] {
  const stale = servers.flatMap((coverage) => (coverage.kind === 'stale' ? [coverage.server] : []))
  const old: readonly Block[] =
    stale.length === 0 ? [] : [notice(`From before a failed refresh: ${stale.join(', ')}.`, 'warning')]
  if (rows.length === 0) return [notice('There are none yet. Type /servers to see how your servers stand.'), ...old]
  return [{ kind: 'table', columns, rows }, ...old]
}

function toolRow(tool: ToolEntry): readonly string[] {
  return [tool.id, aboutTool(tool)]
}

function aboutTool({ description, title }: ToolEntry): string {
  return firstSentence(description ?? title)
}

function aboutOne(tool: ToolEntry): readonly Block[] {
  const about: readonly Block[] = tool.description === undefined ? [] : [{ kind: 'markdown', text: tool.description }]
  return [text(signature(tool)), ...about, text(`Run it: ${writeName('call')} ${tool.id}`)]
}

/** The signal alone, where it is there. */
export function waiting({ signal }: RunOptions): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}
