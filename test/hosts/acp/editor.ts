import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type {
  ClientCapabilities,
  ContentBlock,
  McpServer,
  NewSessionResponse,
  PromptResponse,
  SessionNotification,
  SessionUpdate,
} from '@agentclientprotocol/sdk'
import { bin, world, type World } from '../../e2e/cli.ts'
import { startModelServer, type ModelServer, type Scripted } from '../../fixtures/model-server.ts'

/** An answer of the agent that is an error. */
class Refusal extends Error {
  readonly code: number
  readonly data: unknown
  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** What the agent asks of the editor. */
export interface Asked {
  readonly method: string
  readonly params: { readonly [field: string]: unknown }
}

export type Answering = (asked: Asked) => unknown

/** A client of the protocol that is no more than lines of JSON: nothing between a test and the agent is forgiving. */
export interface TestEditor extends AsyncDisposable {
  readonly request: (method: string, params: object) => Promise<unknown>
  readonly notify: (method: string, params: object) => void
  /** Any text at all. */
  readonly write: (text: string) => void
  readonly hangUp: () => void
  /** Every line that came. */
  readonly lines: readonly string[]
  readonly updates: readonly SessionUpdate[]
  readonly asked: readonly Asked[]
  /** Resolves with the first line, from now or before, that fits. */
  readonly seen: (fits: (message: Message) => boolean) => Promise<Message>
  readonly stderr: () => string
  readonly ended: Promise<number | null>
  readonly pid: number
}

export interface Message {
  readonly id?: number | string | null
  readonly method?: string
  readonly params?: { readonly [field: string]: unknown }
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface EditorOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly answers?: Answering
  readonly cwd?: string
}

export function startEditor(home: World, { env = {}, args = [], answers, cwd }: EditorOptions = {}): TestEditor {
  const child = spawn(process.execPath, [bin, 'acp', ...args], {
    cwd: cwd ?? home.cwd,
    env: { PATH: process.env['PATH'], HOME: home.home, CAPSTAN_DAEMON: 'off', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const updates: SessionUpdate[] = []
  const asked: Asked[] = []
  const errors: Buffer[] = []
  const messages: Message[] = []
  const lookers = new Set<() => void>()
  const waiting = new Map<number, (message: Message) => void>()
  let count = 0
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  // Who writes to an agent that has ended is told by its end.
  child.stdin.on('error', () => undefined)
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    hear(JSON.parse(line) as Message)
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

  return {
    async request(method, params) {
      const id = ++count
      const answer = new Promise<Message>((resolve) => waiting.set(id, resolve))
      send({ id, method, params })
      const { error, result } = await Promise.race([answer, ended.then(() => gone(errors))])
      if (error !== undefined) throw new Refusal(error)
      return result
    },
    notify: (method, params) => send({ method, params }),
    write: (text) => void child.stdin.write(text),
    hangUp: () => void child.stdin.end(),
    lines,
    updates,
    asked,
    seen: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = messages.find(fits)
          if (found === undefined) return
          lookers.delete(look)
          resolve(found)
        }
        lookers.add(look)
        look()
      }),
    stderr: () => Buffer.concat(errors).toString(),
    ended,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }

  function hear(message: Message): void {
    messages.push(message)
    const { id, method, params = {} } = message
    if (method === undefined) waiting.get(Number(id))?.(message)
    else if (id === undefined && method === 'session/update') {
      updates.push((params as SessionNotification).update)
    } else if (id !== undefined) {
      asked.push({ method, params })
      const result = answers?.({ method, params })
      if (result === refused) send({ id, error: { code: -32601, message: 'not here' } })
      else if (result !== undefined) send({ id, result })
    }
    for (const look of lookers) look()
  }
}

/** An answer: the editor does not know what it is asked. */
export const refused = Symbol('refused')

function gone(errors: readonly Buffer[]): never {
  throw new Error(`the agent ended: ${Buffer.concat(errors).toString()}`)
}

export interface Setting extends EditorOptions {
  readonly script?: readonly Scripted[]
  /** The person's own servers. */
  readonly servers?: Readonly<Record<string, object>>
  readonly files?: Readonly<Record<string, unknown>>
  /** No model is set. */
  readonly isMute?: boolean
}

export interface EditorWorld extends AsyncDisposable {
  readonly home: World
  readonly model: ModelServer
  readonly editor: TestEditor
  /** Another editor in the same home, greeted already. */
  readonly again: (options?: EditorOptions & { readonly can?: ClientCapabilities }) => Promise<TestEditor>
}

/** The built agent in a fresh home, with a scripted model on loopback, greeted by an editor that can do what is said. */
export async function editorWorld(setting: Setting & { readonly can?: ClientCapabilities } = {}): Promise<EditorWorld> {
  const { script = [], servers = {}, files = {}, isMute = false, can, ...options } = setting
  const home = await world()
  const model = await startModelServer({ dialect: 'chat', script })
  const table = `[model]\nname = "scripted"\nurl = "${model.url}"\n`
  await home.write({
    '~/.config/capstan/mcp.json': { mcpServers: servers },
    ...(isMute ? {} : { '~/.config/capstan/config.toml': table }),
    ...files,
  })
  const editors: TestEditor[] = []
  const again: EditorWorld['again'] = async ({ can: other = {}, ...more } = {}) => {
    const editor = startEditor(home, more)
    editors.push(editor)
    await editor.request('initialize', { protocolVersion: 1, clientCapabilities: other })
    return editor
  }
  const editor = await again({ ...options, ...(can === undefined ? {} : { can }) })
  return {
    home,
    model,
    editor,
    again,
    async [Symbol.asyncDispose]() {
      for (const opened of editors) await opened[Symbol.asyncDispose]()
      await model[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

export async function newSession(
  { editor, home }: Pick<EditorWorld, 'editor' | 'home'>,
  mcpServers: readonly McpServer[] = [],
): Promise<NewSessionResponse> {
  return (await editor.request('session/new', { cwd: home.cwd, mcpServers })) as NewSessionResponse
}

/** Opens a session where none is named, and sends one prompt. */
export async function prompt(
  editor: TestEditor,
  sessionId: string,
  content: string | readonly ContentBlock[],
): Promise<PromptResponse['stopReason']> {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return ((await editor.request('session/prompt', { sessionId, prompt: blocks })) as PromptResponse).stopReason
}

/** All text of one kind, put together. */
export function textOf(
  updates: readonly SessionUpdate[],
  kind: SessionUpdate['sessionUpdate'] = 'agent_message_chunk',
) {
  const chunks = updates.flatMap((update) => {
    if (update.sessionUpdate !== kind || !('content' in update)) return []
    const { content } = update
    return content !== null && content !== undefined && !Array.isArray(content) && content.type === 'text'
      ? [content.text]
      : []
  })
  return chunks.join('')
}

export function updatesOf<Kind extends SessionUpdate['sessionUpdate']>(updates: readonly SessionUpdate[], kind: Kind) {
  return updates.filter(
    (update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> => update.sessionUpdate === kind,
  )
}

/** Chooses this for every question whether a call may run. */
export const choosing =
  (optionId: string): Answering =>
  ({ method }) =>
    method === 'session/request_permission' ? { outcome: { outcome: 'selected', optionId } } : undefined

export const call = (name: string, args: object = {}, id = 'c1') => ({ id, name, json: JSON.stringify(args) })
