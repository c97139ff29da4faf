import type { ConversationEntry } from '../../src/agent/record.ts'
import type { PermissionView, QueueEntry } from '../../src/agent/session.ts'
import type { CommandContext, ConversationInfo } from '../../src/commands/context.ts'
import type { Hub } from '../../src/hub/api.ts'

export interface SessionLiterals {
  readonly history?: readonly ConversationEntry[]
  readonly permissions?: readonly PermissionView[]
  readonly queue?: readonly string[]
  readonly conversations?: readonly ConversationInfo[]
  readonly models?: readonly string[]
  readonly folder?: string
}

/** A context over a hub whose session holds the given values, and which notes what was done to it. */
export function contextOver(hub: Hub, literals: SessionLiterals = {}): CommandContext & { readonly done: string[] } {
  const done: string[] = []
  let waiting: readonly QueueEntry[] = (literals.queue ?? []).map((text, index) => ({
    id: `q${index}`,
    text,
    input: { kind: 'line', text },
  }))
  let model: string | undefined
  const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
  return {
    done,
    hub,
    folder: literals.folder ?? import.meta.dirname,
    session: () => ({
      history: () => literals.history ?? [],
      permissions: () => literals.permissions ?? [],
      revoke: async (id) => void done.push(`revoke ${id}`),
      status: () => ({
        conversation: 'c1',
        title: undefined,
        model,
        contextTokens: 1000,
        usedTokens: 0,
        tools: undefined,
        total: usage,
        isBusy: false,
      }),
      queue: {
        entries: () => waiting,
        take: (id) => {
          const taken = waiting.find((entry) => entry.id === id)
          waiting = waiting.filter((entry) => entry.id !== id)
          return taken
        },
        replace: () => false,
        resume: () => void done.push('resume'),
      },
    }),
    conversations: {
      list: async (words) =>
        (literals.conversations ?? []).filter(({ title = '' }) => words === undefined || title.includes(words)),
      rename: async (id, title) => void done.push(`rename ${id} ${title}`),
      remove: async (id) => void done.push(`remove ${id}`),
      export: async (id, format) => `${id} as ${format}`,
    },
    models: {
      list: async () => (literals.models ?? []).map((id) => ({ id })),
      use: async (id) => {
        model = id
      },
    },
  }
}
