import { loadConfig, openPermissions, places, reachHub, type Config, type ServerStatus } from '../../index.ts'
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
  const { context, env, only } = options
  const over = new AbortController()
  const link = hubLink({ reach, onChange: show })
  let config = first
  let permissions = openPiPermissions()
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

  function reach() {
    return reachHub({
      client: 'pi',
      env,
      cwd: context.cwd,
      clients: ['pi'],
      signal: over.signal,
      onWaiting: ({ id, ask }) =>
        tell(`the server "${ask.server}" asks something. Answer it with: capstan review ${id}`),
      ...(context.hasUI
        ? { onInput: async ({ id, declaration }) => (await input(declaration?.description ?? id)) ?? '' }
        : {}),
    })
  }

  function input(title: string): Promise<string | undefined> {
    return world.inTurn(() => context.ui.input(`A server needs a value: ${title}`))
  }

  function openPiPermissions() {
    const project = config.surroundings.workspaceFolder
    return openPermissions({ stateFolder: places(env).state, project, config, only })
  }

  async function start(): Promise<void> {
    status('MCP: connecting…')
    try {
      const connection = await link.connection()
      for (const warning of connection.hub.warnings) tell(warning)
      await connection.loaded
      show(connection)
    } catch (error) {
      status(undefined)
      tell(`the MCP servers cannot be reached: ${failureText(error)}`, 'error')
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
    const isNew = addPrompts(connection)
    // pi looks for commands when it makes its completion, and makes it anew for each provider.
    if (isNew && context.mode === 'tui') context.ui.addAutocompleteProvider((provider) => provider)
    status(shortStatus(live.statuses(), live.current()))
    for (const server of live.statuses()) reportOnce(server)
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

const tag = 'mcp_servers'
const mostTokens = 2000
const mostOfContext = 0.05
