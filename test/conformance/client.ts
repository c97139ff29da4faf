// The client that the official suite tests: nothing but our hub, used as a person with a browser would use it. The suite gives
// the server's address as the last argument, and credentials for some scenarios in the environment.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inlineConfig } from '../../src/config/load.ts'
import type { RawEntry } from '../../src/config/types.ts'
import { CapstanError } from '../../src/errors.ts'
import type { Answer, Ask, Hub, JsonObject, JsonSchema, ToolEntry } from '../../src/hub/api.ts'
import { openHub } from '../../src/hub/hub.ts'

const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Context
const server = 'suite'

interface Context extends Readonly<Record<string, unknown>> {
  readonly client_id?: string
  readonly client_secret?: string
  readonly private_key_pem?: string
  readonly signing_algorithm?: string
  /** What the scenario wants called, where it matters. */
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: JsonObject }[]
}

const home = await mkdtemp(join(tmpdir(), 'capstan-conformance-'))
try {
  await run(process.argv.at(-1) ?? '')
} finally {
  await rm(home, { recursive: true, force: true })
}

async function run(url: string): Promise<void> {
  const env = { PATH: process.env['PATH'], HOME: home }
  const entry = { url, roots: true, sampling: true, timeout: 20, ...oauth() }
  await using hub = await openHub(inlineConfig({ [server]: entry }, { env, cwd: home }), { onAsk: answer })
  const catalogue = () => hub.catalogue({ fresh: true })
  const { tools, prompts } = await loggedIn(hub, async () => {
    const seen = await catalogue()
    const [coverage] = seen.servers
    if (coverage?.kind === 'missing') throw CapstanError.fromJSON(coverage.error)
    return seen
  })
  for (const { tool, args } of callsFor(tools)) {
    // What a tool answers, an error too, is for the suite to judge.
    await loggedIn(hub, () => hub.call({ server, tool }, args)).catch((error: unknown) => console.error(tool, error))
  }
  for (const prompt of prompts) await hub.prompt(prompt, {}).catch((error: unknown) => console.error(prompt.id, error))
}

function oauth(): RawEntry {
  const settings: RawEntry = {
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    ...(context.client_id === undefined ? {} : { clientId: context.client_id }),
    ...(context.client_secret === undefined ? {} : { clientSecret: context.client_secret }),
    ...(context.private_key_pem === undefined ? {} : { privateKey: context.private_key_pem }),
    ...(context.signing_algorithm === undefined ? {} : { privateKeyAlgorithm: context.signing_algorithm }),
    ...(scenario.startsWith('auth/client-credentials') ? { grant: 'client_credentials' } : {}),
  }
  return { oauth: settings }
}

/** Logs in whenever the hub says that this is what is missing, as its users do. */
async function loggedIn<Value>(hub: Hub, work: () => Promise<Value>): Promise<Value> {
  for (let logins = 0; ; logins++) {
    try {
      return await work()
    } catch (error) {
      const isLogin = error instanceof CapstanError && error.code === 'login_needed'
      if (!isLogin || logins >= 2) throw error
      await hub.control(server, 'login', { onAsk: answer })
    }
  }
}

/** A person who agrees to everything: forms with their defaults, pages as a browser would visit them. */
async function answer(ask: Ask): Promise<Answer> {
  if (ask.kind === 'form') return { action: 'accept', content: {} }
  if (ask.kind === 'sampling') {
    return { action: 'accept', content: { model: 'none', role: 'assistant', content: { type: 'text', text: 'ok' } } }
  }
  const response = await fetch(ask.url, { redirect: 'manual' })
  const redirect = response.headers.get('location')
  return redirect === null ? { action: 'cancel' } : { action: 'accept', content: { redirect } }
}

function callsFor(tools: readonly ToolEntry[]): readonly { readonly tool: string; readonly args: JsonObject }[] {
  if (context.toolCalls === undefined)
    return tools.map((tool) => ({ tool: tool.tool, args: argumentsFor(tool, tools) }))
  return context.toolCalls.map(({ name, arguments: args }) => ({
    tool: name,
    // Our hub refuses null for an optional value before it is sent: it is left out instead.
    args: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)),
  }))
}

function argumentsFor({ inputSchema }: ToolEntry, tools: readonly ToolEntry[]): JsonObject {
  const { properties } = inputSchema as { readonly properties?: Readonly<Record<string, JsonSchema>> }
  const values = Object.entries(properties ?? {}).map(([name, schema]) => {
    // The tool that wants to see how we understood another's schema.
    const seen = name === 'schema' ? (tools[0]?.inputSchema as JsonObject | undefined) : undefined
    return [name, seen ?? valueFor(schema)] as const
  })
  return Object.fromEntries(values)
}

function valueFor({ type, default: given, enum: choices }: JsonSchema): JsonObject[string] {
  const proposed = given ?? (Array.isArray(choices) ? choices[0] : undefined)
  if (proposed !== undefined) return proposed as JsonObject[string]
  const samples: Readonly<Record<string, JsonObject[string]>> = {
    integer: 5,
    number: 5,
    string: 'x',
    boolean: true,
    array: [],
    object: {},
  }
  return samples[String(Array.isArray(type) ? type[0] : type)] ?? 'x'
}
