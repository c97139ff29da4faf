import { setTimeout as wait } from 'node:timers/promises'
import { CapstanError } from '../errors.ts'
import type { Hub } from '../hub/api.ts'
import { makeAsks } from './asks.ts'
import { howToSetModel } from './choose-model.ts'
import { compact } from './compact.ts'
import { titleOf, type Conversation } from './conversations.ts'
import type { Model } from './model.ts'
import type { Permissions } from './permissions.ts'
import type { ConversationEntry, Reply, UserMessage, Usage } from './record.ts'
import { makeQueue } from './session-queue.ts'
import type {
  Notice,
  PreparedMessage,
  PrepareLine,
  Session,
  SessionEvent,
  SessionInput,
  SessionStatus,
  TurnOutcome,
} from './session.ts'
import { closeOpenCalls, runTurn } from './turn.ts'
import type { Clock, TurnSettings, TurnWorld } from './turn-world.ts'

export interface SessionSetup extends Partial<TurnSettings> {
  readonly hub: Hub
  /** New, or one that is gone on with. */
  readonly conversation: Conversation
  readonly permissions: Permissions
  /** Absent: all works but the answers. */
  readonly model?: Model | undefined
  /** What becomes of a typed line; without it a line is a message. */
  readonly prepare?: PrepareLine
  readonly clock?: Clock
}

/** A session over a hub, a conversation and a model. Closing it stops the turn; hub and files are the caller's. */
export function openSession(setup: SessionSetup): Session {
  const { hub, conversation, permissions, prepare = asMessage, clock = realClock } = setup
  const { mayAsk = true, maxSteps = 100, inlinePercent = 10 } = setup
  const listeners = new Set<(event: SessionEvent) => void>()
  const said = new Set<string>()
  const asks = makeAsks(emit)
  const queue = makeQueue({ run: runInput, emit })
  let model = setup.model
  let tools: SessionStatus['tools']
  let total: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
  let usedTokens = tokensUsedIn(conversation.entries())
  let stopping = new AbortController()

  return {
    send: (input) => queue.send(input),
    abort: () => stopping.abort(),
    answer: (id, answer) => asks.answer(id, answer),
    queue: queue.operations,
    history: () => conversation.entries(),
    status,
    useModel(next) {
      model = next
      emit({ kind: 'changed', status: status() })
    },
    compact: () => queue.exclusively(() => inTurn(() => withModel((world) => compact(world)))),
    async rename(title) {
      await append({ kind: 'title', atMs: clock.now(), title })
      emit({ kind: 'changed', status: status() })
    },
    permissions: () => permissions.list(),
    revoke: (id) => permissions.revoke(id),
    on(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await queue.close()
      listeners.clear()
    },
  }

  async function runInput(input: SessionInput): Promise<TurnOutcome> {
    return await inTurn(() => runPrepared(input))
  }

  /** Expected failures are outcomes; a bug reaches whoever sent. */
  async function inTurn(work: () => Promise<TurnOutcome>): Promise<TurnOutcome> {
    stopping = new AbortController()
    emit({ kind: 'turn_started' })
    const outcome = await work().catch((error: unknown): TurnOutcome => {
      if (stopping.signal.aborted) return { kind: 'stopped' }
      if (error instanceof CapstanError) return { kind: 'failed', error: error.toJSON() }
      throw error
    })
    emit({ kind: 'turn_ended', outcome })
    return outcome
  }

  async function runPrepared(input: SessionInput): Promise<TurnOutcome> {
    const ready = input.kind === 'line' ? await prepare(input.text, { signal: stopping.signal }) : input
    if (stopping.signal.aborted) return { kind: 'stopped' }
    if (ready.kind === 'handled') return { kind: 'handled' }
    await closeOpenCalls(makeWorld())
    for (const message of ready.messages) await enter(message)
    return await withModel((world) =>
      runTurn(world, {
        onReply,
        onTools: (known) => {
          tools = known
          emit({ kind: 'changed', status: status() })
        },
      }),
    )
  }

  async function withModel(work: (world: TurnWorld) => Promise<TurnOutcome>): Promise<TurnOutcome> {
    if (model === undefined) {
      notice({ level: 'warning', code: 'no_model', text: 'No model is set, so nobody answers.', next: howToSetModel })
      return { kind: 'failed', error: { code: 'model_unknown', message: 'No model is set.', next: howToSetModel } }
    }
    const world = makeWorld()
    try {
      return await work(world)
    } finally {
      await closeOpenCalls(world)
    }
  }

  function makeWorld(): TurnWorld {
    return {
      hub,
      permissions,
      asks,
      clock,
      signal: stopping.signal,
      emit,
      notice,
      entries: () => conversation.entries(),
      append,
      model: () => model ?? unset(),
      switchToXml,
      settings: { mayAsk, maxSteps, inlinePercent },
    }
  }

  function switchToXml(): void {
    model = model?.withXmlTools()
    const text = 'The model takes no tools; it is taught to write its calls as XML.'
    notice({ level: 'info', code: 'xml_tools', text, next: 'To begin so, set tools = "xml" in [model].' })
  }

  async function enter(message: PreparedMessage): Promise<void> {
    const prompt = message.prompt === undefined ? {} : { prompt: message.prompt }
    const entry: UserMessage | Reply =
      message.role === 'user'
        ? { kind: 'user', atMs: clock.now(), parts: message.parts, ...prompt }
        : {
            kind: 'reply',
            atMs: clock.now(),
            parts: [{ kind: 'text', text: message.text }],
            end: 'complete',
            ...prompt,
          }
    await append(entry)
    emit({ kind: 'message', message: entry })
  }

  function onReply(reply: Reply): void {
    emit({ kind: 'message', message: reply })
    if (reply.usage === undefined) return
    const { inputTokens, outputTokens, cachedTokens } = reply.usage
    usedTokens = inputTokens + outputTokens
    total = {
      inputTokens: total.inputTokens + inputTokens,
      outputTokens: total.outputTokens + outputTokens,
      cachedTokens: total.cachedTokens + cachedTokens,
    }
    emit({ kind: 'usage', step: reply.usage, total })
    if (model !== undefined && usedTokens > 0.8 * model.contextTokens) {
      const text = 'The conversation fills most of what the model can take.'
      notice({ level: 'info', code: 'context_filling', text, next: 'Shorten it with /compact.' })
    }
  }

  /** A full disk must not end a conversation: it goes on in memory, and the person knows. */
  async function append(entry: ConversationEntry): Promise<void> {
    try {
      await conversation.append(entry)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      notice({ level: 'error', code: 'not_saved', text: `The conversation could not be saved: ${reason}` })
    }
  }

  /** The same news is told once. Retries are news each time. */
  function notice(news: Notice): void {
    const key = `${news.code}\n${news.text}`
    if (news.code !== 'retrying' && said.has(key) && news.level !== 'error') return
    said.add(key)
    emit({ kind: 'notice', notice: news })
  }

  function emit(event: SessionEvent): void {
    for (const listener of listeners) listener(event)
  }

  function status(): SessionStatus {
    return {
      conversation: conversation.id,
      title: titleOf(conversation.entries()),
      model: model?.id,
      contextTokens: model?.contextTokens ?? 0,
      usedTokens,
      tools,
      total,
      isBusy: queue.isBusy(),
    }
  }
}

/** What the last step of a conversation used; nobody knows before the first, or the first after a summary. */
function tokensUsedIn(entries: readonly ConversationEntry[]): number {
  const last = entries.findLast(
    (entry) => entry.kind === 'summary' || (entry.kind === 'reply' && entry.usage !== undefined),
  )
  return last?.kind === 'reply' && last.usage !== undefined ? last.usage.inputTokens + last.usage.outputTokens : 0
}

const asMessage: PrepareLine = (text) =>
  Promise.resolve({ kind: 'messages', messages: [{ role: 'user', parts: [{ kind: 'text', text }] }] })

const realClock: Clock = {
  now: Date.now,
  // Whoever waits looks at the signal afterwards.
  sleep: (ms, signal) => wait(ms, undefined, { signal }).catch(() => undefined),
}

function unset(): never {
  throw new Error('a turn began without a model')
}
