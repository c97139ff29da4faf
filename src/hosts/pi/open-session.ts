import {
  CapstanError,
  loadConfig,
  openPermissions,
  places,
  reachHub,
  type Config,
  type ReachedHub,
  type ServerStatus,
} from '../../index.ts'
import { askTrust } from './ask-trust.ts'
import { registerCapstanCommand } from './capstan-command.ts'
import { shortStatus, whyBroken } from './describe-state.ts'
import { hubLink, type Connection } from './hub-link.ts'
import type { AgentStart, Environment, Pi, PiContext, PiInput, PiInputResult } from './pi-api.ts'
import { promptCommands, readPromptLine } from './prompt-commands.ts'
import { promptSection } from './prompt-section.ts'
import { failureText, say } from './say.ts'
import { registerTools } from './tools.ts'
import { inTurn, type PiWorld } from './world.ts'

export interface PiSession extends AsyncDisposable {
  /** Adds what the servers offer to the system prompt. */
  readonly tellModel: (event: AgentStart, context: PiContext) => Promise<{ systemPrompt: string } | undefined>
  /** Makes a message of a line that names a prompt. */
  readonly readInput: (event: PiInput, context: PiContext) => Promise<PiInputResult | undefined>
}

export interface SessionOptions {
  readonly context: PiContext
  readonly env: Environment
  /** Of `--capstan-allow`: these tools and no others. */
  readonly only?: readonly string[]
  /** How long the hub may take to answer. */
  readonly reachMs?: number
}

/** One session of pi with the person's servers; undefined, and nothing of ours in it, where there are none. */
export async function openPiSession(pi: Pi, options: SessionOptions): Promise<PiSession | undefined> {
  const { context } = options
  try {
    const config = await loadPiConfig(options)
    if (config.servers.length > 0) return await openWith(pi, config, options)
    for (const warning of config.warnings) say(context, warning, 'warning')
    say(context, 'no MCP servers are set up. Run "capstan add", or write ~/.pi/agent/mcp.json.', 'info')
  } catch (error) {
    say(context, `its config cannot be used: ${failureText(error)}`, 'error')
  }
  return undefined
}

function loadPiConfig({ context: { cwd }, env }: SessionOptions): Promise<Config> {
  return loadConfig({ env, cwd, clients: ['pi'] })
}

async function openWith(pi: Pi, first: Config, options: SessionOptions): Promise<PiSession> {
  const { context, env, only, reachMs = 20_000 } = options
  const over = new AbortController()
  const link = hubLink({ reach, onChange: show })
  let config = first
  let permissions = openPiPermissions()
  let loading = 0
  let hasNewCommands = false
  const broken = new Set<string>()
  const said = new Set<string>()
  const world: PiWorld = {
    env,
    config: () => config,
    permissions: () => permissions,
    connection: link.connection,
    reload,
    inTurn: inTurn(),
  }
  const addPrompts = context.hasUI ? promptCommands(pi, world) : () => false
  registerTools(pi, world)
  registerCapstanCommand(pi, world)
  const started = start()
  // On a terminal a person can see it happen; a program that talks to pi should find all commands at once.
  if (context.mode !== 'tui') await started
  void offerTrust()

  return {
    tellModel,
    readInput: (event, asking) => readPromptLine(event, { context: asking, world }),
    async [Symbol.asyncDispose]() {
      if (over.signal.aborted) return
      status(undefined)
      over.abort()
      await link[Symbol.asyncDispose]()
    },
  }

  /** A daemon that hangs must not keep pi from starting. */
  async function reach(): Promise<ReachedHub> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(tooLate(reachMs)), reachMs)
    try {
      return await reachHub({
        client: 'pi',
        env,
        cwd: context.cwd,
        clients: ['pi'],
        signal: AbortSignal.any([over.signal, late.signal]),
        onWaiting: ({ id, ask }) => tell(`the server "${ask.server}" asks something. Answer it: capstan review ${id}`),
        ...(context.hasUI ? { onInput: ({ id, declaration }) => input(declaration?.description ?? id) } : {}),
      })
    } finally {
      clearTimeout(timer)
    }
  }

  async function input(title: string): Promise<string> {
    const value = await world.inTurn(() => context.ui.input(`A server needs a value: ${title}`))
    if (value !== undefined) return value
    throw new CapstanError('cancelled', 'The value that the server needs was not given.')
  }

  function openPiPermissions() {
    const project = config.surroundings.workspaceFolder
    return openPermissions({ stateFolder: places(env).state, project, config, only })
  }

  async function start(): Promise<void> {
    loading += 1
    status('MCP: connecting…')
    const connection = await load()
    loading -= 1
    if (connection === undefined) status(undefined)
    else show(connection)
  }

  async function load(): Promise<Connection | undefined> {
    try {
      const connection = await link.connection()
      for (const warning of connection.hub.warnings) tell(warning)
      await connection.loaded
      return connection
    } catch (error) {
      tell(`the MCP servers cannot be reached: ${failureText(error)}`, 'error')
      return undefined
    }
  }

  async function reload(): Promise<void> {
    config = await loadPiConfig(options)
    permissions = openPiPermissions()
    broken.clear()
    await link.reset()
    await start()
  }

  async function offerTrust(): Promise<void> {
    try {
      if (await askTrust(context, world)) await reload()
    } catch (error) {
      tell(failureText(error), 'error')
    }
  }

  function show(connection: Connection): void {
    if (over.signal.aborted) return
    const { live } = connection
    hasNewCommands = addPrompts(connection) || hasNewCommands
    for (const server of live.statuses()) reportOnce(server)
    // Until all servers have answered, the line says so, and the person's typing is left alone.
    if (loading > 0) return
    if (hasNewCommands) refreshCompletion()
    status(shortStatus(live.statuses(), live.current()))
  }

  /** pi looks for commands when it makes its completion, which it does for each new provider. It closes an open menu. */
  function refreshCompletion(): void {
    hasNewCommands = false
    if (context.mode === 'tui') context.ui.addAutocompleteProvider((provider) => provider)
  }

  /** A server that breaks is named once, until it works again. */
  function reportOnce({ name, state }: ServerStatus): void {
    const reason = whyBroken(state)
    if (state.kind === 'ready') broken.delete(name)
    // Whether it may be started is asked, or said, elsewhere.
    if (reason === undefined || state.kind === 'untrusted' || broken.has(name)) return
    broken.add(name)
    tell(reason.includes(`"${name}"`) ? reason : `the server "${name}" cannot be used: ${reason}`)
  }

  async function tellModel(event: AgentStart, { model }: PiContext): Promise<{ systemPrompt: string } | undefined> {
    const connection = await link.connection().catch(() => undefined)
    if (connection === undefined) return undefined
    const { live, loaded } = connection
    await loaded
    const budgetTokens = Math.min(mostTokens, Math.floor((model?.contextWindow ?? 128_000) * mostOfContext))
    const section = promptSection({ catalogue: live.current(), statuses: live.statuses(), budgetTokens })
    if (section === undefined) return undefined
    const sections = event.systemPromptOptions?.sections
    if (sections === undefined) return { systemPrompt: `${event.systemPrompt}\n\n<${tag}>\n${section}\n</${tag}>` }
    sections[tag] = section
    return undefined
  }

  function status(text: string | undefined): void {
    if (!over.signal.aborted) context.ui.setStatus('capstan', text)
  }

  /** What was said is not said again, whoever finds it out. */
  function tell(text: string, level: 'warning' | 'error' = 'warning'): void {
    if (over.signal.aborted || said.has(text)) return
    said.add(text)
    say(context, text, level)
  }
}

function tooLate(ms: number): CapstanError {
  return new CapstanError('timed_out', `The hub did not answer within ${Math.round(ms / 1000)} seconds.`, {
    next: 'Run "capstan stop", then /reload.',
  })
}

const tag = 'mcp_servers'
const mostTokens = 2000
const mostOfContext = 0.05
