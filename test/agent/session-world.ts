import { openConversations, type ConversationStore } from '../../src/agent/conversations.ts'
import type { Model } from '../../src/agent/model.ts'
import { openPermissions } from '../../src/agent/permissions.ts'
import { openSession, type SessionSetup } from '../../src/agent/open-session.ts'
import type { Session, SessionAnswer, SessionAsk, SessionEvent } from '../../src/agent/session.ts'
import { inlineConfig } from '../../src/config/load.ts'
import { startModelServer, type Dialect, type ModelServer, type Scripted } from '../fixtures/model-server.ts'
import { fixture } from '../fixtures/fixture.ts'
import { openTestHub, type Servers, type TestHub } from '../hub/makers.ts'
import { modelAt } from './model-at.ts'

export interface SessionWorld extends AsyncDisposable {
  readonly hub: TestHub
  readonly server: ModelServer
  readonly store: ConversationStore
  readonly model: Model
  readonly session: Session
  readonly events: readonly SessionEvent[]
  /** The pauses that were made between tries, in ms; nobody waits for them. */
  readonly pauses: readonly number[]
  /** Resolves with the first event, from now or before, that fits. */
  readonly seen: <Kind extends SessionEvent['kind']>(
    kind: Kind,
    fits?: (event: Extract<SessionEvent, { kind: Kind }>) => boolean,
  ) => Promise<Extract<SessionEvent, { kind: Kind }>>
  /** Another session over the same hub, files and model, as after a restart. */
  readonly again: (setup?: Partial<SessionSetup>, answers?: Answering) => Promise<Session>
}

/** What the person at the screen says. */
export type Answering = (ask: SessionAsk) => SessionAnswer | undefined

export interface WorldOptions {
  readonly dialect?: Dialect
  readonly script?: readonly Scripted[]
  readonly servers?: Servers
  readonly answers?: Answering
  readonly only?: readonly string[]
  readonly model?: Parameters<typeof modelAt>[2]
  readonly setup?: Partial<SessionSetup>
  readonly hub?: Parameters<typeof openTestHub>[1]
}

export const always =
  (choice: 'once' | 'session' | 'always-tool' | 'always-server'): Answering =>
  (ask) =>
    ask.kind === 'permission' ? { kind: 'permission', choice } : undefined

/** A session with real servers behind a real hub, files in a real folder, and a scripted provider on loopback. */
export async function sessionWorld(options: WorldOptions = {}): Promise<SessionWorld> {
  const { dialect = 'chat', servers = { echo: fixture('echo') } } = options
  const server = await startModelServer({ dialect, script: options.script ?? [] })
  const hub = await openTestHub(servers, options.hub)
  const config = inlineConfig(servers, { env: { HOME: hub.home }, cwd: hub.home })
  const store = openConversations({ stateFolder: hub.home })
  const model = modelAt(dialect, server.url, options.model)
  const events: SessionEvent[] = []
  const pauses: number[] = []
  const lookers = new Set<() => void>()
  const sessions: Session[] = []
  const session = await again(options.setup, options.answers)
  return {
    hub,
    server,
    store,
    model,
    session,
    events,
    pauses,
    again,
    seen: (kind, fits = () => true) =>
      new Promise((resolve) => {
        type Wanted = Extract<SessionEvent, { kind: typeof kind }>
        const look = (): void => {
          const found = events.find((event): event is Wanted => event.kind === kind && fits(event as Wanted))
          if (found === undefined) return
          lookers.delete(look)
          resolve(found)
        }
        lookers.add(look)
        look()
      }),
    async [Symbol.asyncDispose]() {
      for (const opened of sessions) await opened[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }

  async function again(setup: Partial<SessionSetup> = {}, answers: Answering = () => undefined): Promise<Session> {
    const permissions = await openPermissions({
      stateFolder: hub.home,
      project: '/project',
      config,
      only: options.only,
    })
    const opened = openSession({
      hub,
      permissions,
      model,
      conversation: store.create('/project'),
      clock: { now: Date.now, sleep: (ms) => Promise.resolve(void pauses.push(ms)) },
      ...setup,
    })
    opened.on((event) => {
      events.push(event)
      for (const look of lookers) look()
      const answer = event.kind === 'ask' ? answers(event.ask) : undefined
      if (event.kind === 'ask' && answer !== undefined) opened.answer(event.ask.id, answer)
    })
    sessions.push(opened)
    return opened
  }
}

export const line = (text: string) => ({ kind: 'line', text }) as const

/** A call in a script. */
export function calling(name: string, args: object = {}, id = 'c1') {
  return { id, name, json: JSON.stringify(args) }
}
