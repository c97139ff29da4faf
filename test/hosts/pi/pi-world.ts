import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { world, type Outcome, type World } from '../../e2e/cli.ts'
import { startModelServer, type ModelServer, type Scripted } from '../../fixtures/model-server.ts'
import { watch, type Eye } from '../../terminal/eye.ts'
import { pi0, programOf } from './install-pi.ts'

/** The package as people install it: pi finds the extension through its package.json. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

export interface PiWorld extends World {
  readonly model: ModelServer
  /** Runs pi to its end. */
  readonly pi: (args: readonly string[], options?: PiOptions) => Promise<Outcome>
  /** Starts pi in its RPC mode. */
  readonly rpc: (args?: readonly string[], options?: PiOptions) => Rpc
  /** Starts pi on a terminal. */
  readonly terminal: (args?: readonly string[]) => Eye
  /** What the model was told before the conversation, in the nth request from 0. */
  readonly systemPrompt: (request: number) => string
  /** The last message of the nth request. */
  readonly lastMessage: (request: number) => { readonly role?: string; readonly content?: unknown }
  readonly toolNames: (request: number) => readonly string[]
}

export interface PiOptions {
  readonly env?: Readonly<Record<string, string>>
  /** False: pi loads only what is installed. */
  readonly extension?: boolean
  /** The folder of the pi to run, where it is not the usual one. */
  readonly version?: string
  /** A command of pi's own, such as `install`, takes no model. */
  readonly isBare?: boolean
}

export type RpcMessage = Readonly<Record<string, unknown>>

export interface Rpc extends AsyncDisposable {
  readonly send: (message: RpcMessage) => void
  /** The first message, so far or to come, that fits all these fields. */
  readonly next: (fields: RpcMessage) => Promise<RpcMessage>
  readonly seen: readonly RpcMessage[]
  readonly child: ChildProcessWithoutNullStreams
}

/** A fresh home and project, a scripted model on loopback, and the real pi with the extension. */
export async function piWorld(script: readonly Scripted[] = []): Promise<PiWorld> {
  const base = await world()
  const model = await startModelServer({ dialect: 'chat', script })
  const models = [{ id: 'scripted' }]
  const scripted = { baseUrl: model.url, api: 'openai-completions', apiKey: 'none', models }
  await base.write({ '~/.pi/agent/models.json': { providers: { scripted } } })
  const start = (args: readonly string[], { env, extension = true, isBare = false, version = pi0 }: PiOptions = {}) =>
    spawn(process.execPath, [programOf(version), ...(isBare ? [] : [...loading(extension), ...choosing]), ...args], {
      cwd: base.cwd,
      env: { PATH: process.env['PATH'], HOME: base.home, PI_OFFLINE: '1', CAPSTAN_DAEMON: 'off', ...env },
    })
  return {
    ...base,
    model,
    async pi(args, options) {
      const child = start(args, options)
      child.stdin.end()
      const chunks: { readonly out: string[]; readonly err: string[] } = { out: [], err: [] }
      child.stdout.on('data', (chunk: Buffer) => chunks.out.push(chunk.toString()))
      child.stderr.on('data', (chunk: Buffer) => chunks.err.push(chunk.toString()))
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, stdout: chunks.out.join(''), stderr: chunks.err.join('') }
    },
    rpc: (args = [], options) => talk(start(['--mode', 'rpc', '--no-session', ...args], options)),
    terminal: (args = []) =>
      watch({
        command: [process.execPath, programOf(pi0), ...loading(true), ...choosing, '--no-session', ...args],
        cwd: base.cwd,
        env: { PATH: process.env['PATH'] ?? '', HOME: base.home, PI_OFFLINE: '1', CAPSTAN_DAEMON: 'off' },
        columns: 100,
        rows: 40,
      }),
    systemPrompt: (request) => JSON.stringify(messagesOf(model, request).filter(({ role }) => role === 'system')),
    lastMessage: (request) => messagesOf(model, request).at(-1) ?? {},
    toolNames: (request) => {
      const tools = (model.requests[request]?.body['tools'] ?? []) as readonly { function: { name: string } }[]
      return tools.map((tool) => tool.function.name)
    },
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]()
      await base[Symbol.asyncDispose]()
    },
  }
}

const choosing = ['--provider', 'scripted', '--model', 'scripted']

function loading(extension: boolean): readonly string[] {
  return extension ? ['-e', root] : []
}

interface ModelMessage {
  readonly role: string
  readonly content: unknown
}

function messagesOf(model: ModelServer, request: number): readonly ModelMessage[] {
  return (model.requests[request]?.body['messages'] ?? []) as readonly ModelMessage[]
}

function talk(child: ChildProcessWithoutNullStreams): Rpc {
  const seen: RpcMessage[] = []
  const looks = new Set<() => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    seen.push(JSON.parse(line) as RpcMessage)
    for (const look of looks) look()
  })
  child.stderr.resume()
  return {
    child,
    seen,
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    next: (fields) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = seen.find((message) =>
            Object.entries(fields).every(([key, value]) => fits(message[key], value)),
          )
          if (found === undefined) return
          looks.delete(look)
          resolve(found)
        }
        looks.add(look)
        look()
      }),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'close')
      child.stdin.end()
      child.kill('SIGTERM')
      await ended
    },
  }
}

function fits(value: unknown, wanted: unknown): boolean {
  return wanted instanceof RegExp ? typeof value === 'string' && wanted.test(value) : value === wanted
}

/** A script in which the model makes one call and then says what it wants. */
export function calling(name: string, args: object, text = 'That was it.'): readonly Scripted[] {
  return [{ calls: [{ id: 'call_1', name, json: JSON.stringify(args) }] }, { text }]
}
