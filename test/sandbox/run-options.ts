import { nearest } from '../../src/hub/catalogue/nearest.ts'
import type { ToolResult } from '../../src/hub/api.ts'
import type { RunOptions } from '../../src/sandbox/api.ts'

/** What a run needs, over a small world of tools: `test.echo` gives its arguments back, all others their names. */
export function runOptions(overrides: Partial<RunOptions> = {}): RunOptions {
  return {
    tools: { test: ['echo', 'fails', 'waits'], 'odd-name': ['with.dot', 'with-dash'] },
    call: async (tool, args) => (tool.tool === 'echo' ? structured(args) : text(`${tool.server}.${tool.tool}`)),
    search: async (query, filter) => [query, filter],
    inspect: async (name) => ({ name }),
    nearest,
    ...overrides,
  }
}

export function text(content: string): ToolResult {
  return { content: [{ type: 'text', text: content }] }
}

export function structured(value: unknown): ToolResult {
  return { content: [], structuredContent: value }
}
