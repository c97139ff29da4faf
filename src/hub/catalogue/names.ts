import { CapstanError } from '../../errors.ts'
import type { Catalogue, LeftOutTool, PromptEntry, ServerStatus, ToolEntry, ToolRef } from '../api.ts'
import { nearest } from './nearest.ts'

const maxModelName = 64

/**
 * The names models see, by tool. A name that had to be changed carries a hash of the real one, always, so that it does not
 * depend on which other tools happen to be there.
 */
export function modelNames(tools: readonly ToolRef[]): ReadonlyMap<ToolRef, string> {
  const plain = new Map(tools.map((tool) => [tool, plainModelName(tool)]))
  const uses = new Map<string, number>()
  for (const name of plain.values()) uses.set(name, (uses.get(name) ?? 0) + 1)
  return new Map(
    [...plain].map(([tool, name]) => {
      const isTaken = (uses.get(name) ?? 0) > 1
      return [tool, isTaken ? withHash(name, tool) : name]
    }),
  )
}

/** The name by itself, where no other tool is looked at. */
export function plainModelName(tool: ToolRef): string {
  const raw = `${tool.server}__${tool.tool}`
  const safe = raw.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  return safe === raw && raw.length <= maxModelName ? raw : withHash(safe, tool)
}

function withHash(name: string, tool: ToolRef): string {
  // Loaded only for such names: it takes longer than all the rest of a warm call's client.
  const { hash } = process.getBuiltinModule('node:crypto')
  const suffix = `_${hash('sha256', `${tool.server}\n${tool.tool}`).slice(0, 8)}`
  return name.slice(0, maxModelName - suffix.length) + suffix
}

/** Which of the configured servers a typed name may belong to; none when it is a bare name. Names are looked up, never split. */
export function serversNamedIn(text: string, servers: readonly string[]): readonly string[] {
  const typed = withoutMcp(text.replace(/^\//, ''))
  return servers.filter((server) => ['.', '/', ':', '__'].some((separator) => typed.startsWith(server + separator)))
}

/** The tool a person means by `server.tool`, `mcp.server.tool`, `server/tool`, the model's name, or a bare name when unique. */
export function findTool(catalogue: Catalogue, text: string): ToolEntry {
  const found = toolsNamed(catalogue, text)
  return pick({ kind: 'tool', text, found, all: catalogue.tools, note: silentServers(catalogue) })
}

/** The tools that a typed name fits: one when it is right, several when a bare name is not unique. */
export function toolsNamed({ tools }: Catalogue, text: string): readonly ToolEntry[] {
  const typed = withoutMcp(text)
  const exact = tools.filter((tool) => [tool.id, `${tool.server}/${tool.tool}`, tool.modelName].includes(typed))
  return exact.length > 0 ? exact : tools.filter((tool) => tool.tool === text)
}

/** The tool that a person means, where it is known to be left out. */
export function findLeftOut(statuses: readonly ServerStatus[], text: string): LeftOutTool | undefined {
  const typed = withoutMcp(text)
  const all = statuses.flatMap(({ name, leftOut = [] }) => leftOut.map((tool) => ({ name, tool })))
  const isMeant = (name: string, tool: string) => ['.', '/', '__'].some((between) => typed === name + between + tool)
  return all.find(({ name, tool }) => isMeant(name, tool.tool) || tool.tool === text)?.tool
}

/** The prompt a person means by `server:prompt`, `server.prompt`, `server/prompt`, or a bare name when unique. */
export function findPrompt(catalogue: Catalogue, text: string): PromptEntry {
  const typed = withoutMcp(text.replace(/^\//, ''))
  const exact = catalogue.prompts.filter((prompt) =>
    [':', '.', '/'].some((separator) => typed === prompt.server + separator + prompt.prompt),
  )
  return pick({
    kind: 'prompt',
    text,
    found: exact.length > 0 ? exact : catalogue.prompts.filter((prompt) => prompt.prompt === typed),
    all: catalogue.prompts,
    note: silentServers(catalogue),
  })
}

function withoutMcp(text: string): string {
  return text.startsWith('mcp.') ? text.slice('mcp.'.length) : text
}

interface Candidates<Entry> {
  readonly kind: 'tool' | 'prompt'
  readonly text: string
  readonly found: readonly Entry[]
  readonly all: readonly Entry[]
  readonly note: string
}

function pick<Entry extends { readonly id: string }>({ kind, text, found, all, note }: Candidates<Entry>): Entry {
  if (found.length === 1 && found[0] !== undefined) return found[0]
  const code = kind === 'tool' ? 'tool_unknown' : 'prompt_unknown'
  if (found.length > 1) {
    throw new CapstanError(
      code,
      `Several ${kind}s are called "${text}": ${found.map((entry) => entry.id).join(', ')}.`,
      {
        next: 'Write the full name.',
      },
    )
  }
  const ids = all.map((entry) => entry.id)
  throw new CapstanError(code, `No ${kind} "${text}".${closest(text, ids)}${note}`, {
    next: kind === 'tool' ? 'Run: capstan list' : 'Run: capstan list --prompts',
  })
}

/** " Closest: a, b." or nothing. */
export function closest(text: string, names: readonly string[]): string {
  const near = nearest(text, names)
  return near.length === 0 ? '' : ` Closest: ${near.join(', ')}.`
}

/** " These servers did not answer: a, b." or nothing: what a catalogue lacks may be theirs. */
export function silentServers(catalogue: Catalogue): string {
  const silent = catalogue.servers.flatMap((coverage) => (coverage.kind === 'missing' ? [coverage.server] : []))
  return silent.length === 0 ? '' : ` These servers did not answer: ${silent.join(', ')}.`
}
