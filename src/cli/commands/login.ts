import { CapstanError, type ErrorJson } from '../../errors.ts'
import type { Hub, ServerStatus } from '../../hub/api.ts'
import { chooseServers, refuseDisabled } from '../choose-servers.ts'
import type { Command, CommandContext } from '../command.ts'
import { exitCodeOf, exitCodes } from '../exit-codes.ts'
import { logIn } from '../log-in.ts'
import { plainText } from '../../policy/plain-text.ts'

export const command: Command = {
  options: { 'no-browser': { type: 'boolean' } },
  help: `Log in to servers, one after the other; without a name, to all that need it. Your browser shows the page where you say
yes, and Capstan keeps what comes back, readable by you alone. Renewing it needs nobody.

  --no-browser    do not open a browser: print the address, and read the one that the browser ends at from standard input

A login waits 5 minutes for you.

Examples
  capstan login github
  capstan login
  capstan login github --no-browser`,
  async run(context, { positionals, values }) {
    const { io, flags, signal } = context
    const hub = await context.openHub((names) => (positionals.length === 0 ? names : positionals))
    const chosen = positionals.length === 0 ? await inNeed(hub, signal) : await named(hub, positionals, signal)
    const outcomes: Outcome[] = []
    for (const { name } of chosen) {
      outcomes.push(
        await attempt(hub, name, { context, browser: values['no-browser'] !== true, isOnly: chosen.length === 1 }),
      )
    }
    if (flags.json) await io.out(`${JSON.stringify({ servers: outcomes })}\n`)
    else if (chosen.length === 0) io.err('No server needs a login.\n')
    const failure = outcomes.find((outcome) => outcome.error !== undefined)?.error
    return failure === undefined ? exitCodes.ok : exitCodeOf(failure.code)
  },
}

interface Outcome {
  readonly server: string
  readonly state: 'logged_in' | 'failed'
  readonly error?: ErrorJson
}

/** A server shows whether it needs a login when it is asked for something. */
async function inNeed(hub: Hub, signal: AbortSignal): Promise<readonly ServerStatus[]> {
  await hub.catalogue({ kinds: ['tools'], signal })
  return (await hub.servers({ signal })).filter(({ state }) => state.kind === 'needs_login')
}

async function named(hub: Hub, names: readonly string[], signal: AbortSignal): Promise<readonly ServerStatus[]> {
  const chosen = chooseServers(await hub.servers({ signal }), names)
  refuseDisabled(chosen)
  return chosen
}

interface Attempt {
  readonly context: CommandContext
  readonly browser: boolean
  readonly isOnly: boolean
}

/** One that fails does not keep the person from the next; only when they stop, all stops. */
async function attempt(hub: Hub, server: string, { context, browser, isOnly }: Attempt): Promise<Outcome> {
  const { io, signal, flags } = context
  try {
    await logIn(hub, server, { io, signal, browser })
  } catch (error) {
    if (isOnly || signal.aborted || !(error instanceof CapstanError)) throw error
    io.err(plainText(`capstan: ${error.message}\n${error.next === undefined ? '' : `  ${error.next}\n`}`))
    return { server, state: 'failed', error: error.toJSON() }
  }
  if (!flags.json) await io.out(plainText(`Logged in to "${server}".\n`))
  return { server, state: 'logged_in' }
}
