import type { JsonObject } from '../hub/values.ts'
import type { StepPart } from './model.ts'
import type { Reply, ReplyEnd, ReplyPart, Usage } from './record.ts'

/** Puts a reply together while it streams. */
export interface ReplyCollector {
  add(part: StepPart): void
  /** The id that a call has with us: models give the same one twice, and results must find their call. */
  idOf(callId: string): string
  /** The reply so far. One that was not finished holds no calls: nobody knows whether they were whole. */
  reply(end: ReplyEnd, usage?: Usage): Reply
  isEmpty(): boolean
}

export interface CollectOptions {
  readonly model: string
  readonly now: () => number
  /** Ids that earlier calls of this conversation have. */
  readonly usedIds: ReadonlySet<string>
}

export function collectReply({ model, now, usedIds }: CollectOptions): ReplyCollector {
  const parts: ReplyPart[] = []
  const ids = new Map<string, string>()
  let open: { readonly kind: 'text' | 'thinking'; text: string; metadata: JsonObject } | undefined

  return {
    idOf,
    add(part) {
      if (part.kind === 'text' || part.kind === 'thinking') {
        if (open?.kind !== part.kind) close()
        open ??= { kind: part.kind, text: '', metadata: {} }
        open.text += part.text
        if (part.kind === 'thinking') open.metadata = { ...open.metadata, ...part.metadata }
      } else if (part.kind === 'part_end') {
        if (open !== undefined) open.metadata = { ...open.metadata, ...part.metadata }
        close()
      } else if (part.kind === 'call') {
        close()
        const { kind, name, input, metadata } = part
        parts.push({ kind, callId: idOf(part.callId), name, input, ...(metadata === undefined ? {} : { metadata }) })
      }
    },
    reply(end, usage) {
      close()
      const isWhole = end !== 'cut' && end !== 'stopped'
      const kept = isWhole ? parts : parts.filter(({ kind }) => kind === 'text')
      return { kind: 'reply', atMs: now(), parts: kept, end, model, ...(usage === undefined ? {} : { usage }) }
    },
    isEmpty: () => {
      const isSaid = open?.kind === 'text' && open.text.trim() !== ''
      return !isSaid && !parts.some((part) => part.kind === 'call' || (part.kind === 'text' && part.text.trim() !== ''))
    },
  }

  function close(): void {
    if (open !== undefined && (open.text !== '' || Object.keys(open.metadata).length > 0)) {
      const metadata = Object.keys(open.metadata).length > 0 ? { metadata: open.metadata } : {}
      parts.push({ kind: open.kind, text: open.text, ...metadata })
    }
    open = undefined
  }

  function idOf(callId: string): string {
    const known = ids.get(callId)
    if (known !== undefined) return known
    let unique = callId
    for (let count = 2; usedIds.has(unique); count += 1) unique = `${callId}-${count}`
    ids.set(callId, unique)
    return unique
  }
}
